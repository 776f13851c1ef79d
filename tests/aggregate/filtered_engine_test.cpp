// The engines against the slow reference under filters, bit for bit, on random profiles.

#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/difference.h"
#include "aggregate/engines.h"
#include "aggregate/reference/reference.h"
#include "aggregate/row_filter.h"
#include "support/random_profile.h"
#include "support/seeds.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::MemoryOpIndex;
using profile::Profile;
using profile::Row;
using testing::RandomProfileOptions;

class RandomFilters {
 public:
  RandomFilters(const Profile& profile, uint64_t seed) : profile_(profile), random_(seed) {}

  int64_t below(int64_t bound) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(bound));
  }

  // Of a value that the profile holds, but for one in ten.
  Filter of_kind(FilterKind kind) {
    const bool unknown = below(10) == 0;
    Filter filter{.kind = kind};
    switch (kind) {
      case FilterKind::eligible:
      case FilterKind::tensor_core:
        filter.number = below(2);
        return filter;
      case FilterKind::device:
        filter.number = 2 * below(4) + (unknown ? 1 : 0);
        return filter;
      case FilterKind::time:
        filter.window = window();
        return filter;
      default:
        filter.text = unknown ? "no such/" : text_of(kind);
        return filter;
    }
  }
  std::vector<Filter> mixture() {
    std::vector<Filter> filters;
    for (int64_t i = 1 + below(4); i > 0; --i) {
      filters.push_back(
          of_kind(kFilterKinds[static_cast<std::size_t>(below(kFilterKinds.size()))]));
    }
    return filters;
  }
  Selection selection() {
    Cut cut;
    cut.kind = static_cast<CutKind>(below(3));
    if (below(4) != 0) cut.key_op = testing::kRandomKeyOp;
    if (below(3) == 0) cut.split_by = SplitBy::gpu;
    const int64_t first = below(12);
    return {cut, {first, first + below(12)}};
  }

 private:
  std::string text_of(FilterKind kind) {
    const auto op = static_cast<Row>(below(static_cast<int64_t>(profile_.ops.size())));
    const std::string name(profile_.text(profile_.ops.name[op]));
    switch (kind) {
      case FilterKind::op:
        return below(2) == 0 ? name : std::string(profile_.text(profile_.ops.id[op]));
      case FilterKind::op_type:
        return std::string(profile_.text(profile_.ops.type[op]));
      case FilterKind::direction:
        return std::string(profile_.text(profile_.ops.direction[op]));
      case FilterKind::group:
        return name.substr(0, name.find('/', static_cast<std::size_t>(below(20))) + 1);
      default: {
        const auto kernels = static_cast<int64_t>(profile_.kernels.size());
        if (kernels == 0) return "";
        return std::string(profile_.text(profile_.kernels.name[static_cast<Row>(below(kernels))]));
      }
    }
  }
  // Half of the bounds are those of events.
  TimeWindow window() {
    const auto bound = [this] {
      const auto kernels = static_cast<int64_t>(profile_.kernels.size());
      if (kernels == 0 || below(2) == 0) {
        return profile_.first_ns + below(profile_.last_ns - profile_.first_ns + 1);
      }
      const auto kernel = static_cast<Row>(below(kernels));
      return below(2) == 0 ? profile_.kernels.gpu_start_ns[kernel]
                           : profile_.kernels.gpu_stop_ns[kernel];
    };
    const int64_t a = bound(), b = below(8) == 0 ? a : bound();
    return {std::min(a, b), std::max(a, b)};
  }

  const Profile& profile_;
  std::mt19937_64 random_;
};

std::string to_text(const std::vector<Filter>& filters) {
  std::string text;
  for (const Filter& filter : filters) text += to_text(filter) + " ";
  return text;
}

