#include "aggregate/limits/launch_facts.h"

#include <algorithm>

#include <fmt/format.h>

#include "aggregate/limits/gemm_tiles.h"
#include "base/units.h"
#include "profile/communication.h"
#include "profile/kernel_patterns.h"
#include "profile/launch_attributes.h"
#include "profile/launch_sizes.h"

namespace dlview::aggregate {
namespace {

using profile::DeviceIndex;
using profile::KernelIndex;
using profile::kNoText;
using profile::Row;

// Beyond five waves the last one costs less.
constexpr double kLeastTailPercent = 10;
// Calls of fewer FLOP do not reach the best rate whatever their sizes.
constexpr double kLeastFlopsOfAdvice = 1e8;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Elementwise and normalization kernels by name, where no shapes say what an op is.
bool is_pointwise_name(std::string_view name) {
  if (has(name, "triton_") || has(name, "multi_tensor_apply")) return false;
  for (const std::string_view part :
       {"elementwise_kernel", "elementwise<", "layer_norm", "LayerNorm", "batch_norm", "bn_fw",
        "bn_bw", "softmax", "dropout", "CatArrayBatchedCopy"}) {
    if (has(name, part)) return true;
  }
  return false;
}

bool divides_among_blocks_freely(std::string_view name) {
  for (const std::string_view part :
       {"splitk", "splitK", "split_k", "stream_k", "streamk", "persistent"}) {
    if (has(name, part)) return true;
  }
  return false;
}

}  // namespace

std::size_t LaunchFactsFinder::HashOfKey::operator()(const Key& key) const {
  constexpr uint64_t kOddFactor = 0x9e3779b97f4a7c15;
  uint64_t hash = key.group;
  for (const uint64_t part : {uint64_t{key.name}, uint64_t{key.launch}}) {
    hash = (hash ^ part) * kOddFactor;
    hash ^= hash >> 32;
  }
  return hash;
}

std::string_view LaunchFactsFinder::long_name(KernelIndex kernel) const {
  const std::string_view name = profile_.text(profile_.kernels.long_name[kernel]);
  return name.empty() ? profile_.text(profile_.kernels.name[kernel]) : name;
}

const LaunchFacts& LaunchFactsFinder::facts_of(KernelIndex kernel) {
  const Key key{work_.group_of_kernel()[kernel], profile_.kernels.name[kernel],
                Row{profile_.kernels.launch[kernel]}};
  const auto [place, is_new] = facts_.try_emplace(key);
  if (is_new) place->second = make_facts(kernel);
  return place->second;
}

LaunchFacts LaunchFactsFinder::make_facts(KernelIndex kernel) const {
  LaunchFacts facts;
  const std::string_view name = long_name(kernel);
  const WorkGroup& group = work_.group_of(kernel);
  const OpWork& work = work_.works()[group.work];
  facts.family = family_of(kernel, name, work.kind);
  if (work.bytes) facts.size = static_cast<double>(*work.bytes);
  const bool has_size = profile::has_launch_size(profile_, kernel);
  const profile::Dim3 grid = profile_.launches.grid[profile_.kernels.launch[kernel]],
                      block = profile_.launches.block[profile_.kernels.launch[kernel]];
  if (facts.size == 0 && has_size) {
    facts.size = static_cast<double>(grid.x) * grid.y * grid.z * block.x * block.y * block.z;
  }
  if (facts.family == Family::communication) return facts;
  if (facts.family == Family::product) find_best(kernel, group, work, facts);
  const std::optional<Residency> residency = residency_of(profile_, kernel);
  if (has_size) find_tail(kernel, name, group, work, grid, residency, facts);
  if (has_size) find_occupancy(kernel, grid, residency, facts);
  return facts;
}

LaunchFacts::Family LaunchFactsFinder::family_of(KernelIndex kernel, std::string_view name,
                                                 WorkKind kind) const {
  if (profile::communication_of(name) ||
      profile::communication_of(profile_.text(profile_.kernels.name[kernel]))) {
    return Family::communication;
  }
  switch (kind) {
    case WorkKind::gemm:
    case WorkKind::convolution:
      return Family::product;
    case WorkKind::attention:
      return Family::attention;
    case WorkKind::elementwise:
    case WorkKind::normalization:
    case WorkKind::softmax:
    case WorkKind::copy:
      return Family::pointwise;
    case WorkKind::unknown:
      break;
    case WorkKind::pooling:
    case WorkKind::reduction:
    case WorkKind::gather:
    case WorkKind::optimizer:
      return Family::other;
  }
  if (profile_.kernels.uses_tensor_cores[kernel] != 0 || profile::is_product_on_cuda_cores(name) ||
      has(name, "gemm")) {
    return Family::product;
  }
  if (has(name, "flash") || has(name, "fmha") || has(name, "attention")) return Family::attention;
  return is_pointwise_name(name) ? Family::pointwise : Family::other;
}

// Of a call at this rate, else at the peak of the type; bytes take their time, too.
std::optional<double> LaunchFactsFinder::best_time_ns(DeviceIndex device, const OpWork& work,
                                                      MathType type,
                                                      const std::optional<double>& rate) const {
  const GpuPeaks& peaks = index_.peaks(device);
  const auto& peak = peaks.of(type);
  if (!rate && !peak) return std::nullopt;
  const double math_ns = static_cast<double>(*work.flops) / (rate ? *rate : peak->per_second);
  const double memory_ns = peaks.bandwidth && work.bytes
                               ? static_cast<double>(*work.bytes) / peaks.bandwidth->per_second
                               : 0;
  return 1e9 * std::max(math_ns, memory_ns);
}

void LaunchFactsFinder::find_best(KernelIndex kernel, const WorkGroup& group, const OpWork& work,
                                  LaunchFacts& facts) const {
  const DeviceIndex device = profile_.device_of_kernel(kernel);
  const std::string_view data_type = group.data_type;
  const auto target = tensor_type(data_type);
  if (!target || !has_tensor_cores(profile_.devices[device], *target)) return;
  if (!work.flops || static_cast<double>(*work.flops) < kLeastFlopsOfAdvice) return;
  const std::optional<double>& rate = rates_[static_cast<std::size_t>(*target)];
  const auto best_ns = best_time_ns(device, work, *target, rate);
  if (!best_ns) return;
  facts.uses_measured_rate = rate.has_value();
  if (!group.uses_tensor_cores && *target == MathType::tf32_tensor) {
    facts.tensor_best_ns = *best_ns;
  }
  // The word in the kernel's name is the proof; padded sizes have a kernel for aligned ones.
  const auto needed = needed_multiple(data_type);
  if (!work.gemm || !needed || *target == MathType::tf32_tensor) return;
  const auto alignment = alignment_of(long_name(kernel));
  const std::string sizes = unaligned_sizes(*work.gemm, data_type);
  if (sizes.empty() || (alignment && *alignment >= *needed)) return;
  // Its own rate is none to compare with.
  facts.aligned_best_ns =
      best_time_ns(device, work, *target, aligned_rates_[static_cast<std::size_t>(*target)]);
  if (!facts.aligned_best_ns) return;
  facts.is_unaligned = true;
  facts.unaligned = fmt::format("{}: not a multiple of {}{}", sizes, *needed,
                                alignment ? fmt::format("; kernel aligned to {}", *alignment)
                                : !group.uses_tensor_cores ? "; no Tensor Cores in use"
                                                           : "");
}

void LaunchFactsFinder::find_tail(KernelIndex kernel, std::string_view name, const WorkGroup& group,
                                  const OpWork& work, const profile::Dim3& grid,
                                  const std::optional<Residency>& residency,
                                  LaunchFacts& facts) const {
  if (facts.family != Family::product && facts.family != Family::attention) return;
  if (divides_among_blocks_freely(name)) return;
  const int64_t sms = profile_.devices[profile_.device_of_kernel(kernel)].sm_count;
  const int64_t blocks = blocks_of(grid);
  if (blocks == sms) return;  // as many blocks as SMs: a persistent kernel
  const int64_t per_sm = residency ? residency->blocks_per_sm : 1;
  const std::optional<GridWaves> waves = grid_waves(blocks, sms, per_sm);
  if (!waves) return;
  std::string tile;
  if (work.gemm && group.kernel != kNoText) {
    const auto tiling = tiling_of(name, *work.gemm, grid, sms, static_cast<double>(per_sm));
    if (tiling) tile = fmt::format(", tiles of {}x{}", tiling->tile.m, tiling->tile.n);
  }
  if (waves->last_percent >= options_.last_wave_percent) return;
  if (waves->lost_percent < kLeastTailPercent) return;
  facts.tail_percent = waves->lost_percent;
  facts.tail_text = fmt::format(
      "{} blocks{} on {} SMs{}: {:.2f} waves, the last {} full", base::format_count(blocks), tile,
      sms,
      residency ? fmt::format(", {} per SM at a time", std::min(per_sm, (blocks + sms - 1) / sms))
                : ", assuming one per SM",
      waves->waves, base::format_percent(waves->last_percent));
}

void LaunchFactsFinder::find_occupancy(KernelIndex kernel, const profile::Dim3& grid,
                                       const std::optional<Residency>& residency,
                                       LaunchFacts& facts) const {
  // GEMMs and attention run with few warps by design: registers and shared memory hide latency.
  if (facts.family == Family::product || facts.family == Family::attention) return;
  if (profile_.kernels.uses_tensor_cores[kernel] != 0) return;
  std::optional<double> percent;
  std::string_view limit;
  bool is_measured = false;
  const CounterJoin& join = index_.join();
  if (!join.set_of_kernel.empty() && join.set_of_kernel[kernel] != CounterJoin::kNoSet) {
    const auto launches = join.launches_of(join.set_of_kernel[kernel]);
    const CounterFacts& counted = index_.counter_facts()[launches.front()];
    percent = counted.theoretical_occupancy_percent;
    limit = counted.occupancy_limit;
    is_measured = percent.has_value();
  }
  if (!percent && residency) {
    percent = residency->occupancy_percent;
    limit = residency->limit;
  }
  if (!percent || limit.empty() || *percent >= options_.occupancy_percent) return;
  // Too few blocks for one wave: the grid is the limit, not the kernel.
  const int64_t sms = profile_.devices[profile_.device_of_kernel(kernel)].sm_count;
  const int64_t per_sm = residency ? residency->blocks_per_sm : 1;
  if (blocks_of(grid) < sms * per_sm) return;
  const profile::LaunchAttributes launch = profile::launch_attributes(profile_, kernel);
  facts.occupancy = percent;
  facts.occupancy_text =
      fmt::format("Occupancy at most {}{}, limited by {}{}", base::format_percent(*percent),
                  is_measured ? " (Nsight Compute)" : "", limit,
                  limit == "registers" && launch.registers_per_thread
                      ? fmt::format(" ({} per thread)", *launch.registers_per_thread)
                  : limit == "shared memory" && launch.shared_bytes
                      ? fmt::format(" ({} per block)", base::format_bytes(*launch.shared_bytes))
                      : "");
}

}  // namespace dlview::aggregate
