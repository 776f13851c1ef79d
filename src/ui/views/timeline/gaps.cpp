#include "ui/views/timeline/gaps.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/views/tables/looks.h"
#include "ui/views/tables/row_places.h"

namespace dlview::ui {
namespace {

constexpr float kBandOpacity = 0.16f;
constexpr float kBracketTip = 5;

// From the top of the GPU's busy times to the bottom of its last stream.
struct GpuRows {
  Box busy;
  float bottom = 0;
};

std::optional<GpuRows> rows_of_gpu(const timeline::Lanes& lanes, const TimelineLayout& layout,
                                   const TimelinePlot& plot, profile::DeviceIndex device) {
  std::optional<GpuRows> found;
  for (const TimelineRow& row : layout.rows) {
    if (lanes.groups[row.group].device != device) continue;
    const Box box = plot.row_box(row);
    if (row.kind == TimelineRowKind::busy) found = GpuRows{box, box.bottom};
    if (!row.is_heading() && found) found->bottom = box.bottom;
  }
  return found;
}

// Tips at both ends, a bar between them.
void draw_bracket(const Frame& frame, const Box& box) {
  const Color color = frame.palette().attention;
  const float line = frame.px(2), tip = frame.px(kBracketTip);
  fill({box.left, box.top, box.right, box.top + line}, color);
  fill({box.left, box.top, box.left + line, box.top + tip}, color);
  fill({box.right - line, box.top, box.right, box.top + tip}, color);
}

TableLook panel_look(const profile::Profile& profile) {
  TableLook look = gaps_look(profile);
  look.id = "timeline_gaps";
  look.note = "in the range · select a row to show it above";
  look.prompt = "Finding idle gaps…";
  return look;
}

}  // namespace

std::optional<IdleGap> gap_of(const timeline::Request& request) {
  if (!request.is_gap || !request.stretch || !request.device) return std::nullopt;
  return IdleGap{*request.stretch, *request.device};
}

void draw_gap(Frame& frame, const timeline::Lanes& lanes, const TimelineLayout& layout,
              const TimelinePlot& plot, const IdleGap& gap) {
  const auto rows = rows_of_gpu(lanes, layout, plot, gap.device);
  if (!rows) return;
  const float left = plot.x_of(gap.time.start_ns);
  const Box bracket{left, rows->busy.top, std::max(left + 1, plot.x_of(gap.time.stop_ns())),
                    rows->busy.bottom};
  fill({bracket.left, bracket.top, bracket.right, rows->bottom},
       with_opacity(frame.palette().attention, kBandOpacity));
  draw_bracket(frame, bracket);
  frame.inspector.record_item("timeline/gap",
                              item_rect({bracket.left, bracket.top, bracket.right, rows->bottom}));
  const Box visible{std::max(bracket.left, plot.box.left), bracket.top,
                    std::min(bracket.right, plot.box.right), bracket.bottom};
  const std::string label = fmt::format("idle {}", base::format_duration(gap.time.length_ns));
  const ImFont* font = frame.fonts().small;
  if (text_width(font, label) + 2 * frame.px(kBracketTip) > visible.width()) return;
  draw_text_in(font, visible, frame.palette().text, label, true);
}

void GapsPanel::begin(std::optional<int64_t> device_id) {
  wanted_gpu_ = device_id ? std::to_string(*device_id) : "";
}

std::optional<timeline::Request> GapsPanel::draw(Frame& frame, const Box& box, Tables& tables) {
  if (!table_) table_.emplace(panel_look(*frame.model.profile));
  if (wanted_gpu_) {
    tables.focused = table_->model().look().id;
    table_->model().set_filter("device_id", *std::exchange(wanted_gpu_, std::nullopt));
  }
  const std::shared_ptr<const TableData> data = data_.get(frame.model, tables.background);
  table_->draw(frame, box, data, tables);
  // Enter in a table is for the next one, of which there is none here: it shows the gap again.
  const bool is_entered = tables.command == TableCommand::next;
  if (is_entered) tables.command.reset();
  const bool is_other = shown_ != table_->model().selected();
  shown_ = table_->model().selected();
  const auto row = table_->model().selected_row();
  const auto place = data && row ? place_of_gap(*data, *row) : std::nullopt;
  selected_ = place ? gap_of(*place) : std::nullopt;
  return is_other || is_entered ? place : std::nullopt;
}

}  // namespace dlview::ui
