// The seven categories of the breakdown, and communication beside them: what they are called and
// how they look.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/breakdown.h"
#include "aggregate/communication.h"
#include "aggregate/exclusive/parts.h"
#include "ui/widgets/canvas.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {

// What the seven categories of the breakdown are called, on screen and in inspector names.

std::string category_label(aggregate::Category category);  // "Data loader"
std::string category_id(aggregate::Category category);     // "data_loader"

// The color of a part of exclusive time.
Tone tone_of(aggregate::StackPart part);

// Communication beside the seven categories: what its two parts are called and how they look.

struct CommunicationPart {
  std::string_view label;  // "Exposed communication"
  int64_t ns = 0;
};
// Takes exposed communication, which then has a row of its own, from the kernels that it is a part
// of: the other kernels. A file may call its kernels Tensor Core kernels; then from these.
aggregate::Breakdown without_exposed(aggregate::Breakdown parts, int64_t exposed_ns);

// Exposed, then overlapped.
std::array<CommunicationPart, 2> communication_parts(const aggregate::CommunicationTime& time);

// Of the parts in their order: the full tone, then a pale one.
std::array<Color, 2> communication_colors(const Palette& palette);

// For a tooltip, with the shares of `whole_ns`.
std::vector<TooltipRow> communication_rows(const aggregate::CommunicationTime& time,
                                           int64_t whole_ns, const Palette& palette);

}  // namespace dlview::ui
