#include "aggregate/limits/headroom.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregate/limits/gemm_tiles.h"
#include "aggregate/limits/work_cells.h"
#include "profile/tensor_core_rules.h"

namespace dlview::aggregate {
namespace {

using profile::OpIndex;
using profile::Profile;

bool is_product(const OpWork& work) {
  return work.kind == WorkKind::gemm || work.kind == WorkKind::convolution;
}

// Sums over the calls of an op outside Tensor Cores.
struct OutsideSums {
  int64_t time_ns = 0;         // that Tensor Cores could do, or may
  int64_t unsupported_ns = 0;  // of data types without Tensor Cores on the GPU
  int64_t unknown_type_ns = 0, unknown_flop_ns = 0, without_rate_ns = 0, rated_ns = 0;
  double flops = 0, best_ns = 0;
  std::optional<double> rate;  // of most of rated_ns
  int64_t most_rated_ns = 0;
};

}  // namespace

std::optional<MathType> tensor_type(std::string_view data_type) {
  const auto type = math_type(data_type, true);
  if (!type) return std::nullopt;
  const bool is_tensor =
      *type != MathType::fp64 && *type != MathType::fp32 && *type != MathType::fp16;
  return is_tensor ? type : std::nullopt;
}

bool has_tensor_cores(const profile::Device& device, MathType type) {
  using Capability = profile::ComputeCapability;
  if (device.vendor != profile::Vendor::nvidia) return false;
  const Capability its = device.compute_capability().value_or(Capability{});
  switch (type) {
    case MathType::fp16_tensor:
      return its >= profile::kFirstTensorCores;
    case MathType::int8_tensor:
      return its >= Capability{7, 5};
    case MathType::tf32_tensor:
    case MathType::bf16_tensor:
      return its >= Capability{8, 0};
    case MathType::fp64_tensor:
      return its == Capability{8, 0} || its == Capability{9, 0};  // others have a token rate
    case MathType::fp8_tensor:
      return its >= Capability{8, 9};
    case MathType::fp64:
    case MathType::fp32:
    case MathType::fp32_tensor:
    case MathType::fp16:
      break;
  }
  return false;
}

std::string_view tensor_core_advice(const Profile& profile) {
  const auto all_have = [&profile](MathType type) {
    return std::ranges::all_of(profile.devices, [type](const profile::Device& device) {
      return has_tensor_cores(device, type);
    });
  };
  if (all_have(MathType::tf32_tensor)) {
    return "Allow TF32 (torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32), "
           "or run in FP16 or BF16 with AMP";
  }
  return all_have(MathType::fp16_tensor) ? "Run in FP16 with AMP" : "Run in half precision (AMP)";
}

BestRates best_tensor_rates(const Aggregation& aggregation, const LimitIndex& index,
                            RatedCalls calls) {
  const WorkIndex& work = index.work();
  std::array<std::vector<double>, kMathTypes> rates;
  const InstanceSpan range = instances_of(aggregation);
  const auto parts = work.parts();
  auto part = std::ranges::lower_bound(parts, range.first, {}, &WorkIndex::Part::instance);
  for (; part != parts.end() && part->instance < range.last; ++part) {
    const WorkGroup& group = work.groups()[part->group];
    const OpWork& its = work.works()[group.work];
    if (!group.uses_tensor_cores || !is_product(its) || part->kernel_ns <= 0) continue;
    const auto type = tensor_type(group.data_type);
    const auto flops = static_cast<double>(its.flops.value_or(0));
    if (!type || flops < kLeastFlopsOfRate) continue;
    const bool is_aligned = !its.gemm || unaligned_sizes(*its.gemm, group.data_type).empty();
    if (calls == RatedCalls::aligned && !is_aligned) continue;
    rates[static_cast<std::size_t>(*type)].push_back(flops * 1e9 /
                                                     static_cast<double>(part->kernel_ns));
  }
  BestRates best;
  for (std::size_t type = 0; type < rates.size(); ++type) {
    std::vector<double>& of_type = rates[type];
    if (of_type.empty()) continue;
    // Nearest rank: the smallest with at least this share of all at or below it.
    const auto rank = static_cast<std::size_t>(
                          std::ceil(kPercentileOfRate * static_cast<double>(of_type.size()))) -
                      1;
    std::ranges::nth_element(of_type, of_type.begin() + static_cast<std::ptrdiff_t>(rank));
    best[type] = of_type[rank];
  }
  return best;
}

std::vector<HeadroomRow> tensor_core_headroom(const Profile& profile, const Aggregation& selected,
                                              const LimitIndex& index) {
  const Aggregation& aggregation = selected.whole();
  const BestRates rates = best_tensor_rates(aggregation, index);
  const WorkIndex& work = index.work();
  const InstanceSpan range = instances_of(aggregation);
  std::vector<HeadroomRow> rows;
  for (const LimitRow& row : index.rows(aggregation, LimitsBy::op)) {
    if (row.op == profile::kNoRow) continue;
    const double bandwidth = row.peak_bandwidth != nullptr ? row.peak_bandwidth->per_second : 0;
    OutsideSums sums;
    const auto groups = work.groups();
    auto group = std::ranges::lower_bound(groups, row.op, {}, &WorkGroup::op);
    for (; group != groups.end() && group->op == row.op; ++group) {
      const OpWork& its = work.works()[group->work];
      if (group->uses_tensor_cores || !is_product(its)) continue;
      const WorkIndex::Sums counted =
          work.sums(static_cast<std::size_t>(group - groups.begin()), range.first, range.last);
      if (counted.kernel_ns == 0) continue;
      const auto target = tensor_type(group->data_type);
      if (target && row.device && !has_tensor_cores(profile.devices[*row.device], *target)) {
        sums.unsupported_ns += counted.kernel_ns;
        continue;
      }
      sums.time_ns += counted.kernel_ns;
      if (!target) sums.unknown_type_ns += counted.kernel_ns;
      if (target && !its.flops) sums.unknown_flop_ns += counted.kernel_ns;
      if (!target || !its.flops) continue;
      sums.flops += static_cast<double>(*its.flops) * static_cast<double>(counted.calls);
      const std::optional<double>& rate = rates[static_cast<std::size_t>(*target)];
      if (!rate) {
        sums.without_rate_ns += counted.kernel_ns;
        continue;
      }
      sums.rated_ns += counted.kernel_ns;
      if (counted.kernel_ns > sums.most_rated_ns) {
        sums.most_rated_ns = counted.kernel_ns;
        sums.rate = rate;
      }
      const double math_ns = static_cast<double>(*its.flops) / *rate * 1e9;
      const double memory_ns =
          bandwidth > 0 && its.bytes ? static_cast<double>(*its.bytes) / bandwidth * 1e9 : 0;
      sums.best_ns += std::max(math_ns, memory_ns) * static_cast<double>(counted.calls);
    }
    const bool is_eligible = profile.is_eligible(row.op) && row.tensor_core_ns == 0;
    if (sums.time_ns == 0 && (!is_eligible || sums.unsupported_ns > 0)) continue;
    HeadroomRow& result = rows.emplace_back();
    result.op = row.op;
    result.type = row.type;
    result.time_ns = sums.time_ns > 0 ? sums.time_ns : row.time_ns;
    const int64_t unknown_ns = sums.unknown_type_ns + sums.unknown_flop_ns;
    if (sums.time_ns == 0 || unknown_ns == sums.time_ns) {
      result.note = sums.unknown_type_ns > 0 ? "data type unknown, or not supported by Tensor Cores"
                                             : "FLOP unknown: no usable input shapes";
      continue;
    }
    if (unknown_ns == 0) result.flops = sums.flops;
    if (row.limit() == Limit::memory || row.by_intensity == Limit::memory) {
      result.best_rate = sums.rate;
      result.note = "memory-bound, no gain expected";
    } else if (sums.rated_ns == 0) {
      result.note = "no Tensor Core call of at least 1 GFLOP of this data type in the range";
    } else {
      result.best_rate = sums.rate;
      result.gain_ns = std::max(0.0, static_cast<double>(sums.rated_ns) - sums.best_ns);
      result.note = unknown_ns > 0             ? "FLOP unknown for some calls"
                    : sums.without_rate_ns > 0 ? "some calls have a data type without a rate"
                                               : "upper bound";
    }
  }
  std::ranges::stable_sort(rows, [](const HeadroomRow& a, const HeadroomRow& b) {
    if (a.gain_ns.has_value() != b.gain_ns.has_value()) return a.gain_ns.has_value();
    if (a.gain_ns && *a.gain_ns != *b.gain_ns) return *a.gain_ns > *b.gain_ns;
    return a.time_ns > b.time_ns;
  });
  return rows;
}

std::vector<OpHeadroom> op_headroom(const profile::Profile& profile, const Aggregation& aggregation,
                                    const LimitIndex& index) {
  std::vector<OpHeadroom> gains;
  for (const HeadroomRow& row : tensor_core_headroom(profile, aggregation, index)) {
    const auto gain_ns = static_cast<int64_t>(std::floor(row.gain_ns.value_or(0)));
    if (gain_ns > 0) gains.push_back({row.op, gain_ns});
  }
  return gains;
}

}  // namespace dlview::aggregate
