// Data quality: what was not recorded, in the status bar, in its list, and in place of a missing
// figure.
#pragma once

#include <string>
#include <string_view>

#include "profile/recorded.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// What the file does not tell, and rows that could not be used: a line in the status bar, and the
// list behind it.

// The line; a click on it opens the list above the view.
void draw_quality_summary(Frame& frame, const Box& box, std::string_view text);

// Needs an open profile; returns the bottom.
float draw_quality_list(Frame& frame, const Area& area);

// What stands where a figure would, when the profile tells nothing of it.

inline constexpr const char* kUnknown = "–";
// Below or in place of a value that is still being computed.
inline constexpr std::string_view kLateNote = "analyzing…";

// "GPU activity not recorded: nsys profile --trace=cuda,nvtx"; empty where it was recorded.
std::string lack_text(const profile::Profile& profile, profile::Evidence evidence);

}  // namespace dlview::ui
