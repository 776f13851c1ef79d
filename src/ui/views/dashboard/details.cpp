#include "ui/views/dashboard/details.h"

#include <algorithm>

#include <fmt/format.h>

#include "aggregate/advice.h"
#include "aggregate/findings.h"
#include "aggregate/kernels_by_name.h"
#include "base/units.h"
#include "ui/views/dashboard/op_card.h"

namespace dlview::ui {
namespace {

KernelDetailsRow details_row(std::string id, std::string label, std::string metric, int64_t gpu_ns,
                             int64_t names, Colour swatch) {
  return {std::move(id),
          std::move(label),
          base::format_duration(gpu_ns),
          base::format_ns(gpu_ns),
          fmt::format("{} {}", base::format_count(names), names == 1 ? "name" : "names"),
          std::move(metric),
          swatch};
}

TopKernelRow kernel_row(const profile::Profile& profile, const aggregate::NamedKernels& kernels,
                        const aggregate::UnknownTensorCoreUse* unknown) {
  const bool is_unknown = unknown != nullptr && unknown->is_of_name(kernels.name);
  return {std::string(profile.text(kernels.name)), base::format_count(kernels.launches),
          base::format_duration(kernels.gpu_ns), base::format_ns(kernels.gpu_ns),
          kernels.uses_tensor_cores ? Mark::yes
          : is_unknown              ? Mark::unknown
                                    : Mark::no};
}

EligibleOpRow eligible_row(const profile::Profile& profile, const aggregate::OpAggregate& op,
                           std::string why) {
  const std::string_view direction = profile.text(profile.ops.direction[op.op]);
  if (!direction.empty()) why = fmt::format("{} · {}", direction, why);
  return {op.op,
          std::string(profile.text(profile.ops.id[op.op])),
          std::string(profile.text(profile.ops.name[op.op])),
          std::string(profile.text(profile.ops.data_type[op.op])),
          base::format_duration(op.times.gpu.sum),
          base::format_ns(op.times.gpu.sum),
          std::move(why)};
}

// Why the kernel is none of Tensor Cores, as far as the numbers that it works on tell.
std::string_view reason_of(std::string_view data_type) {
  if (data_type == aggregate::kBadDataType) return "full precision · ";
  const bool is_half = data_type == "float16" || data_type == "bfloat16";
  return is_half ? "half precision, but on CUDA cores · " : "";
}

std::string largest_kernel(const profile::Profile& profile,
                           const aggregate::Aggregation& aggregation,
                           const aggregate::OpAggregate& op) {
  const OpCard card = prepare_op_card(profile, aggregation, op.op);
  if (card.kernels.empty()) return "no kernel in this range";
  return fmt::format("{}{} {}", reason_of(profile.text(profile.ops.data_type[op.op])),
                     card.kernels[0].name, card.kernels[0].launches);
}

}  // namespace

std::vector<KernelDetailsRow> prepare_kernel_details(const aggregate::Aggregation& aggregation,
                                                     const Palette& palette) {
  const auto& kernels = aggregation.all_kernels;
  const auto& memory = aggregation.memory;
  return {
      details_row("all", "All kernels and memory", "kernel_gpu_time",
                  kernels.gpu_ns + memory.gpu_ns, kernels.count + memory.count, 0),
      details_row("tensor_core_kernels", "Using Tensor Cores", "kernel_gpu_time_tensor_core",
                  aggregation.tensor_core_kernels.gpu_ns, aggregation.tensor_core_kernels.count,
                  palette.tone(Tone::tensor_core_kernels)),
      details_row("memory", "Memory", "kernel_gpu_time_memory", memory.gpu_ns, memory.count,
                  palette.tone(Tone::memory)),
      details_row("other_kernels", "All other kernels", "kernel_gpu_time_other",
                  aggregation.other_kernels.gpu_ns, aggregation.other_kernels.count,
                  palette.tone(Tone::other_kernels)),
  };
}

std::vector<TopKernelRow> prepare_top_kernels(const profile::Profile& profile,
                                              const aggregate::Aggregation& aggregation,
                                              const aggregate::UnknownTensorCoreUse* unknown,
                                              std::size_t most) {
  std::vector<TopKernelRow> rows;
  for (const aggregate::NamedKernels& kernels : aggregate::kernels_by_name(aggregation)) {
    if (rows.size() == most) break;
    rows.push_back(kernel_row(profile, kernels, unknown));
  }
  return rows;
}

MissedKernels prepare_missed_kernels(const profile::Profile& profile,
                                     const aggregate::Aggregation& aggregation,
                                     const aggregate::UnknownTensorCoreUse* unknown,
                                     std::size_t most) {
  MissedKernels missed;
  int64_t total_ns = 0, count = 0;
  for (const aggregate::NamedKernels& kernels :
       aggregate::kernels_without_tensor_cores(profile, aggregation)) {
    if (missed.rows.size() < most) missed.rows.push_back(kernel_row(profile, kernels, unknown));
    total_ns += kernels.gpu_ns;
    ++count;
  }
  const int64_t left_out = count - std::ssize(missed.rows);
  if (left_out > 0) missed.more = fmt::format("and {} more", base::format_count(left_out));
  missed.total = fmt::format("{} in {} {}", base::format_duration(total_ns),
                             base::format_count(count), count == 1 ? "kernel" : "kernels");
  return missed;
}

std::vector<EligibleOpRow> prepare_eligible_ops(const profile::Profile& profile,
                                                const aggregate::Aggregation& aggregation) {
  std::vector<EligibleOpRow> rows;
  for (const aggregate::OpAggregate* op :
       aggregate::ops_without_tensor_cores(profile, aggregation)) {
    rows.push_back(eligible_row(profile, *op, largest_kernel(profile, aggregation, *op)));
  }
  for (const aggregate::OpAggregate& op : aggregation.ops) {
    const bool full_precision =
        profile.text(profile.ops.data_type[op.op]) == aggregate::kBadDataType;
    if (!profile.is_eligible(op.op) || !op.uses_tensor_cores() || !full_precision) continue;
    rows.push_back(eligible_row(profile, op, "uses Tensor Cores, but not in half precision"));
  }
  return rows;
}

}  // namespace dlview::ui
