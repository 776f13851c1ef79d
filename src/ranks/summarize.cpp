#include "ranks/summarize.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "aggregate/aggregator.h"
#include "aggregate/instance_times.h"
#include "aggregate/row_filter.h"
#include "base/fnv.h"
#include "base/stop_point.h"
#include "ranks/collective_calls.h"

namespace dlview::ranks {
namespace {

using aggregate::Aggregation;
using aggregate::IterationRange;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::OpIndex;
using profile::Profile;

constexpr std::size_t kRowsBetweenStops = 1U << 14U;
// Collectives of a group that alignment may use, and those that may be matched by time. All ranks
// take the same ones.
constexpr std::size_t kMostSamples = 1000, kMostTimed = 4000;

// Of what was recorded: the same file has the same one, wherever it lies.
uint64_t checksum_of(const Profile& profile) {
  base::Fnv1a hash;
  hash.add(static_cast<uint64_t>(profile.source.file_bytes));
  for (InstanceIndex i{0}; i < profile.instances.size(); ++i) {
    if (i % kRowsBetweenStops == 0) base::stop_point();
    hash.add(static_cast<uint64_t>(profile.instances.cpu_start_ns[i]));
  }
  for (KernelIndex k{0}; k < profile.kernels.size(); ++k) {
    if (k % kRowsBetweenStops == 0) base::stop_point();
    hash.add(static_cast<uint64_t>(profile.kernels.gpu_start_ns[k]));
  }
  return hash.value();
}

uint64_t hash_of(const std::string& group, int64_t place) {
  base::Fnv1a hash;
  hash.add(group);
  hash.add(static_cast<uint64_t>(place));
  return hash.value();
}

class Summarizer {
 public:
  explicit Summarizer(const RankInput& input)
      : input_(input),
        profile_(*input.profile),
        aggregation_(aggregate::make_cpu_aggregator(input.profile)->aggregate(input.selection)),
        range_(aggregation_.selection.range),
        numbers_(iteration_numbers(aggregation_.iteration_table->iterations, range_)),
        calls_(rank_calls(profile_, aggregation_, numbers_, input.by_kernels)) {}

  RunSummary summarize() {
    const aggregate::Cut& cut = aggregation_.selection.cut;
    summary_.rules = {cut.key_op, std::string(to_text(cut.kind)),
                      std::string(to_text(cut.split_by)), calls_.matching};
    summary_.groups = calls_.groups;
    add_ops();
    add_kernels();
    add_collectives();
    RankPart& part = summary_.parts.emplace_back();
    part.first = range_.first;
    part.size = range_.size();
    fill_rows(part);
    fill_groups(part);
    fill_clock(part);
    fill_head(part.head);
    return std::move(summary_);
  }

 private:
  OpKey key_of(OpIndex op) const {
    const auto text = [&](profile::StringId id) { return std::string(profile_.text(id)); };
    return {text(profile_.ops.name[op]), text(profile_.ops.type[op]),
            text(profile_.ops.direction[op])};
  }

  // Ops of one key, which a run may have several of, are one.
  void add_ops() {
    std::vector<OpSum*> sums(profile_.ops.size());
    for (const aggregate::OpAggregate& op : aggregation_.ops) {
      OpSum one;
      one.cpu = WideStats::of(op.times.cpu);
      one.gpu = WideStats::of(op.times.gpu);
      one.api = WideStats::of(op.times.api);
      one.overhead = WideStats::of(op.times.overhead);
      one.idle = WideStats::of(op.times.idle);
      one.kernel_gpu = WideStats::of(op.kernel_gpu);
      one.kernel_api = WideStats::of(op.kernel_api);
      one.tensor_core_kernels = op.tensor_core_kernels;
      one.tensor_core_ns = op.tensor_core_gpu_ns;
      OpSum& sum = summary_.ops[key_of(op.op)];
      sum.merge(one);
      sums[op.op] = &sum;
    }
    const aggregate::InstanceSpan rows =
        aggregate::instances_of(aggregation_.iteration_table->iterations, range_);
    const aggregate::RowFilter filter(profile_, aggregation_.selection.filters);
    aggregate::InstanceTimer timer(profile_);
    const bool is_filtered = !aggregation_.selection.filters.empty();
    for (InstanceIndex i = rows.first; i < rows.last; ++i) {
      if (i % kRowsBetweenStops == 0) base::stop_point();
      OpSum* const sum = sums[profile_.instances.op[i]];
      if (sum == nullptr || !filter.counts_instance(i)) continue;
      sum->gpu_times.add(is_filtered ? timer.times_of(i, filter).gpu : timer.times_of(i).gpu);
    }
  }

