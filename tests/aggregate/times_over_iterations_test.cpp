#include "aggregate/times_over_iterations.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "support/random_profile.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::KernelIndex;
using profile::kNoRow;
using profile::OpIndex;

// The slow twin: GPU time of one row in each iteration, and what follows from it.
struct Twin {
  std::vector<int64_t> ns;  // by iteration of the range

  TimesOverIterations::Extremes extremes(const IterationRange& range) const {
    const auto largest = std::ranges::max_element(ns);
    return {std::ranges::min(ns), *largest, range.first + (largest - ns.begin())};
  }
  std::vector<float> buckets() const {
    const std::size_t count = std::min(ns.size(), kMostTimeBuckets);
    std::vector<float> means;
    for (std::size_t bucket = 0; bucket < count; ++bucket) {
      double sum = 0, iterations = 0;
      for (std::size_t i = 0; i < ns.size(); ++i) {
        const bool is_in = i >= bucket * ns.size() / count && i < (bucket + 1) * ns.size() / count;
        if (!is_in) continue;
        sum += static_cast<double>(ns[i]);
        ++iterations;
      }
      means.push_back(static_cast<float>(sum / iterations));
    }
    return means;
  }
};

using KernelKey = std::pair<profile::Row, profile::StringId>;

class TimesTest : public ::testing::Test {
 protected:
  void open(std::shared_ptr<const profile::Profile> profile, Selection selection) {
    profile_ = std::move(profile);
    aggregator_ = make_cpu_aggregator(profile_);
    aggregation_ = std::make_shared<Aggregation>(aggregator_->aggregate(selection));
  }
  // One aggregation for each iteration.
  void ask_each_iteration() {
    const Selection& selection = aggregation_->selection;
    const auto size = static_cast<std::size_t>(selection.range.size());
    for (std::size_t i = 0; i < size; ++i) {
      const int64_t number = selection.range.first + static_cast<int64_t>(i);
      const Aggregation one = aggregator_->aggregate(selection.with_range({number, number}));
      const auto add = [&](std::vector<int64_t>& ns, int64_t time) {
        ns.resize(size);
        ns[i] = time;
      };
      for (const OpAggregate& op : one.ops) add(ops_[op.op].ns, op.times.gpu.sum);
      for (const OpTypeAggregate& type : one.op_types) {
        add(types_[type.type].ns, type.times.gpu.sum);
      }
      for (const GroupAggregate& group : one.groups) {
        add(groups_[group.group].ns, group.times.gpu.sum);
      }
      for (const KernelAggregate& kernel : one.kernels) {
        add(kernels_[{kernel.op, kernel.name}].ns, kernel.gpu.sum);
      }
    }
  }
  void expect_row(const TimesOverIterations& times, std::size_t row, const Twin& twin) {
    const auto buckets = times.buckets_of(row);
    EXPECT_EQ(std::vector<float>(buckets.begin(), buckets.end()), twin.buckets());
    EXPECT_EQ(times.extremes_of(row), twin.extremes(aggregation_->selection.range));
  }
  void expect_all_rows() {
    ask_each_iteration();
    const std::size_t ops = profile_->ops.size();
    RowsOfOps rows{0, std::vector<uint32_t>(ops, kNoRow)};
    for (const OpAggregate& op : aggregation_->ops) {
      rows.row_of_op[op.op] = static_cast<uint32_t>(rows.row_count++);
    }
    const auto of_ops = op_times_over_iterations(*profile_, *aggregation_, rows);
    for (const OpAggregate& op : aggregation_->ops) {
      SCOPED_TRACE("op");
      expect_row(of_ops, rows.row_of_op[op.op], ops_.at(op.op));
    }
    expect_types();
    expect_groups();
    expect_kernels();
  }

