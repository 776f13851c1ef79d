// The card above everything else, and the finder in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

// A surface above everything else, with the view dimmed behind it. A click beside it closes it; so
// does Escape, as a command.
class OverlayCard {
 public:
  // At most so large, in pixels of the design; centered, in the upper part of the window.
  OverlayCard(Frame& frame, float width, float height);
  ~OverlayCard();
  OverlayCard(const OverlayCard&) = delete;
  OverlayCard& operator=(const OverlayCard&) = delete;

  const Box& box() const { return box_; }
  // Inside the padding.
  Area area() const;
  // Makes the card no higher than its contents, which end at `bottom`.
  void end_at(float bottom);
  // A heading with a close button; returns what is left below it.
  Area draw_heading(std::string_view title);

 private:
  Frame& frame_;
  Box box_;
  ImDrawListSplitter surface_;  // behind the contents, drawn when their height is known
};

struct FinderRow {
  std::string title, detail;  // detail is dim, behind the title
  std::string hint;           // dim, at the right edge
  bool enabled = true;
};

// A field to type into and the rows that answer it, chosen by arrows and Enter or by a click. The
// palette, "Go to" and the list of files are finders.
class Finder {
 public:
  const std::string& query() const { return query_; }
  void clear_query();

  // Draws into the card, below `top`. Items are "finder/query" and "finder/0", "finder/1", ...
  // Returns the row that was chosen.
  std::optional<std::size_t> draw(Frame& frame, const OverlayCard& card, float top,
                                  std::string_view hint, const std::vector<FinderRow>& rows,
                                  std::string_view nothing_found);

 private:
  bool move_by_keys(std::size_t row_count);
  std::optional<std::size_t> draw_rows(Frame& frame, const Box& box,
                                       const std::vector<FinderRow>& rows, bool show_current);

  std::string query_, shown_query_;
  std::size_t current_ = 0;
};

}  // namespace dlview::ui
