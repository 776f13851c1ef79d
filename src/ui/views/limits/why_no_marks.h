// What the roofline says where marks or roofs are missing.
#pragma once

#include <string>

#include "report/limits/roofline.h"
#include "ui/views/limits/limit_data.h"

namespace dlview::ui {

// Why the roofline has no marks, with what to do about it; empty if it has some.
struct WhyNoMarks {
  std::string text;
  std::string command;  // to be copied; empty = none
  bool operator==(const WhyNoMarks&) const = default;
};
WhyNoMarks why_no_marks(const LimitData& data, const report::Roofline& plot);
// "Peaks of "GPU" are unknown. ..." where rows have work; empty if they are known.
std::string why_no_roofs(const LimitData& data, const report::Roofline& plot);

}  // namespace dlview::ui
