#include "ranks/collective_calls.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "aggregate/collectives.h"
#include "aggregate/instance_times.h"
#include "aggregate/iterations.h"
#include "aggregate/row_filter.h"
#include "base/intervals.h"
#include "base/stop_point.h"
#include "profile/recorded_work.h"

namespace dlview::ranks {
namespace {

using profile::Collective;
using profile::KernelIndex;
using profile::Profile;
using profile::Row;
using Matching = SummaryRules::Matching;

// Calls with one sequence number, as of coalesced ones, at most.
constexpr int64_t kPlacesOfSequence = int64_t{1} << 8U;

class CallReader {
 public:
  CallReader(const Profile& profile, const aggregate::Aggregation& aggregation,
             const std::vector<int64_t>& numbers, bool by_kernels)
      : profile_(profile),
        aggregation_(aggregation),
        numbers_(numbers),
        by_kernels_(by_kernels),
        filter_(profile, aggregation.selection.filters),
        communicates_(profile::communication_kernels(profile)) {}

  RankCalls read() {
    if (communicates_.empty()) return {};
    find_computation();
    find_kinds_of_names();
    read_recorded();
    read_kernels();
    choose_places();
    return std::move(result_);
  }

 private:
  bool is_communication(KernelIndex kernel) const { return communicates_[kernel] != 0; }

  void find_computation() {
    std::vector<std::vector<base::Interval>> times(profile_.devices.size());
    for (KernelIndex kernel{0}; kernel < profile_.kernels.size(); ++kernel) {
      if (is_communication(kernel)) continue;
      times[profile_.device_of_kernel(kernel)].push_back(
          {profile_.kernels.gpu_start_ns[kernel], profile_.kernels.gpu_stop_ns[kernel]});
    }
    base::stop_point();
    for (std::vector<base::Interval>& of_device : times) {
      computation_.push_back(base::IntervalSet::union_of(std::move(of_device)));
    }
  }

  // Calls that the profiler recorded, by row of the trace.
  void read_recorded() {
    if (!aggregate::has_collectives(profile_)) return;
    for (aggregate::CollectiveCall& call : aggregate::collective_calls(profile_, aggregation_)) {
      recorded_.emplace(call.row, std::move(call));
    }
  }

  const aggregate::CollectiveCall* recorded_call(KernelIndex kernel) const {
    if (!profile_.trace || recorded_.empty()) return nullptr;
    const profile::RecordedWork work = profile::recorded_kernel(profile_, kernel);
    if (work.row >= work.table.collective.size()) return nullptr;
    const auto found = recorded_.find(work.table.collective[work.row]);
    return found == recorded_.end() ? nullptr : &found->second;
  }

  // By the op that launched it; `other` = by none.
  Collective collective_of_op(KernelIndex kernel) const {
    const profile::InstanceIndex instance = profile_.kernels.instance[kernel];
    if (instance >= profile_.instances.size()) return Collective::other;
    std::string_view name = profile_.text(profile_.ops.name[profile_.instances.op[instance]]);
    name.remove_prefix(name.rfind('/') + 1);
    const Collective collective = profile::collective_named(name);
    return collective == Collective::wait ? Collective::other : collective;
  }

  // What kernels of each name do where an op tells it; `other` = different things. NCCL's SendRecv
  // is an AllToAll if PyTorch calls it so.
  void find_kinds_of_names() {
    for (KernelIndex kernel{0}; kernel < profile_.kernels.size(); ++kernel) {
      if (!is_communication(kernel)) continue;
      const Collective collective = collective_of_op(kernel);
      if (collective == Collective::other) continue;
      const auto [known, is_new] =
          kind_of_name_.try_emplace(profile_.kernels.name[kernel], collective);
      if (!is_new && known->second != collective) known->second = Collective::other;
    }
  }

  // By the recorded call, the op that launched it, that of other kernels of its name, or the name.
  Collective collective_of(KernelIndex kernel, const aggregate::CollectiveCall* call) const {
    if (call != nullptr && call->collective != Collective::other) return call->collective;
    const Collective of_op = collective_of_op(kernel);
    if (of_op != Collective::other) return of_op;
    const auto alike = kind_of_name_.find(profile_.kernels.name[kernel]);
    if (alike != kind_of_name_.end() && alike->second != Collective::other) return alike->second;
    return collective_of_name(kernel);
  }

  Collective collective_of_name(KernelIndex kernel) const {
    for (const profile::StringId name :
         {profile_.kernels.name[kernel], profile_.kernels.long_name[kernel]}) {
      const auto known = profile::communication_of(profile_.text(name));
      if (known) return known->collective;
    }
    return Collective::other;
  }

