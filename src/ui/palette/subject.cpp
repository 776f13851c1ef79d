#include "ui/palette/subject.h"

#include <algorithm>

#include <fmt/format.h>

#include "aggregate/find_op.h"
#include "base/units.h"
#include "ui/chart/iteration_marker.h"
#include "ui/explanations.h"
#include "ui/widgets/controls.h"

namespace dlview::ui {
namespace {

using Fact = SubjectCard::Fact;

constexpr std::size_t kMaxPartners = 6;

struct Partner {
  std::string name;
  int64_t gpu_ns = 0, launches = 0;
};

std::vector<Fact> partner_facts(std::vector<Partner> partners) {
  std::ranges::stable_sort(partners, std::ranges::greater(), &Partner::gpu_ns);
  if (partners.size() > kMaxPartners) partners.resize(kMaxPartners);
  std::vector<Fact> facts;
  for (Partner& partner : partners) {
    facts.push_back(
        {std::move(partner.name), fmt::format("{} · {} ×", base::format_duration(partner.gpu_ns),
                                              base::format_count(partner.launches))});
  }
  return facts;
}

// As the first kernel of that name in the run uses them.
std::string use_of_tensor_cores(const profile::Profile& profile, profile::StringId name,
                                bool counted) {
  const auto& names = profile.kernels.name;
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return counted ? "used" : "not used";
  const profile::KernelIndex first(static_cast<profile::Row>(found - names.begin()));
  return tensor_core_text(profile, counted, first);
}

SubjectCard prepare_op(const profile::Profile& profile, const aggregate::Aggregation& aggregation,
                       const aggregate::UnknownTensorCoreUse* unknown, profile::OpIndex row) {
  SubjectCard card;
  card.kind = "Op";
  card.name = std::string(profile.text(profile.ops.name[row]));
  card.facts = {{"Op ID", std::string(profile.text(profile.ops.id[row]))},
                {"Type", std::string(profile.text(profile.ops.type[row]))}};
  card.key_op = std::string(profile.text(profile.ops.id[row]));
  const aggregate::OpAggregate* op = aggregate::find_op(aggregation, row);
  if (op == nullptr) {
    card.facts.push_back({"In the range", "not used"});
    return card;
  }
  card.facts.push_back({"Calls in the range", base::format_count(op->times.count())});
  card.facts.push_back({"GPU time (union)", base::format_duration(op->times.gpu.sum)});
  card.facts.push_back({"CPU time", base::format_duration(op->times.cpu.sum)});
  card.facts.push_back({"Tensor Cores", tensor_core_text(profile, row, op, unknown)});
  std::vector<Partner> kernels;
  for (const aggregate::KernelAggregate& kernel : aggregation.kernels) {
    if (kernel.op != row) continue;
    kernels.push_back({std::string(profile.text(kernel.name)), kernel.gpu.sum, kernel.gpu.count});
  }
  card.partners_title = kernels.empty() ? "" : "Kernels in the range (sum, launches)";
  card.partners = partner_facts(std::move(kernels));
  return card;
}

SubjectCard prepare_kernel(const profile::Profile& profile,
                           const aggregate::Aggregation& aggregation, profile::StringId name) {
  SubjectCard card;
  card.kind = "Kernel";
  card.name = std::string(profile.text(name));
  Partner total;
  bool uses_tensor_cores = false;
  std::vector<Partner> ops;
  for (const aggregate::KernelAggregate& kernel : aggregation.kernels) {
    if (kernel.name != name) continue;
    total.gpu_ns += kernel.gpu.sum;
    total.launches += kernel.gpu.count;
    uses_tensor_cores = uses_tensor_cores || kernel.uses_tensor_cores;
    ops.push_back(
        {std::string(profile.text(profile.ops.name[kernel.op])), kernel.gpu.sum, kernel.gpu.count});
  }
  if (total.launches == 0) {
    card.facts = {{"In the range", "not used"}};
    return card;
  }
  card.facts = {{"Launches in the range", base::format_count(total.launches)},
                {"GPU time (sum)", base::format_duration(total.gpu_ns)},
                {"Tensor Cores", use_of_tensor_cores(profile, name, uses_tensor_cores)}};
  card.partners_title = "Launched by (sum, launches)";
  card.partners = partner_facts(std::move(ops));
  return card;
}

float draw_facts(Frame& frame, const Area& area, const std::vector<Fact>& facts, bool names) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  float y = area.top;
  for (const Fact& fact : facts) {
    const float value_width = text_width(fonts.text, fact.value);
    const ImFont* font = names ? fonts.mono : fonts.text;
    draw_text_cut(frame, font, area.left, y, area.width - value_width - frame.px(16),
                  names ? colors.text : colors.dim, fact.title, CutAt::middle);
    draw_text_right(fonts.text, area.right(), y, colors.text, fact.value);
    y += line_height(fonts.text) + frame.px(6);
  }
  return y;
}

}  // namespace

SubjectCard prepare_subject(const profile::Profile& profile,
                            const aggregate::Aggregation& aggregation,
                            const aggregate::UnknownTensorCoreUse* unknown,
                            const JumpTarget& target) {
  return target.kind == JumpKind::kernel ? prepare_kernel(profile, aggregation, target.kernel)
                                         : prepare_op(profile, aggregation, unknown, target.op);
}

bool draw_subject(Frame& frame, OverlayCard& card, const SubjectCard& subject) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  Area area = card.draw_heading(subject.kind);
  frame.inspector.record_value("subject/name", subject.name);
  float y = draw_wrapped(fonts.mono, area, colors.text, subject.name) + frame.px(12);
  y = draw_facts(frame, area.below(y), subject.facts, false) + frame.px(8);
  if (!subject.partners.empty()) {
    draw_text(fonts.small, area.left, y, colors.dim, subject.partners_title);
    y += line_height(fonts.small) + frame.px(6);
    y = draw_facts(frame, area.below(y), subject.partners, true);
  }
  const float top = card.box().bottom - frame.px(kControlHeight + 14);
  float x = area.left;
  const bool stays = !draw_button(frame, "subject/back", x, top, "Back");
  x += button_width(frame, "Back") + frame.px(8);
  if (draw_button(frame, "subject/copy", x, top, "Copy name")) {
    frame.host.copy_text(subject.name);
  }
  x += button_width(frame, "Copy name") + frame.px(8);
  if (!subject.key_op.empty() && draw_button(frame, "subject/key_op", x, top, "Split at this op")) {
    frame.host.select(split_at(subject.key_op, frame.model.selection));
    frame.host.show_overlay(Overlay::none);
  }
  return stays;
}

}  // namespace dlview::ui