 private:
  void expect_types() {
    SCOPED_TRACE("types");
    RowsOfOps rows{aggregation_->op_types.size(), {}};
    for (const profile::StringId type : profile_->ops.type) {
      const auto row = std::ranges::find(aggregation_->op_types, type, &OpTypeAggregate::type);
      rows.row_of_op.push_back(row == aggregation_->op_types.end()
                                   ? kNoRow
                                   : static_cast<uint32_t>(row - aggregation_->op_types.begin()));
    }
    const auto times = op_times_over_iterations(*profile_, *aggregation_, rows);
    for (std::size_t row = 0; row < rows.row_count; ++row) {
      expect_row(times, row, types_.at(aggregation_->op_types[row].type));
    }
  }
  // The rows of all groups, whether they have an instance in the range or not.
  void expect_groups() {
    SCOPED_TRACE("groups");
    const GroupTree& tree = *aggregation_->group_tree;
    RowsOfOps rows{tree.groups.size(), tree.group_of_op, {}};
    for (const Group& group : tree.groups) rows.parent.push_back(group.parent);
    const auto times = op_times_over_iterations(*profile_, *aggregation_, rows);
    for (const GroupAggregate& group : aggregation_->groups) {
      expect_row(times, group.group, groups_.at(group.group));
    }
  }
  void expect_kernels() {
    SCOPED_TRACE("kernels");
    std::map<KernelKey, uint32_t> row_of;
    for (const KernelAggregate& kernel : aggregation_->kernels) {
      row_of.emplace(KernelKey{kernel.op, kernel.name}, static_cast<uint32_t>(row_of.size()));
    }
    const auto times = kernel_times_over_iterations(
        *profile_, *aggregation_, row_of.size(), {}, [&](OpIndex op, KernelIndex kernel) {
          const auto row = row_of.find({op, profile_->kernels.name[kernel]});
          return row == row_of.end() ? kNoRow : row->second;
        });
    for (const auto& [key, row] : row_of) expect_row(times, row, kernels_.at(key));
  }

 protected:
  std::shared_ptr<const profile::Profile> profile_;
  std::unique_ptr<Aggregator> aggregator_;
  std::shared_ptr<const Aggregation> aggregation_;
  std::map<profile::Row, Twin> ops_, groups_;
  std::map<profile::StringId, Twin> types_;
  std::map<KernelKey, Twin> kernels_;
};

Cut random_cut() {
  return {CutKind::start, std::string(testing::kRandomKeyOp), 0};
}

std::shared_ptr<const profile::Profile> random_run(int key_instances) {
  testing::RandomProfileOptions options;
  options.key_instances = key_instances;
  options.instances = 600;
  options.kernels = 2000;
  return std::make_shared<const profile::Profile>(testing::random_profile(options));
}

TEST_F(TimesTest, MatchesOneAggregationPerIteration) {
  open(random_run(10), {random_cut(), {0, 1'000}});
  EXPECT_GT(aggregation_->selection.range.size(), 5);
  expect_all_rows();
}

TEST_F(TimesTest, AveragesBucketsOfManyIterations) {
  open(random_run(130), {random_cut(), {3, 1'000}});
  EXPECT_GT(aggregation_->selection.range.size(), 80);
  expect_all_rows();
}

TEST_F(TimesTest, CountsWhatMatchesTheFilters) {
  const auto profile = random_run(60);
  const std::vector<Filter> filters[] = {
      {{.kind = FilterKind::tensor_core, .number = 1}},
      {{.kind = FilterKind::device, .number = profile->devices[0].device_id}},
      {{.kind = FilterKind::op, .text = std::string(profile->text(profile->ops.id[3]))}},
      {{.kind = FilterKind::time, .window = {5'000, 20'000}}}};
  for (const std::vector<Filter>& each : filters) {
    SCOPED_TRACE(to_text(each[0].kind));
    ops_.clear(), types_.clear(), groups_.clear(), kernels_.clear();
    open(profile, {random_cut(), {0, 1'000}, each});
    ASSERT_FALSE(aggregation_->ops.empty());
    expect_all_rows();
  }
}

TEST_F(TimesTest, NamesTheFirstLongestIteration) {
  testing::Sketch sketch;
  const auto step = sketch.op("step");
  const auto conv = sketch.op("conv");
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t at = i * 100;
    sketch.instance(step, at, at + 1);
    if (i == 3) continue;  // conv does not run in the last one
    sketch.kernel(sketch.instance(conv, at + 10, at + 20), at + 10, at + (i == 0 ? 20 : 40));
  }
  open(sketch.finish(), {{CutKind::start, "step", 0}, {0, 3}});
  const auto times = op_times_over_iterations(*profile_, *aggregation_, {1, {kNoRow, 0}});
  EXPECT_EQ(times.extremes_of(0), (TimesOverIterations::Extremes{0, 30, 1}));
  ASSERT_EQ(times.buckets_of(0).size(), 4u);
  EXPECT_EQ(times.buckets_of(0)[0], 10);
  EXPECT_EQ(times.buckets_of(0)[3], 0);
}

}  // namespace
}  // namespace dlview::aggregate