// RowFilter alone, over the rows of the range.
void expect_rows_that_count(const Profile& profile, const Aggregation& aggregation) {
  const RowFilter filter(profile, aggregation.selection.filters);
  const auto& rows = aggregation.iteration_table->iterations.rows;
  const IterationRange& range = aggregation.selection.range;
  const InstanceIndex first = rows[static_cast<std::size_t>(range.first)].first_instance;
  const InstanceIndex last = rows[static_cast<std::size_t>(range.last)].last_instance;
  const auto& instances = profile.instances;
  int64_t counted = 0, kernels = 0, memory_ops = 0;
  for (InstanceIndex i = first; i < last; ++i) counted += filter.counts_instance(i) ? 1 : 0;
  for (KernelIndex k = instances.first_kernel[first]; k < instances.first_kernel[last]; ++k) {
    kernels += filter.counts_kernel(k) ? 1 : 0;
  }
  for (MemoryOpIndex m = instances.first_memory_op[first]; m < instances.first_memory_op[last];
       ++m) {
    memory_ops += filter.counts_memory_op(m) ? 1 : 0;
  }
  int64_t calls = 0;
  for (const OpAggregate& op : aggregation.ops) calls += op.times.count();
  EXPECT_EQ(counted, calls);
  EXPECT_EQ(kernels, aggregation.kernel_launches);
  EXPECT_EQ(memory_ops, aggregation.memory_op_count);
}

class FilteredEngines : public ::testing::TestWithParam<EngineUnderTest> {
 protected:
  void open(const RandomProfileOptions& options) {
    seed_ = options.seed;
    profile_ = std::make_shared<const Profile>(testing::random_profile(options));
    reference_ = make_reference_aggregator(profile_);
    // From a block for each row to one for all.
    engine_ = GetParam().make(profile_, int64_t{1} << 2 * (seed_ % 8));
  }
  void expect_agreement(const Selection& selection) {
    const Aggregation expected = reference_->aggregate(selection);
    const Aggregation actual = engine_->aggregate(selection);
    ASSERT_EQ(first_difference(actual, expected), "")
        << "seed " << seed_ << ", cut " << static_cast<int>(selection.cut.kind) << " at '"
        << selection.cut.key_op << "', iterations " << actual.selection.range.first << " to "
        << actual.selection.range.last << ", only " << to_text(selection.filters);
    expect_rows_that_count(*profile_, actual);
  }

  uint64_t seed_ = 0;
  std::shared_ptr<const Profile> profile_;
  std::unique_ptr<Aggregator> reference_, engine_;
};

TEST_P(FilteredEngines, AgreeOnEachKind) {
  for (const FilterKind kind : kFilterKinds) {
    for (uint64_t seed = 1; seed <= testing::seeds(6); ++seed) {
      open({.seed = seed});
      RandomFilters random(*profile_, seed);
      for (int i = 0; i < 12; ++i) {
        Selection selection = random.selection();
        for (int64_t alternatives = 1 + i % 3; alternatives > 0; --alternatives) {
          selection.filters.push_back(random.of_kind(kind));
        }
        expect_agreement(selection);
      }
    }
  }
}

TEST_P(FilteredEngines, AgreeOnMixtures) {
  for (uint64_t seed = 20; seed < 20 + testing::seeds(20); ++seed) {
    open({.seed = seed});
    RandomFilters random(*profile_, seed);
    for (int i = 0; i < 12; ++i) {
      Selection selection = random.selection();
      selection.filters = random.mixture();
      expect_agreement(selection);
    }
  }
}

TEST_P(FilteredEngines, AgreeOnSeveralProcessesAndStoredIo) {
  for (uint64_t seed = 40; seed < 46; ++seed) {
    RandomProfileOptions options;
    options.seed = seed;
    options.processes = 2;
    options.stored_aggregation = true;
    open(options);
    RandomFilters random(*profile_, seed);
    Selection stored = default_selection(*profile_);
    for (int i = 0; i < 6; ++i) {
      stored.filters = random.mixture();
      expect_agreement(stored);
      EXPECT_TRUE(engine_->aggregate(stored).io_recorded);
    }
  }
}