  void read_kernels() {
    const auto& rows = aggregation_.iteration_table->iterations.rows;
    const aggregate::IterationRange range = aggregation_.selection.range;
    for (int64_t i = range.first; i <= range.last; ++i) {
      const auto place = static_cast<std::size_t>(i - range.first);
      const aggregate::KernelRows kernels =
          aggregate::kernels_of(profile_, rows[static_cast<std::size_t>(i)]);
      std::vector<KernelIndex> of_iteration;
      for (KernelIndex kernel = kernels.first; kernel < kernels.last; ++kernel) {
        if (is_communication(kernel) && filter_.counts_kernel(kernel)) {
          of_iteration.push_back(kernel);
        }
      }
      std::ranges::sort(of_iteration, {}, [&](KernelIndex kernel) {
        return std::pair(profile_.kernels.gpu_start_ns[kernel], Row{kernel});
      });
      for (const KernelIndex kernel : of_iteration) add(kernel, place);
    }
  }

  void add(KernelIndex kernel, std::size_t iteration) {
    const aggregate::CollectiveCall* const call = recorded_call(kernel);
    RankCall one;
    one.collective = collective_of(kernel, call);
    if (!is_synchronizing(one.collective)) return;
    one.iteration = iteration;
    one.kernel = kernel;
    one.start_ns = profile_.kernels.gpu_start_ns[kernel];
    one.stop_ns = profile_.kernels.gpu_stop_ns[kernel];
    one.exposed_ns = one.duration_ns() - computation_[profile_.device_of_kernel(kernel)].covered_ns(
                                             one.start_ns, one.stop_ns);
    if (call != nullptr) {
      one.bytes = call->bytes;
      one.group_size = call->group_size;
    }
    sources_.push_back({call, sequence_of(call)});
    result_.calls.push_back(std::move(one));
  }

  int64_t sequence_of(const aggregate::CollectiveCall* call) const {
    const auto& column = profile_.trace ? profile_.trace->collectives.sequence
                                        : profile::TraceCollectives().sequence;
    if (call == nullptr || call->row >= column.size()) return -1;
    return column[call->row];
  }

  std::string group_of(const RankCall& call, const aggregate::CollectiveCall* recorded) const {
    if (result_.matching == Matching::kernel_place) {
      return std::string(profile::to_text(call.collective));
    }
    std::string group = aggregate::group_text(profile_, *recorded);
    const profile::StringId ranks = profile_.trace->collectives.group_ranks.empty()
                                        ? profile::kNoText
                                        : profile_.trace->collectives.group_ranks[recorded->row];
    if (ranks != profile::kNoText) group += " " + std::string(profile_.text(ranks));
    return group;
  }

  // The first rule that all calls have what it needs for.
  void choose_places() {
    const bool have_groups =
        !sources_.empty() && !by_kernels_ &&
        std::ranges::all_of(sources_, [&](const Source& source) {
          return source.call != nullptr && !aggregate::group_text(profile_, *source.call).empty();
        });
    const bool have_sequences =
        have_groups && std::ranges::all_of(sources_, [](const Source& source) {
          return source.sequence >= 0 && source.sequence < INT64_MAX / kPlacesOfSequence;
        });
    result_.matching = sources_.empty() ? Matching::none
                       : have_sequences ? Matching::sequence
                       : have_groups    ? Matching::group_place
                                        : Matching::kernel_place;
    // How many there are before, by group and sequence number or iteration.
    std::map<std::pair<std::string, int64_t>, int64_t> before;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      RankCall& call = result_.calls[i];
      call.group = group_of(call, sources_[i].call);
      const int64_t number = have_sequences ? sources_[i].sequence : numbers_[call.iteration];
      const int64_t room = have_sequences ? kPlacesOfSequence : kPlacesOfIteration;
      call.place = number * room + std::min(before[{call.group, number}]++, room - 1);
      GroupFacts& facts = result_.groups[call.group];
      facts.size = std::max(facts.size, call.group_size);
      if (result_.matching == Matching::kernel_place) {
        facts.collective = call.collective;
      } else if (facts.description.empty()) {
        facts.description = aggregate::group_description(profile_, *sources_[i].call);
      }
    }
    std::ranges::sort(result_.calls, {}, [](const RankCall& call) {
      return std::tuple(std::string_view(call.group), call.place, Row{call.kernel});
    });
  }

  struct Source {
    const aggregate::CollectiveCall* call = nullptr;
    int64_t sequence = -1;
  };

  const Profile& profile_;
  const aggregate::Aggregation& aggregation_;
  const std::vector<int64_t>& numbers_;
  bool by_kernels_;
  const aggregate::RowFilter filter_;
  const std::vector<uint8_t> communicates_;
  std::vector<base::IntervalSet> computation_;  // by device
  std::map<profile::StringId, Collective> kind_of_name_;
  std::map<profile::CollectiveIndex, aggregate::CollectiveCall> recorded_;
  std::vector<Source> sources_;  // of the calls, in the order of time
  RankCalls result_;
};

}  // namespace

bool is_synchronizing(Collective collective) {
  switch (collective) {
    case Collective::all_reduce:
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_to_all:
    case Collective::barrier:
      return true;
    default:
      return false;
  }
}

RankCalls rank_calls(const Profile& profile, const aggregate::Aggregation& aggregation,
                     const std::vector<int64_t>& numbers, bool by_kernels) {
  return CallReader(profile, aggregation, numbers, by_kernels).read();
}

}  // namespace dlview::ranks
