#include "ui/views/timeline/sample_icicle.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "aggregate/gaps/gap_text.h"
#include "aggregate/host/function_names.h"
#include "base/units.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using profile::kNoText;
using profile::Profile;
using profile::StringId;

constexpr float kFunctionHeight = 18, kLeastFunctionWidth = 2, kLeastFunctionLabel = 24;
constexpr std::size_t kMostDepth = 24;

std::string file_name(std::string_view path) {
  return std::string(path.substr(path.find_last_of("/\\") + 1));
}

// "unknown function in libcuda.so.520", where the profiler found no symbol.
std::string full_name(const Profile& profile, const aggregate::SampleTree::Node& node) {
  if (node.function != kNoText) return std::string(profile.text(node.function));
  return node.module == kNoText ? "unknown function"
                                : "unknown function in " + file_name(profile.text(node.module));
}

std::string short_name(const Profile& profile, const aggregate::SampleTree::Node& node) {
  if (node.function != kNoText) {
    return aggregate::plain_function_name(profile.text(node.function));
  }
  return node.module == kNoText ? "unknown" : file_name(profile.text(node.module));
}

Color function_color(const Palette& palette, std::size_t depth) {
  return mix(palette.outside, palette.tone(Tone::cpu), depth % 2 == 0 ? 0.55f : 0.4f);
}

}  // namespace

SampleIcicle prepare_samples(const Profile& profile, const aggregate::HostRecord& record,
                             const profile::Thread& thread, const base::Interval& window) {
  SampleIcicle icicle;
  const aggregate::HostThread* const host = record.find(thread);
  if (host == nullptr) return icicle;
  const aggregate::SampleTree tree = aggregate::sample_tree(profile, record, *host, window);
  icicle.samples = tree.samples;
  icicle.thread = aggregate::thread_text(profile, host->id);
  int64_t next = 0;  // of those without a caller
  std::vector<int64_t> next_below(tree.nodes.size());
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const aggregate::SampleTree::Node& node = tree.nodes[i];
    int64_t& first = node.parent == aggregate::SampleTree::kNone ? next : next_below[node.parent];
    if (node.depth < kMostDepth) {
      icicle.functions.push_back(
          {short_name(profile, node), full_name(profile, node), node.depth, first, node.samples});
    }
    next_below[i] = first;
    first += node.samples;
  }
  return icicle;
}

float draw_samples(Frame& frame, const Area& area, const SampleIcicle& icicle) {
  if (icicle.samples == 0) return area.top;
  const ImFont* font = frame.fonts().text;
  const Palette& colors = frame.palette();
  const std::string count =
      fmt::format("{} of thread {}", base::format_count(icicle.samples), icicle.thread);
  const Area body = draw_heading(frame, area, {"CPU samples", "", count, ""});
  frame.inspector.record_value("timeline/details/samples", count);
  const float height = frame.px(kFunctionHeight);
  const float per_sample = body.width / static_cast<float>(icicle.samples);
  float bottom = body.top;
  for (const SampleIcicle::Function& function : icicle.functions) {
    const float left = body.left + static_cast<float>(function.first) * per_sample;
    const float width = static_cast<float>(function.samples) * per_sample;
    if (width < frame.px(kLeastFunctionWidth)) continue;
    const float top = body.top + static_cast<float>(function.depth) * height;
    const Box box{left, top, left + width - 1, top + height - 1};
    const Color color = function_color(colors, function.depth);
    fill(box, color);
    bottom = std::max(bottom, box.bottom);
    if (width >= frame.px(kLeastFunctionLabel)) {
      const auto measure = [font](std::string_view part) { return text_width(font, part); };
      draw_text_in(font, {box.left + frame.px(4), box.top, box.right, box.bottom}, text_on(color),
                   cut_text(function.name, width - frame.px(8), CutAt::front, measure));
    }
    if (hovered(box)) {
      const double share =
          100.0 * static_cast<double>(function.samples) / static_cast<double>(icicle.samples);
      show_text_tooltip(frame,
                        {{TooltipStyle::name, function.full_name},
                         {TooltipStyle::value,
                          fmt::format("{} of the samples: {} of {}", base::format_percent(share),
                                      base::format_count(function.samples),
                                      base::format_count(icicle.samples))}});
    }
  }
  return bottom;
}

}  // namespace dlview::ui
