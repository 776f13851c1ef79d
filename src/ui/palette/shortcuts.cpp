#include "ui/palette/shortcuts.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "ui/palette/search.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/focus.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr float kMostPageWidth = 1180, kMostPageHeight = 760;
constexpr float kLeastColumn = 330;
constexpr std::size_t kMostColumns = 3;
constexpr float kShortcutRow = 24, kGroupHeading = 26, kGroupGap = 14;
constexpr float kFooter = 30;

// Menus of the registry; Escape is in no menu.
constexpr std::array<std::string_view, 6> kMenus{"File",     "Range", "View",
                                                 "Timeline", "Table", "Help"};

struct Gesture {
  std::string_view title, keys;
};
// What the keyboard does without a command.
constexpr std::array<Gesture, 5> kFocusKeys{{
    {"Next control", "Tab"},
    {"Previous control", "Shift+Tab"},
    {"Nearest control", "Arrows"},
    {"Press the control", "Enter"},
    {"Leave the controls", "Escape"},
}};
constexpr std::array<Gesture, 13> kMouse{{
    {"Move a bound of the range", "Drag"},
    {"Move the range", "Drag between bounds"},
    {"Zoom a chart or the strip", "Wheel"},
    {"Scale the heights of the chart", "Ctrl+Wheel"},
    {"Change Start or Stop by 1", "Wheel over it"},
    {"Change Start or Stop by 10", "Shift+Wheel"},
    {"Show all iterations", "Double-click"},
    {"Compare an iteration", "Click"},
    {"Set the baseline iteration", "Ctrl+Click"},
    {"Filter by a slice or a GPU", "Click"},
    {"Copy or filter by a value", "Right click"},
    {"Hide or show a part", "Click its legend"},
    {"Open a file", "Drop it"},
}};
constexpr std::array<Gesture, 8> kTimelineMouse{{
    {"Zoom at the pointer", "Ctrl+Wheel"},
    {"Pan", "Drag"},
    {"Pan", "Shift+Wheel"},
    {"Scroll the lanes", "Wheel"},
    {"Select a time", "Ctrl+Drag"},
    {"Show the details of an event", "Click"},
    {"Zoom to an event", "Double-click"},
    {"Fold the lanes of a GPU or thread", "Click its name"},
}};

bool has_words(const ShortcutRow& row, std::string_view query) {
  const std::string text = fmt::format("{} {} {}", row.title, row.keys, row.help);
  while (!query.empty()) {
    const std::string_view word = query.substr(0, query.find(' '));
    query.remove_prefix(std::min(query.size(), word.size() + 1));
    if (find_ignoring_case(text, word, 0) == std::string_view::npos) return false;
  }
  return true;
}

template <std::size_t kCount>
void add_gestures(std::vector<ShortcutGroup>& groups, std::string_view title,
                  const std::array<Gesture, kCount>& gestures, std::string_view query) {
  ShortcutGroup group{title, {}};
  for (const Gesture& gesture : gestures) {
    ShortcutRow row{std::string(gesture.title), std::string(gesture.keys), "", "", true};
    if (has_words(row, query)) group.rows.push_back(std::move(row));
  }
  if (!group.rows.empty()) groups.push_back(std::move(group));
}

float key_width(const Frame& frame, std::string_view key) {
  return std::max(frame.px(18), text_width(frame.fonts().small, key) + frame.px(10));
}

// Keys as caps that end at `right`; returns the left edge.
float draw_keys(Frame& frame, float right, const Box& row, std::string_view chord, bool enabled) {
  const Palette& colors = frame.palette();
  const std::vector<std::string_view> keys = split_chord(chord);
  float x = right;
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    const float width = key_width(frame, *key);
    const Box cap{x - width, row.top + frame.px(3), x, row.bottom - frame.px(3)};
    fill(cap, colors.raised, frame.px(4));
    outline(cap, colors.line, frame.px(4));
    draw_text_in(frame.fonts().small, cap, enabled ? colors.text : colors.dim, *key, true);
    x -= width + frame.px(3);
  }
  return x;
}

}  // namespace

std::vector<std::string_view> split_chord(std::string_view chord) {
  std::vector<std::string_view> keys;
  while (!chord.empty()) {
    // "Ctrl++" ends with the key "+".
    const std::size_t end = chord == "+" ? chord.npos : chord.find('+');
    keys.push_back(chord.substr(0, end));
    chord.remove_prefix(end == chord.npos ? chord.size() : end + 1);
  }
  return keys;
}

