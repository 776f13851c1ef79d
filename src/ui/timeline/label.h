// What stands in the box of an event. Pure; widths come from the caller.
#pragma once

#include <string>
#include <string_view>

#include "ui/text.h"

namespace dlview::ui::timeline {

// The name, as far as there is room. Whatever the kind of event, names begin with what they share
// ("cudaMemcpyAsync", "Warm-up Step 5", "cub::DeviceReduce::Sum") and end in what tells them apart,
// so they are cut in the middle. What PyTorch adds to the name of a range, ", op_id = 314292", says
// least and is given up first, with a mark where there is room for it.
std::string label_of(std::string_view name, float room, const MeasureText& measure);

}  // namespace dlview::ui::timeline
