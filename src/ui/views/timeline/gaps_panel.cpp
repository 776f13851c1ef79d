#include "ui/views/timeline/gaps_panel.h"

#include <utility>

#include "ui/views/tables/looks.h"
#include "ui/views/tables/row_places.h"

namespace dlview::ui {
namespace {

TableLook panel_look(const profile::Profile& profile) {
  TableLook look = gaps_look(profile);
  look.id = "timeline_gaps";
  look.note = "in the iterations of the range; select one to see it above";
  look.prompt = "The gaps are being looked for, beside the window.";
  return look;
}

}  // namespace

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