std::vector<ShortcutGroup> find_shortcuts(std::span<const CommandInfo> commands,
                                          std::string_view query) {
  std::vector<ShortcutGroup> groups;
  for (const std::string_view menu : kMenus) {
    ShortcutGroup group{menu, {}};
    for (const CommandInfo& command : commands) {
      const std::string_view place = command.menu.empty() && !command.shortcut.empty()
                                         ? "View"
                                         : std::string_view(command.menu);
      if (place != menu || (query.empty() && command.shortcut.empty())) continue;
      ShortcutRow row{command.title, command.shortcut, command.help, command.id, command.enabled};
      if (has_words(row, query)) group.rows.push_back(std::move(row));
    }
    if (!group.rows.empty()) groups.push_back(std::move(group));
  }
  add_gestures(groups, "Keyboard focus", kFocusKeys, query);
  add_gestures(groups, "Mouse", kMouse, query);
  add_gestures(groups, "Mouse in the Timeline", kTimelineMouse, query);
  return groups;
}

std::vector<std::size_t> fill_columns(const std::vector<std::size_t>& lengths,
                                      std::size_t columns) {
  const std::size_t total = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  std::vector<std::size_t> places;
  std::size_t before = 0;
  for (const std::size_t length : lengths) {
    // The column in which the middle of the group would be if groups could be divided.
    const std::size_t column = total == 0 ? 0 : (2 * before + length) * columns / (2 * total);
    places.push_back(std::min(column, columns - 1));
    before += length;
  }
  return places;
}

const ShortcutRow* ShortcutsPage::row_at(const std::vector<ShortcutGroup>& groups,
                                         const std::optional<Place>& place) const {
  if (!place || place->group >= groups.size()) return nullptr;
  const ShortcutGroup& group = groups[place->group];
  return place->row < group.rows.size() ? &group.rows[place->row] : nullptr;
}

// Gestures are passed over.
void ShortcutsPage::move_by_keys(const std::vector<ShortcutGroup>& groups) {
  std::vector<Place> places;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t r = 0; r < groups[g].rows.size(); ++r) {
      if (!groups[g].rows[r].command.empty()) places.push_back({g, r});
    }
  }
  const bool is_new_query = query_ != shown_query_;
  shown_query_ = query_;
  if (places.empty()) return current_.reset();
  auto at =
      std::ranges::find(places, current_, [](const Place& place) { return std::optional(place); });
  if (is_new_query) {
    at = query_.empty() ? places.end() : places.begin();
  } else if (pressed(ImGuiKey_DownArrow)) {
    at = at == places.end() || at + 1 == places.end() ? places.begin() : at + 1;
  } else if (pressed(ImGuiKey_UpArrow)) {
    at = at == places.end() || at == places.begin() ? places.end() - 1 : at - 1;
  } else {
    return;
  }
  current_ = at == places.end() ? std::nullopt : std::optional(*at);
  reveals_ = true;
}

void ShortcutsPage::draw(Frame& frame) {
  OverlayCard card(frame, kMostPageWidth, kMostPageHeight);
  const Area area = card.draw_heading("Keyboard shortcuts");
  const Box field{area.left, area.top, area.right(), area.top + frame.px(kControlHeight + 6)};
  if (keyboard_is_free(frame)) focus_next_item();
  const bool entered = draw_text_field(frame, "shortcuts/search", field, 0, query_,
                                       "Search by command, key or help text")
                           .entered;
  const std::vector<ShortcutGroup> groups = find_shortcuts(frame.model.commands, query_);
  move_by_keys(groups);
  pointed_at_.reset();
  const float footer_top = card.box().bottom - frame.px(kFooter);
  {
    ScrollArea scroll(
        frame, "shortcuts",
        {card.box().left + frame.px(4), field.bottom + frame.px(4), card.box().right, footer_top});
    scroll.end_at(draw_groups(frame, scroll.area(), groups));
  }
  draw_footer(frame, {area.left, footer_top, area.right(), card.box().bottom}, groups);
  const ShortcutRow* current = row_at(groups, current_);
  if (entered && current != nullptr && current->enabled) chosen_ = current->command;
  if (chosen_.empty()) return;
  frame.host.show_overlay(Overlay::none);
  frame.host.run_command(std::exchange(chosen_, {}));
}

