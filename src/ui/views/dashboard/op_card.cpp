#include "ui/views/dashboard/op_card.h"

#include <algorithm>

#include <fmt/format.h>

#include "aggregate/find_op.h"
#include "base/units.h"
#include "ui/data_quality.h"
#include "ui/widgets/canvas.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kKernelNameWidth = 300;

std::vector<const aggregate::KernelAggregate*> kernels_of(const aggregate::Aggregation& aggregation,
                                                          profile::Row op) {
  std::vector<const aggregate::KernelAggregate*> kernels;
  const auto& all = aggregation.kernels;
  auto kernel = std::lower_bound(
      all.begin(), all.end(), op,
      [](const aggregate::KernelAggregate& a, profile::Row b) { return a.op < b; });
  for (; kernel != all.end() && kernel->op == op; ++kernel) kernels.push_back(&*kernel);
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const auto* a, const auto* b) { return a->gpu.sum > b->gpu.sum; });
  return kernels;
}

std::string verdict_on(const profile::Profile& profile, const aggregate::OpAggregate& op) {
  if (op.uses_tensor_cores()) {
    return fmt::format("{} of {} kernels use Tensor Cores",
                       base::format_count(op.tensor_core_kernels),
                       base::format_count(op.kernel_gpu.count));
  }
  if (!profile::tells_of(profile, profile::Evidence::gpu_work)) {
    return lack_text(profile, profile::Evidence::gpu_work);
  }
  if (!profile::tells_eligibility(profile, op.op)) {
    return "Whether Tensor Cores could do its work is unknown: it is no op of a framework";
  }
  if (!profile.is_eligible(op.op)) return "This type of op cannot use Tensor Cores";
  return "Eligible for Tensor Cores, but no kernel uses them";
}

}  // namespace

OpCard prepare_op_card(const profile::Profile& profile, const aggregate::Aggregation& aggregation,
                       profile::Row op) {
  OpCard card;
  card.name = profile.text(profile.ops.name[op]);
  const aggregate::OpAggregate* numbers = aggregate::find_op(aggregation, op);
  if (numbers == nullptr) return card;
  for (const profile::StringId part :
       {profile.ops.type[op], profile.ops.direction[op], profile.ops.data_type[op]}) {
    const std::string_view text = profile.text(part);
    if (!text.empty()) card.facts += fmt::format("{} · ", text);
  }
  const int64_t calls = numbers->times.count();
  card.facts += fmt::format("{} {}", base::format_count(calls), calls == 1 ? "call" : "calls");
  card.verdict = verdict_on(profile, *numbers);
  const auto kernels = kernels_of(aggregation, op);
  for (std::size_t i = 0; i < std::min(kernels.size(), kMostKernels); ++i) {
    const aggregate::KernelAggregate& kernel = *kernels[i];
    card.kernels.push_back({std::string(profile.text(kernel.name)),
                            "× " + base::format_count(kernel.gpu.count),
                            base::format_duration(kernel.gpu.sum), kernel.uses_tensor_cores});
  }
  if (kernels.size() > kMostKernels) {
    card.more = fmt::format("and {} more kernels", kernels.size() - kMostKernels);
  }
  return card;
}

void show_op_card(Frame& frame, profile::Row op) {
  const OpCard card = prepare_op_card(*frame.model.profile, *frame.model.aggregation, op);
  const auto measure = [font = frame.fonts().text](std::string_view part) {
    return text_width(font, part);
  };
  std::vector<TooltipRow> rows;
  for (const OpKernelRow& kernel : card.kernels) {
    const Tone tone = kernel.uses_tensor_cores ? Tone::tensor_core_kernels : Tone::other_kernels;
    rows.push_back({cut_text(kernel.name, frame.px(kKernelNameWidth), CutAt::middle, measure),
                    kernel.launches, kernel.gpu_time, frame.palette().tone(tone)});
  }
  frame.inspector.record_value("op_card/name", card.name);
  frame.inspector.record_value("op_card/facts", card.facts);
  show_text_tooltip(frame, {{TooltipStyle::name, card.name},
                            {TooltipStyle::note, card.facts},
                            {TooltipStyle::note, card.verdict}});
  show_rows_tooltip(frame, "", rows, card.more);
}

}  // namespace dlview::ui
