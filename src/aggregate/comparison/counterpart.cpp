#include "aggregate/comparison/counterpart.h"

#include <algorithm>

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;

// -1 = in none.
int64_t iteration_with(const Iterations& iterations, InstanceIndex instance) {
  const auto after = std::ranges::upper_bound(
      iterations.rows, Row{instance}, {},
      [](const Iteration& iteration) { return Row{iteration.first_instance}; });
  const int64_t number = after - iterations.rows.begin() - 1;
  const bool is_inside =
      number >= 0 && instance < iterations.rows[static_cast<std::size_t>(number)].last_instance;
  return is_inside ? number : -1;
}

// How many instances of its op are before it in the iteration.
int64_t number_of(const Profile& profile, const Iteration& iteration, InstanceIndex instance) {
  int64_t number = 0;
  for (InstanceIndex i = iteration.first_instance; i < instance; ++i) {
    if (profile.instances.op[i] == profile.instances.op[instance]) ++number;
  }
  return number;
}

std::optional<InstanceIndex> with_number(const Profile& profile, const Iteration& iteration,
                                         OpIndex op, int64_t number) {
  for (InstanceIndex i = iteration.first_instance; i < iteration.last_instance; ++i) {
    if (profile.instances.op[i] == op && number-- == 0) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<InstanceIndex> counterpart(const RunPair& runs, const RunDirection& direction,
                                         InstanceIndex instance) {
  const ComparedRun& from = direction.is_from_before ? runs.before() : runs.after();
  const ComparedRun& to = direction.is_from_before ? runs.after() : runs.before();
  const Iterations &own = from.table->iterations, &others = to.table->iterations;
  const int64_t iteration = iteration_with(own, instance);
  const int64_t other = iteration - direction.from + direction.to;
  if (iteration < 0 || other < 0 || other >= static_cast<int64_t>(others.rows.size())) {
    return std::nullopt;
  }
  const OpIndex op = from.profile->instances.op[instance];
  const OpMatch* const match =
      direction.is_from_before ? runs.matching().of_before(op) : runs.matching().of_after(op);
  if (match == nullptr) return std::nullopt;
  return with_number(
      *to.profile, others.rows[static_cast<std::size_t>(other)],
      direction.is_from_before ? match->after : match->before,
      number_of(*from.profile, own.rows[static_cast<std::size_t>(iteration)], instance));
}

std::optional<KernelIndex> counterpart(const RunPair& runs, const RunDirection& direction,
                                       KernelIndex kernel) {
  const Profile& from = direction.is_from_before ? *runs.before().profile : *runs.after().profile;
  const Profile& to = direction.is_from_before ? *runs.after().profile : *runs.before().profile;
  const auto key_in = [&](bool is_before, profile::StringId name) {
    return is_before ? runs.keys().before(name) : runs.keys().after(name);
  };
  const InstanceIndex instance = from.kernels.instance[kernel];
  const auto other = counterpart(runs, direction, instance);
  if (!other) return std::nullopt;
  const uint32_t key = key_in(direction.is_from_before, from.kernels.name[kernel]);
  int64_t number = 0;
  for (KernelIndex k = from.instances.first_kernel[instance]; k < kernel; ++k) {
    if (key_in(direction.is_from_before, from.kernels.name[k]) == key) ++number;
  }
  const KernelIndex first = to.instances.first_kernel[*other],
                    last = to.instances.first_kernel[InstanceIndex(Row{*other} + 1)];
  for (KernelIndex k = first; k < last; ++k) {
    if (key_in(!direction.is_from_before, to.kernels.name[k]) == key && number-- == 0) return k;
  }
  return std::nullopt;
}

}  // namespace dlview::aggregate
