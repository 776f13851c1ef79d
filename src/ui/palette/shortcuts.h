// The page of keyboard shortcuts: commands in groups, with a field that filters them. The arrow
// keys go through the commands and Enter runs one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/model.h"
#include "ui/palette/card.h"

namespace dlview::ui {

struct ShortcutRow {
  std::string title, keys, help;
  std::string command;  // its id; empty = a gesture of the mouse, or a key that is no command
  bool enabled = true;
};
struct ShortcutGroup {
  std::string_view title;
  std::vector<ShortcutRow> rows;  // never empty
};

// The groups with the rows that have every word of the query in title, keys or help; case is
// ignored. Without a query, commands without keys are left out. Pure.
std::vector<ShortcutGroup> find_shortcuts(std::span<const CommandInfo> commands,
                                          std::string_view query);

// The keys of a chord: "Ctrl", "Shift", "K". Pure.
std::vector<std::string_view> split_chord(std::string_view chord);

// Which column each group is in, so that the columns are about equally long and read from top to
// bottom, then from left to right. Lengths are in rows. Pure.
std::vector<std::size_t> fill_columns(const std::vector<std::size_t>& lengths, std::size_t columns);

class ShortcutsPage {
 public:
  void draw(Frame& frame);

 private:
  struct Place {
    std::size_t group = 0, row = 0;
    bool operator==(const Place&) const = default;
  };
  void move_by_keys(const std::vector<ShortcutGroup>& groups);
  float draw_groups(Frame& frame, const Area& area, const std::vector<ShortcutGroup>& groups);
  float draw_group(Frame& frame, const Area& area, const ShortcutGroup& group, std::size_t number);
  void draw_row(Frame& frame, const Box& row, const ShortcutRow& shortcut, Place place);
  void draw_footer(Frame& frame, const Box& box, const std::vector<ShortcutGroup>& groups) const;
  const ShortcutRow* row_at(const std::vector<ShortcutGroup>& groups,
                            const std::optional<Place>& place) const;

  std::string query_, shown_query_;
  std::optional<Place> current_, pointed_at_;
  bool reveals_ = false;
  std::string chosen_;  // a command to run after the page has been drawn
};

}  // namespace dlview::ui