float ShortcutsPage::draw_groups(Frame& frame, const Area& area,
                                 const std::vector<ShortcutGroup>& groups) {
  if (groups.empty()) {
    return draw_wrapped(frame.fonts().text, area, frame.palette().dim,
                        "No matching shortcut. Try another word.");
  }
  const float gap = frame.px(28);
  const auto columns =
      std::clamp(static_cast<std::size_t>((area.width + gap) / (frame.px(kLeastColumn) + gap)),
                 std::size_t{1}, kMostColumns);
  const auto count = static_cast<float>(columns);
  const float width = std::floor((area.width - (count - 1) * gap) / count);
  std::vector<std::size_t> lengths;
  for (const ShortcutGroup& group : groups) lengths.push_back(group.rows.size() + 2);
  const std::vector<std::size_t> places = fill_columns(lengths, columns);
  std::vector<float> bottoms(columns, area.top);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    float& y = bottoms[places[g]];
    if (y > area.top) y += frame.px(kGroupGap);
    const float left = area.left + static_cast<float>(places[g]) * (width + gap);
    y = draw_group(frame, {left, y, width}, groups[g], g);
  }
  return *std::ranges::max_element(bottoms);
}

float ShortcutsPage::draw_group(Frame& frame, const Area& area, const ShortcutGroup& group,
                                std::size_t number) {
  const Fonts& fonts = frame.fonts();
  draw_text(fonts.strong, area.left, area.top, frame.palette().text, group.title);
  const float line = area.top + frame.px(kGroupHeading - 5);
  horizontal_line(area.left, area.right(), line, frame.palette().line);
  float y = area.top + frame.px(kGroupHeading);
  for (std::size_t r = 0; r < group.rows.size(); ++r) {
    draw_row(frame, box_of(area.below(y), frame.px(kShortcutRow)), group.rows[r], {number, r});
    y += frame.px(kShortcutRow);
  }
  return y;
}

void ShortcutsPage::draw_row(Frame& frame, const Box& row, const ShortcutRow& shortcut,
                             Place place) {
  const Palette& colors = frame.palette();
  const float inset = frame.px(6);
  const Box wide{row.left - inset, row.top, row.right + inset, row.bottom};
  const bool is_current = current_ == place;
  if (!shortcut.command.empty()) {
    const Hit hit = hit_area(frame, "shortcuts/" + shortcut.command, wide, Reach::mouse);
    frame.inspector.record_value("shortcuts/" + shortcut.command, shortcut.title);
    if (hit.hovered) pointed_at_ = place;
    if (hit.clicked && shortcut.enabled) chosen_ = shortcut.command;
    const float strength = is_current ? 0.2f : hit.hovered ? 0.1f : 0.0f;
    if (strength > 0) fill(wide, with_opacity(colors.accent, strength), frame.px(4));
  }
  if (is_current) {
    frame.inspector.record_value("shortcuts/current", shortcut.command);
    const float window = ImGui::GetWindowPos().y;
    const bool is_outside = row.top < window || row.bottom > window + ImGui::GetWindowHeight();
    if (reveals_ && is_outside) ImGui::SetScrollFromPosY(row.top - window, 0.5f);
    reveals_ = false;
  }
  const float keys = draw_keys(frame, row.right, row, shortcut.keys, shortcut.enabled);
  const ImFont* font = frame.fonts().text;
  draw_text_cut(frame, font, row.left, row.top + (row.height() - font_size(font)) / 2,
                keys - row.left - frame.px(8), shortcut.enabled ? colors.text : colors.dim,
                shortcut.title, CutAt::end);
}

void ShortcutsPage::draw_footer(Frame& frame, const Box& box,
                                const std::vector<ShortcutGroup>& groups) const {
  const ImFont* font = frame.fonts().small;
  horizontal_line(box.left, box.right, box.top, frame.palette().line);
  const ShortcutRow* row = row_at(groups, pointed_at_ ? pointed_at_ : current_);
  std::string text =
      row == nullptr ? "Type to filter. Choose with the arrow keys, run with Enter." : row->help;
  if (row != nullptr && !row->enabled) text += " Not available now.";
  frame.inspector.record_value("shortcuts/help", text);
  draw_text_cut(frame, font, box.left, box.top + (box.height() - font_size(font)) / 2, box.width(),
                frame.palette().dim, text, CutAt::end);
}

}  // namespace dlview::ui
