// What all tables of the window share, and what is remembered of each.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ui/background.h"
#include "ui/model.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

// The list of reports of the CUDA summary, the chosen one being its selected row.
inline constexpr const char* kReportList = "cuda_summary";

// A row, and how it is found where it lies in the Timeline.
struct PlacedRow {
  std::shared_ptr<const TableData> data;
  std::size_t row = 0;
  PlaceOfRow place;
};

// The row that was selected last, in any table.
struct ChosenRow {
  std::string table, key;  // TableLook::id, and the text of its key
  std::weak_ptr<const profile::Profile> profile;
};

// What all tables of the window share.
struct Tables {
  explicit Tables(base::Scheduler& scheduler) : background(scheduler) {}

  Background background;
  std::string focused;                  // id of the table that has the keyboard
  bool shows_focus = false;             // its outline, from the first key to the next click
  std::optional<TableCommand> command;  // for that table, with its next frame
  // That table is to show its selected row in the Timeline, with its next frame.
  bool wants_timeline = false;
  std::optional<PlacedRow> in_timeline;  // what is to be shown there
  ChosenRow chosen;
  Digits digits = Digits::few;
  std::size_t rows_per_page = 0;  // 0 = no pages
  // For the pointer to rest, or for a table that a row selected by default fills: draw again soon.
  bool is_waiting = false;
};

}  // namespace dlview::ui
