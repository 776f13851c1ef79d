// What stands in the boxes of the Timeline's events.
#pragma once

#include <string>
#include <string_view>

#include "ui/text.h"

namespace dlview::ui {

// What stands in the box of an event: its name, as far as there is room. Names begin with what they
// share ("cudaMemcpyAsync", "Warm-up Step 5", "cub::DeviceReduce::Sum") and end in what tells them
// apart, so they are cut in the middle. What PyTorch adds to the name of a range, ", op_id =
// 314292", says least and is given up first, with a mark where there is room for it.
std::string event_label(std::string_view name, float room, const MeasureText& measure);
// What stands in the box of a Python frame: "forward · linear.py:114", else "forward", cut where
// that has no room.
std::string frame_label(std::string_view name, float room, const MeasureText& measure);
// What stands in the box of a memory operation: "H2D 3.2 MiB", else "H2D", else nothing.
std::string size_label(std::string_view size_text, float room, const MeasureText& measure);

}  // namespace dlview::ui
