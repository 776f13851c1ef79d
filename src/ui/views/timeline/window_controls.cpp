#include "ui/views/timeline/window_controls.h"

#include <algorithm>
#include <cmath>

namespace dlview::ui {
namespace {

using timeline::Command;
using timeline::Navigator;

constexpr float kScrollStep = 60;
constexpr double kZoomStep = 0.8;
constexpr double kKeyZoom = 0.6;
constexpr int64_t kPanParts = 6;  // a key or a line of the wheel pans a sixth of the window

// Of the pointer; beside the plot the middle of the window.
int64_t pointed_at(const Navigator& navigator, const TimelinePlot& plot) {
  const timeline::TimeWindow& window = navigator.window();
  const float x = ImGui::GetIO().MousePos.x;
  const bool is_over = x >= plot.box.left && x < plot.box.right;
  return is_over ? plot.time_at(x) : window.start_ns + window.length_ns / 2;
}

}  // namespace

bool move_window(Navigator& navigator, Command command, double steps, const TimelinePlot& plot) {
  const double length = static_cast<double>(navigator.window().length_ns);
  const auto part = std::max<int64_t>(1, static_cast<int64_t>(length / kPanParts * steps));
  const double zoom = std::pow(kKeyZoom, steps);
  switch (command) {
    case Command::zoom_in:
      navigator.zoom(pointed_at(navigator, plot), zoom, Navigator::By::keys);
      return true;
    case Command::zoom_out:
      navigator.zoom(pointed_at(navigator, plot), 1 / zoom, Navigator::By::keys);
      return true;
    case Command::pan_left:
      navigator.pan(-part, Navigator::By::keys);
      return true;
    case Command::pan_right:
      navigator.pan(part, Navigator::By::keys);
      return true;
    case Command::whole_run:
      navigator.jump(navigator.whole());
      return true;
    case Command::back:
      navigator.back();
      return true;
    default:
      return false;
  }
}

float turn_wheel(const Frame& frame, const TimelinePlot& plot, bool can_scroll,
                 Navigator& navigator) {
  const ImGuiIO& io = ImGui::GetIO();
  const double length = static_cast<double>(navigator.window().length_ns);
  const float sideways = io.KeyShift && !io.KeyCtrl ? io.MouseWheel : io.MouseWheelH;
  if (sideways != 0) {
    const double by = length / kPanParts * static_cast<double>(-sideways);
    navigator.pan(static_cast<int64_t>(by), Navigator::By::wheel);
  } else if (io.MouseWheel != 0 && (io.KeyCtrl || !can_scroll)) {
    navigator.zoom(plot.time_at(io.MousePos.x),
                   std::pow(kZoomStep, static_cast<double>(io.MouseWheel)), Navigator::By::wheel);
  } else {
    return -io.MouseWheel * frame.px(kScrollStep);
  }
  return 0;
}

}  // namespace dlview::ui
