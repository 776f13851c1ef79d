#include "ui/views/timeline/colours.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ui/hues.h"

namespace dlview::ui {
namespace {

using timeline::EventKind;
using timeline::EventRef;

// A fold of a few short events in a long time must be seen too.
constexpr float kFaintestFold = 0.4f;
constexpr std::string_view kBackward = "bprop";

Colour colour_of_sync(const Palette& palette) {
  return mix(palette.tone(Tone::cpu), palette.background, 0.4f);
}
Colour colour_of_op(const Palette& palette, bool is_backward) {
  return mix(palette.outside, is_backward ? palette.tone(Tone::io) : palette.accent, 0.5f);
}
Colour colour_of_group(const Palette& palette) {
  return mix(palette.outside, palette.accent, 0.25f);
}
Colour colour_of_others(const Palette& palette) {
  return mix(palette.outside, palette.text, 0.2f);
}

Tone tone_of_kernel(const timeline::Lanes& lanes, profile::Row kernel) {
  if (!lanes.communicates.empty() && lanes.communicates[kernel] != 0) return Tone::communication;
  return lanes.events.profile().kernels.uses_tensor_cores[kernel] != 0 ? Tone::tensor_core_kernels
                                                                       : Tone::other_kernels;
}

bool has_groups(const timeline::Lanes& lanes) {
  return !lanes.events.groups().empty();
}

bool has_ranges(const timeline::Lanes& lanes) {
  return std::ranges::any_of(lanes.groups, [](const timeline::LaneGroup& group) {
    return std::ranges::any_of(group.lanes, [](const timeline::Lane& lane) {
      return lane.kind == timeline::LaneKind::ranges;
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
  return has_ranges(lanes) || has_more(profile.kernels, instances.first_kernel) ||
         has_more(profile.memory_ops, instances.first_memory_op) ||
         has_more(profile.syncs, instances.first_sync) ||
         has_more(profile.api_calls, instances.first_api_call);
}

}  // namespace

Colour EventColours::of(EventRef event) const {
  return ops_ == nullptr ? by_category(event) : by_op(event);
}

Colour EventColours::by_op(EventRef event) const {
  if (event.kind == EventKind::group) return colour_of_group(palette_);
  const profile::Profile& profile = lanes_.events.profile();
  const profile::Row instance = instance_of(profile, event);
  if (instance == profile::kNoRow) return colour_of_others(palette_);
  const uint8_t hue = ops_->of_op(profile.instances.op[instance]);
  return hue == timeline::OpColours::kOther ? colour_of_others(palette_) : hues(theme_)[hue];
}

Colour EventColours::by_category(EventRef event) const {
  const profile::Profile& profile = lanes_.events.profile();
  switch (event.kind) {
    case EventKind::kernel:
      return palette_.tone(tone_of_kernel(lanes_, event.row));
    case EventKind::memory_op:
      return palette_.tone(Tone::memory);
    case EventKind::launch:
    case EventKind::memory_call:
    case EventKind::api_call:
      return palette_.tone(Tone::cpu);
    case EventKind::sync:
      return colour_of_sync(palette_);
    case EventKind::op: {
      const profile::Row op = profile.instances.op[event.row];
      if (profile.text(profile.ops.type[op]) == aggregate::kDataLoaderOpType) {
        return palette_.tone(Tone::data_loader);
      }
      return colour_of_op(palette_, profile.text(profile.ops.direction[op]) == kBackward);
    }
    case EventKind::group:
      return colour_of_group(palette_);
    case EventKind::user_range:
    case EventKind::nvtx:
      return palette_.tone(Tone::io);
  }
  return palette_.outside;
}

EventColours::Legend EventColours::legend_of_categories() const {
  Legend legend{{{"Tensor Core kernels", palette_.tone(Tone::tensor_core_kernels)},
                 {"Other kernels", palette_.tone(Tone::other_kernels)}}};
  const auto add = [&](std::string label, Colour colour) {
    legend.entries.push_back({std::move(label), colour});
  };
  if (!lanes_.communicates.empty()) add("Communication", palette_.tone(Tone::communication));
  add("Memory", palette_.tone(Tone::memory));
  add("CUDA API", palette_.tone(Tone::cpu));
  add("Synchronization", colour_of_sync(palette_));
  add("Ops", colour_of_op(palette_, false));
  add("Backward", colour_of_op(palette_, true));
  add("Data loader", palette_.tone(Tone::data_loader));
  if (has_groups(lanes_)) add("Groups of ops", colour_of_group(palette_));
  if (has_ranges(lanes_)) add("NVTX", palette_.tone(Tone::io));
  return legend;
}

EventColours::Legend EventColours::legend() const {
  if (ops_ == nullptr) return legend_of_categories();
  const bool has_kernels = lanes_.events.profile().kernels.size() > 0;
  Legend legend{{},
                ops_->has_others() || has_events_of_no_op(lanes_),
                has_kernels ? "Kernel time in the whole run, a plain sum"
                            : "CPU time in the whole run, a plain sum"};
  for (const timeline::OpColours::Entry& entry : ops_->entries()) {
    legend.entries.push_back({entry.name, hues(theme_)[entry.hue], entry.time_ns});
  }
  if (has_groups(lanes_)) legend.entries.push_back({"groups of ops", colour_of_group(palette_)});
  if (legend.has_others) legend.entries.push_back({"other", colour_of_others(palette_)});
  return legend;
}

Colour colour_of_fold(Colour colour, Colour background, float share) {
  return mix(background, colour,
             kFaintestFold + (1 - kFaintestFold) * std::clamp(share, 0.0f, 1.0f));
}

}  // namespace dlview::ui
