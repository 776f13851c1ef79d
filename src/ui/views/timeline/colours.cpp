#include "ui/views/timeline/colours.h"

#include <algorithm>

namespace dlview::ui {
namespace {

using timeline::EventKind;
using timeline::EventRef;

// A fold of a few short events in a long time must be seen too.
constexpr float kFaintestFold = 0.4f;

Tone tone_of_kernel(const timeline::Lanes& lanes, profile::Row kernel) {
  if (!lanes.communicates.empty() && lanes.communicates[kernel] != 0) return Tone::communication;
  return lanes.events.profile().kernels.uses_tensor_cores[kernel] != 0 ? Tone::tensor_core_kernels
                                                                       : Tone::other_kernels;
}

Colour colour_of_op(const Palette& palette, const profile::Profile& profile, profile::Row row) {
  const profile::Row op = profile.instances.op[row];
  if (profile.text(profile.ops.type[op]) == aggregate::kDataLoaderOpType) {
    return palette.tone(Tone::data_loader);
  }
  const bool is_backward = profile.text(profile.ops.direction[op]) == "bprop";
  return mix(palette.outside, is_backward ? palette.tone(Tone::io) : palette.accent, 0.5f);
}

}  // namespace

Colour colour_of(const Palette& palette, const timeline::Lanes& lanes, EventRef event) {
  switch (event.kind) {
    case EventKind::kernel:
      return palette.tone(tone_of_kernel(lanes, event.row));
    case EventKind::memory_op:
      return palette.tone(Tone::memory);
    case EventKind::launch:
    case EventKind::memory_call:
    case EventKind::api_call:
      return palette.tone(Tone::cpu);
    case EventKind::sync:
      return mix(palette.tone(Tone::cpu), palette.background, 0.4f);
    case EventKind::op:
      return colour_of_op(palette, lanes.events.profile(), event.row);
    case EventKind::group:
      return mix(palette.outside, palette.accent, 0.25f);
    case EventKind::user_range:
    case EventKind::nvtx:
      return palette.tone(Tone::io);
  }
  return palette.outside;
}

Colour colour_of_fold(Colour colour, Colour background, float share) {
  return mix(background, colour,
             kFaintestFold + (1 - kFaintestFold) * std::clamp(share, 0.0f, 1.0f));
}

}  // namespace dlview::ui