  void add_kernels() {
    for (const aggregate::KernelAggregate& kernel : aggregation_.kernels) {
      const KernelSum one{WideStats::of(kernel.gpu), WideStats::of(kernel.api),
                          kernel.uses_tensor_cores};
      summary_.kernels[{key_of(kernel.op), std::string(profile_.text(kernel.name))}].merge(one);
    }
  }

  // Two calls of a rank in one place, as where a profiler repeats a number, are one collective of
  // which nobody can tell the parts: the longer one counts.
  void add_collectives() {
    const int64_t rank = *input_.identity.rank;
    for (const RankCall& call : calls_.calls) {
      const CollectiveSum one =
          CollectiveSum::of_call(rank, numbers_[call.iteration], call.collective, call.bytes,
                                 call.duration_ns(), call.exposed_ns);
      const auto [place, is_new] = summary_.collectives.try_emplace({call.group, call.place}, one);
      if (!is_new && place->second.least_ns < one.least_ns) place->second = one;
    }
  }

  template <typename ValueOf>
  void set(RankPart& part, RowColumn column, const ValueOf& value_of) const {
    std::vector<int64_t> values;
    const aggregate::IterationTable& table = *aggregation_.iteration_table;
    for (int64_t i = range_.first; i <= range_.last; ++i) {
      const auto row = static_cast<std::size_t>(i);
      values.push_back(value_of(table.iterations.rows[row], table.facts[row]));
    }
    part.rows[static_cast<std::size_t>(column)] = pack_column(values);
  }

  void fill_rows(RankPart& part) const {
    using aggregate::Iteration;
    using aggregate::IterationFacts;
    part.rows[static_cast<std::size_t>(RowColumn::number)] = pack_column(numbers_);
    set(part, RowColumn::start_ns,
        [](const Iteration& row, const IterationFacts&) { return row.start_ns; });
    set(part, RowColumn::stop_ns,
        [](const Iteration& row, const IterationFacts&) { return row.stop_ns; });
    for (const aggregate::Category category : aggregate::kCategories) {
      const auto column =
          static_cast<RowColumn>(static_cast<std::size_t>(RowColumn::tensor_core_kernels_ns) +
                                 static_cast<std::size_t>(category));
      set(part, column, [category](const Iteration&, const IterationFacts& facts) {
        return facts.device_sum[category];
      });
    }
    set(part, RowColumn::communication_ns, [](const Iteration&, const IterationFacts& facts) {
      return facts.communication_device_sum.ns;
    });
    set(part, RowColumn::exposed_ns, [](const Iteration&, const IterationFacts& facts) {
      return facts.communication_device_sum.exposed_ns;
    });
    set(part, RowColumn::kernels,
        [](const Iteration&, const IterationFacts& facts) { return facts.kernels.count; });
    set(part, RowColumn::kernel_ns,
        [](const Iteration&, const IterationFacts& facts) { return facts.kernels.gpu_ns; });
  }

  // Calls are in order of group, then place: those of an iteration follow one another.
  void fill_groups(RankPart& part) const {
    const auto size = static_cast<std::size_t>(part.size);
    struct Columns {
      std::vector<int64_t> calls;
      std::array<std::vector<int64_t>, kCallClasses> ns, exposed_ns;
    };
    std::map<std::string, Columns> groups;
    // From the end, of calls that are a collective of their own.
    for (std::size_t i = calls_.calls.size(); i-- > 0;) {
      const RankCall& call = calls_.calls[i];
      Columns& columns = groups[call.group];
      if (columns.calls.empty()) {
        columns.calls.resize(size);
        for (auto& values : columns.ns) values.resize(size);
        for (auto& values : columns.exposed_ns) values.resize(size);
      }
      const bool is_again = i > 0 && calls_.calls[i - 1].group == call.group &&
                            calls_.calls[i - 1].place == call.place;
      if (is_again) continue;
      const CollectiveSum& sum = summary_.collectives.at({call.group, call.place});
      const std::size_t its_class = call_class(columns.calls[call.iteration]++);
      columns.ns[its_class][call.iteration] += sum.least_ns;
      columns.exposed_ns[its_class][call.iteration] += static_cast<int64_t>(sum.exposed_ns);
    }
    for (const auto& [group, columns] : groups) {
      GroupRows& rows = part.groups[group];
      rows.calls = pack_column(columns.calls);
      for (std::size_t each = 0; each < kCallClasses; ++each) {
        rows.ns[each] = pack_column(columns.ns[each]);
        rows.exposed_ns[each] = pack_column(columns.exposed_ns[each]);
      }
    }
  }