TEST_P(FilteredEngines, AgreeWhereOsCallsWereRecorded) {
  for (uint64_t seed = 50; seed < 56; ++seed) {
    RandomProfileOptions options;
    options.seed = seed;
    options.os_calls = 60;
    open(options);
    RandomFilters random(*profile_, seed);
    for (int i = 0; i < 6; ++i) {
      Selection selection = random.selection();
      selection.filters = random.mixture();
      expect_agreement(selection);
    }
  }
}

TEST_P(FilteredEngines, AgreeOnUnusualRuns) {
  for (auto [name, options] : unusual_runs()) {
    SCOPED_TRACE(name);
    // From blocks of a single row on.
    for (options.seed = 56; options.seed < 56 + testing::seeds(4); ++options.seed) {
      open(options);
      RandomFilters random(*profile_, options.seed);
      for (int i = 0; i < 8; ++i) {
        Selection selection = random.selection();
        selection.filters = random.mixture();
        expect_agreement(selection);
      }
    }
  }
}

TEST_P(FilteredEngines, AgreeOnProfilesThatLackAlmostEverything) {
  RandomProfileOptions no_kernels;
  no_kernels.kernels = 0;
  RandomProfileOptions no_events = no_kernels;
  no_events.memory_ops = no_events.syncs = no_events.api_calls = 0;
  RandomProfileOptions no_devices = no_events;
  no_devices.kernel_devices = no_devices.copy_devices = no_devices.idle_devices = 0;
  RandomProfileOptions nothing = no_devices;
  nothing.instances = nothing.key_instances = 0;
  for (const RandomProfileOptions& options : {no_kernels, no_events, no_devices, nothing}) {
    open(options);
    RandomFilters random(*profile_, 3);
    for (int i = 0; i < 10; ++i) {
      Selection selection = random.selection();
      selection.filters = random.mixture();
      expect_agreement(selection);
    }
  }
}

TEST_P(FilteredEngines, EqualUnfilteredResultsAfterFiltersAreRemoved) {
  open({.seed = 50});
  RandomFilters random(*profile_, 50);
  for (int i = 0; i < 10; ++i) {
    Selection selection = random.selection();
    const Aggregation before = engine_->aggregate(selection);
    selection.filters = random.mixture();
    const Aggregation filtered = engine_->aggregate(selection);
    ASSERT_NE(filtered.unfiltered, nullptr);
    EXPECT_EQ(first_difference(*filtered.unfiltered, before), "");
    EXPECT_EQ(filtered.advice, before.advice);
    selection.filters.clear();
    EXPECT_EQ(first_difference(engine_->aggregate(selection), before), "");
  }
}

// Everything that passes together is everything.
TEST_P(FilteredEngines, KeepEverythingWhenAllAlternativesAreNamed) {
  open({.seed = 51});
  const Cut cut{CutKind::start, std::string(testing::kRandomKeyOp)};
  const Aggregation all = engine_->aggregate({cut, {1, 6}});
  std::vector<Filter> types;
  for (const profile::StringId type : profile_->ops.type) {
    types.push_back({.kind = FilterKind::op_type, .text = std::string(profile_->text(type))});
  }
  const std::vector<Filter> eligible{{.kind = FilterKind::eligible, .number = 0},
                                     {.kind = FilterKind::eligible, .number = 1}};
  const std::vector<Filter> time{
      {.kind = FilterKind::time, .window = {0, profile_->last_ns + 1'000'000}}};
  for (const std::vector<Filter>& filters : {types, eligible, time}) {
    Aggregation filtered = engine_->aggregate({cut, {1, 6}, filters});
    filtered.selection.filters.clear();
    filtered.unfiltered = nullptr;
    EXPECT_EQ(first_difference(filtered, all), "") << to_text(filters);
  }
}

INSTANTIATE_TEST_SUITE_P(All, FilteredEngines, ::testing::ValuesIn(engines_under_test()),
                         [](const auto& engine) { return engine.param.name; });

}  // namespace
}  // namespace dlview::aggregate
