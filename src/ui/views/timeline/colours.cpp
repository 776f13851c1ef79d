#include "ui/views/timeline/colours.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace dlview::ui {
namespace {

using timeline::Category;
using timeline::OpColours;

// A fold of a few short events in a long time must be seen too.
constexpr float kFaintestFold = 0.4f;

Colour colour_of_others(const Palette& palette) {
  return mix(palette.outside, palette.text, 0.2f);
}

Colour colour_of(const Palette& palette, Category category) {
  switch (category) {
    case Category::tensor_core_kernel:
      return palette.tone(Tone::tensor_core_kernels);
    case Category::other_kernel:
      return palette.tone(Tone::other_kernels);
    case Category::communication:
      return palette.tone(Tone::communication);
    case Category::memory:
      return palette.tone(Tone::memory);
    case Category::call:
      return palette.tone(Tone::cpu);
    case Category::sync:
      return mix(palette.tone(Tone::cpu), palette.background, 0.4f);
    case Category::op:
      return mix(palette.outside, palette.accent, 0.5f);
    case Category::backward_op:
      return mix(palette.outside, palette.tone(Tone::io), 0.5f);
    case Category::data_loader:
      return palette.tone(Tone::data_loader);
    case Category::group:
      return mix(palette.outside, palette.accent, 0.25f);
    case Category::range:
      return palette.tone(Tone::io);
    case Category::os_call:
      return mix(palette.outside, palette.text, 0.35f);
    case Category::running:
      return mix(palette.outside, palette.text, 0.55f);
  }
  return palette.outside;
}

bool has(const timeline::Lanes& lanes, Category category) {
  return std::ranges::any_of(lanes.groups, [category](const timeline::LaneGroup& group) {
    return std::ranges::any_of(group.lanes, [category](const timeline::Lane& lane) {
      return std::ranges::any_of(
          lane.lines, [category](const timeline::Line& line) { return line.has(category); });
    });
  });
}

// Ranges, and work without an op, which stands behind all other work.
bool has_events_of_no_op(const timeline::Lanes& lanes) {
  const profile::Profile& profile = lanes.events.profile();
  const profile::OpInstances& instances = profile.instances;
  const auto has_more = [](const auto& table, const profile::Column<profile::Row>& first) {
    return table.size() > 0 && (first.size() == 0 || first[first.size() - 1] < table.size());
  };
  return has(lanes, Category::range) || has(lanes, Category::os_call) ||
         has(lanes, Category::running) || has_more(profile.kernels, instances.first_kernel) ||
         has_more(profile.memory_ops, instances.first_memory_op) ||
         has_more(profile.syncs, instances.first_sync) ||
         has_more(profile.api_calls, instances.first_api_call);
}

}  // namespace

EventColours::EventColours(const Frame& frame, const timeline::Lanes& lanes,
                           const timeline::OpColours* ops)
    : lanes_(lanes), ops_(ops) {
  const Palette& palette = frame.palette();
  if (ops_ == nullptr) {
    for (std::size_t i = 0; i < timeline::kCategoryCount; ++i) {
      colours_[i] = colour_of(palette, static_cast<Category>(i));
    }
    return;
  }
  std::ranges::copy(hues(frame.model.theme), colours_.begin());
  colours_[OpColours::kGroup] = colour_of(palette, Category::group);
  colours_[OpColours::kOther] = colour_of_others(palette);
}

EventColours::Legend EventColours::legend_of_categories() const {
  Legend legend;
  const auto add = [&](std::string label, Category category) {
    if (has(lanes_, category)) legend.entries.push_back({std::move(label), of(category)});
  };
  add("Tensor Core kernels", Category::tensor_core_kernel);
  add("Other kernels", Category::other_kernel);
  add("Communication", Category::communication);
  add("Memory", Category::memory);
  add("CUDA API", Category::call);
  add("Synchronization", Category::sync);
  add("Ops", Category::op);
  add("Backward", Category::backward_op);
  add("Data loader", Category::data_loader);
  add("Groups of ops", Category::group);
  add("NVTX", Category::range);
  add("OS calls", Category::os_call);
  add("On a CPU", Category::running);
  return legend;
}

EventColours::Legend EventColours::legend() const {
  if (ops_ == nullptr) return legend_of_categories();
  const bool has_kernels = lanes_.events.profile().kernels.size() > 0;
  Legend legend{{},
                ops_->has_others() || has_events_of_no_op(lanes_),
                has_kernels ? "Kernel time in the whole run, a plain sum"
                            : "CPU time in the whole run, a plain sum"};
  for (const OpColours::Entry& entry : ops_->entries()) {
    legend.entries.push_back({entry.name, colour(entry.hue), entry.time_ns});
  }
  if (has(lanes_, Category::group))
    legend.entries.push_back({"groups of ops", colour(OpColours::kGroup)});
  if (legend.has_others) legend.entries.push_back({"other", colour(OpColours::kOther)});
  return legend;
}

Colour colour_of_fold(Colour colour, Colour background, float share) {
  return mix(background, colour,
             kFaintestFold + (1 - kFaintestFold) * std::clamp(share, 0.0f, 1.0f));
}

}  // namespace dlview::ui
