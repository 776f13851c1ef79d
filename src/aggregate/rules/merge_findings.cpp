#include "aggregate/rules/merge_findings.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace dlview::aggregate {
namespace {

constexpr int64_t kRoundingShare = 50;
constexpr std::string_view kHardlyUsed = "gpu_hardly_used";

// It speaks of all the time of its fact.
bool is_general(const Finding& finding) {
  return finding.advice.detector == "gpu_idle" || finding.advice.detector == kHardlyUsed;
}

bool says_more(const Finding& a, const Finding& b) {
  if (is_general(a) != is_general(b)) return is_general(a);
  return a.stake_ns.value_or(0) > b.stake_ns.value_or(0);
}

// Advice that takes a GPU for granted which is busy with kernels.
bool advises_on_kernels(const Finding& finding) {
  constexpr std::array<std::string_view, 11> kDetectors{"amp_detector",
                                                        "batch_size_detector",
                                                        "cudnn_benchmark_detector",
                                                        "fp32_gemm_headroom",
                                                        "gpu_time_util",
                                                        "low_occupancy",
                                                        "no_fusion_detector",
                                                        "tail_waves",
                                                        "unaligned_sizes",
                                                        "underutilized_gpu_detector",
                                                        "unfused_elementwise"};
  return std::ranges::find(kDetectors, finding.advice.detector) != kDetectors.end();
}

// What could save more than all the time of the general finding speaks of other time, too.
void move_larger(std::optional<int64_t> general_ns, std::vector<Finding>& same,
                 std::vector<Finding>& result) {
  if (!general_ns) return;
  const int64_t most_ns = *general_ns + *general_ns / kRoundingShare;
  const auto is_larger = [&](const Finding& finding) {
    return finding.savings && finding.stake_ns.value_or(0) > most_ns;
  };
  std::ranges::copy_if(same, std::back_inserter(result), is_larger);
  std::erase_if(same, is_larger);
}

// Names what the host did instead of launching work.
bool names_calls(const Finding& finding) {
  constexpr std::array<std::string_view, 8> kDetectors{
      "scalar_reads",     "cuda_api_sync",    "cuda_memcpy_async",    "cuda_memcpy_async_to_host",
      "cuda_memcpy_sync", "cuda_memset_sync", "blocking_allocations", "launch_bound"};
  return std::ranges::find(kDetectors, finding.advice.detector) != kDetectors.end();
}

// The part that explains at least half of the time says what to do about it, and where.
void take_advice_of_parts(Finding& general) {
  const auto cause = std::ranges::find_if(general.parts, names_calls);
  if (cause == general.parts.end() || !cause->stake_ns || !general.stake_ns) return;
  if (2 * *cause->stake_ns < *general.stake_ns) return;
  general.advice.recommendation = cause->advice.recommendation;
  general.places = cause->places;
  general.op = cause->op;
  general.op_percent = cause->op_percent;
  general.thread = cause->thread;
}

Finding merged(std::vector<Finding> same) {
  std::ranges::stable_sort(same, says_more);
  Finding first = std::move(same.front());
  first.parts.assign(std::make_move_iterator(same.begin() + 1),
                     std::make_move_iterator(same.end()));
  if (is_general(first)) take_advice_of_parts(first);
  return first;
}

}  // namespace

std::vector<Finding> merge_findings(std::vector<Finding> findings) {
  const bool is_hardly_used = std::ranges::any_of(
      findings, [](const Finding& finding) { return finding.advice.detector == kHardlyUsed; });
  if (is_hardly_used) std::erase_if(findings, advises_on_kernels);
  std::vector<Finding> result;
  for (const Fact fact : {Fact::gpu_idle, Fact::communication, Fact::tensor_cores}) {
    std::vector<Finding> same;
    for (Finding& finding : findings) {
      if (finding.fact == fact) same.push_back(std::move(finding));
    }
    std::erase_if(findings, [fact](const Finding& finding) { return finding.fact == fact; });
    if (same.empty()) continue;
    const auto general = std::ranges::find_if(same, is_general);
    if (general != same.end()) move_larger(general->stake_ns, same, result);
    result.push_back(merged(std::move(same)));
  }
  std::ranges::move(findings, std::back_inserter(result));
  std::ranges::stable_sort(result, [](const Finding& a, const Finding& b) {
    const bool is_first = a.advice.detector == kHardlyUsed,
               is_other_first = b.advice.detector == kHardlyUsed;
    if (is_first != is_other_first) return is_first;
    return a.stake_ns.value_or(0) > b.stake_ns.value_or(0);
  });
  return result;
}

}  // namespace dlview::aggregate