  // Of each group some calls over the whole capture; without sequence numbers also all calls of
  // some iterations, which can then be matched by time. All ranks take the same ones.
  void fill_clock(RankPart& part) const {
    const bool have_sequences = calls_.matching == SummaryRules::Matching::sequence;
    const auto& calls = calls_.calls;
    for (std::size_t begin = 0; begin < calls.size();) {
      std::size_t end = begin;
      while (end < calls.size() && calls[end].group == calls[begin].group) ++end;
      std::set<std::size_t> taken;
      const auto take = [&](std::size_t most, int64_t places) {
        std::vector<std::pair<uint64_t, std::size_t>> hashes;
        for (std::size_t i = begin; i < end; ++i) {
          hashes.emplace_back(hash_of(calls[i].group, calls[i].place / places), i);
        }
        std::ranges::sort(hashes);
        std::size_t count = std::min(most, hashes.size());
        const auto is_divided = [&] {
          return count > 0 && count < hashes.size() &&
                 hashes[count].first == hashes[count - 1].first;
        };
        while (is_divided()) --count;
        for (std::size_t i = 0; i < count; ++i) taken.insert(hashes[i].second);
      };
      take(kMostSamples, 1);
      if (!have_sequences) take(kMostTimed, kPlacesOfIteration);
      for (const std::size_t at : taken) part.clock.push_back(sample_of(calls[at], have_sequences));
      begin = end;
    }
    std::ranges::sort(part.clock);
  }

  static ClockSample sample_of(const RankCall& call, bool has_sequence) {
    ClockSample sample;
    sample.group = call.group;
    sample.place = call.place;
    sample.start_ns = call.start_ns;
    sample.stop_ns = call.stop_ns;
    if (has_sequence) return sample;
    sample.collective = call.collective;
    sample.bytes = call.bytes;
    sample.exposed_ns = call.exposed_ns;
    return sample;
  }

  // Of the kinds of ops that launch kernels in most iterations, or of the kernels where ops launch
  // less than half of them. Without counts, which depend on the data, and kernels of ops, which
  // cuDNN may choose by measuring: ranks that do the same would differ by them.
  void fill_work(RankHead& head) const {
    std::map<std::string, int64_t> by_op, by_kernel;
    int64_t of_ops = 0, of_all = 0;
    for (const auto& [key, sum] : summary_.kernels) {
      by_kernel[key.name] += sum.gpu.count;
      of_all += sum.gpu.count;
      if (key.op.type.empty()) continue;
      by_op[key.op.type + ' ' + key.op.direction] += sum.gpu.count;
      of_ops += sum.gpu.count;
    }
    base::Fnv1a hash;
    for (const auto& [name, count] : 2 * of_ops >= of_all ? by_op : by_kernel) {
      if (2 * count >= range_.size()) hash.add(name);
    }
    head.work_signature = hash.value();
    head.launches_per_1000 = of_all * 1000 / std::max<int64_t>(range_.size(), 1);
  }

  void fill_head(RankHead& head) const {
    const RankIdentity& identity = input_.identity;
    head.rank = *identity.rank;
    head.world_size = identity.world_size;
    head.source = identity.source;
    head.contradictions = identity.contradictions;
    head.host = identity.host;
    head.gpus = static_cast<int64_t>(identity.devices.size());
    if (!identity.devices.empty()) {
      const profile::Device& device = profile_.devices[identity.devices.front()];
      head.gpu_name = device.name;
      head.first_device = device.device_id;
    }
    head.format = profile_.source.format;
    head.file = input_.file;
    head.process_id = identity.process_id;
    head.checksum = checksum_of(profile_);
    if (profile_.trace) {
      head.utc_start_ns = profile_.trace->utc_start_ns;
      head.system_start_ns = profile_.trace->capture.system_start_ns;
    }
    fill_work(head);
    for (const profile::NotRecorded& each : profile_.not_recorded) {
      head.not_recorded.push_back(each.what);
    }
  }

  const RankInput& input_;
  const Profile& profile_;
  const Aggregation aggregation_;
  const IterationRange range_;
  const std::vector<int64_t> numbers_;
  const RankCalls calls_;
  RunSummary summary_;
};

}  // namespace

std::vector<int64_t> iteration_numbers(const aggregate::Iterations& iterations,
                                       const IterationRange& range) {
  bool are_numbered = !iterations.ranges.empty();
  for (std::size_t i = 0; i < iterations.ranges.size(); ++i) {
    const int64_t number = iterations.ranges[i].number;
    are_numbered =
        are_numbered && number >= 0 && (i == 0 || iterations.ranges[i - 1].number < number);
  }
  std::vector<int64_t> numbers;
  for (int64_t i = range.first; i <= range.last; ++i) {
    numbers.push_back(are_numbered ? iterations.ranges[static_cast<std::size_t>(i)].number : i);
  }
  return numbers;
}

RunSummary summarize(const RankInput& input) {
  return Summarizer(input).summarize();
}

}  // namespace dlview::ranks
