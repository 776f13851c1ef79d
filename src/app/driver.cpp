#include "app/driver.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <istream>
#include <optional>
#include <ostream>
#include <sstream>
#include <utility>

#define GLFW_INCLUDE_NONE  // for the key codes alone
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include "app/chord.h"
#include "app/display_options.h"
#include "app/output_files.h"
#include "app/state_json.h"
#include "base/utf8.h"
#include "report/writers/text.h"

namespace dlview::app {
namespace {

constexpr int kItemDragSteps = 8;

base::Error script_error(std::string detail) {
  return {"The script failed", std::move(detail),
          "`dlview drive --help` lists the commands of a script"};
}

std::vector<std::string> split(std::string_view line) {
  std::istringstream stream{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::optional<float> parse_number(const std::string& word) {
  float number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

// The line as a name and all that follows it, whose blanks count but at its ends.
std::vector<std::string> split_once(std::string_view line) {
  static constexpr std::string_view kBlanks = " \t\r";
  const auto trim = [](std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return std::string_view();
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
  };
  const std::string_view whole = trim(line);
  const std::string_view name = whole.substr(0, whole.find_first_of(kBlanks));
  const std::string_view rest = trim(whole.substr(name.size()));
  std::vector<std::string> words{std::string(name)};
  if (!rest.empty()) words.emplace_back(rest);
  return words;
}

// The words from `first` on as numbers, as many as `count`.
base::Result<std::vector<float>> numbers(const std::vector<std::string>& words, std::size_t first,
                                         std::size_t count) {
  std::vector<float> values;
  for (std::size_t i = first; i < words.size(); ++i) {
    const std::optional<float> value = parse_number(words[i]);
    if (!value) return script_error(fmt::format("{}: \"{}\" is not a number", words[0], words[i]));
    values.push_back(*value);
  }
  if (values.size() == count) return values;
  return script_error(fmt::format("{} needs {} numbers", words[0], count));
}

// A modifier, or a key without any.
std::optional<int> key_of(std::string_view name) {
  if (name == "Ctrl") return GLFW_KEY_LEFT_CONTROL;
  if (name == "Shift") return GLFW_KEY_LEFT_SHIFT;
  if (name == "Alt") return GLFW_KEY_LEFT_ALT;
  const std::optional<Chord> chord = parse_chord(name);
  if (!chord || chord->ctrl || chord->shift || chord->alt) return std::nullopt;
  return chord->key;
}

}  // namespace

struct Driver::Verb {
  std::string_view name, arguments;
  std::size_t min_words, max_words;  // with the name
  base::Status (Driver::*run)(const Words&);
  bool takes_path = false;  // the rest of the line is one word
};

std::span<const Driver::Verb> Driver::verbs() {
  constexpr std::size_t rest = SIZE_MAX;
  static constexpr std::array<Verb, 29> all{{
      {"command", "ID", 2, 2, &Driver::command},
      {"move", "X Y", 3, 3, &Driver::move},
      {"down", "[BUTTON]", 1, 2, &Driver::button},
      {"up", "[BUTTON]", 1, 2, &Driver::button},
      {"click", "X Y", 3, 3, &Driver::click},
      {"double-click", "X Y", 3, 3, &Driver::click},
      {"right-click", "X Y", 3, 3, &Driver::click},
      {"drag", "X1 Y1 X2 Y2 STEPS", 6, 6, &Driver::drag},
      {"wheel", "N [ACROSS]", 2, 3, &Driver::wheel},
      {"key", "CHORD", 2, 2, &Driver::key},
      {"hold", "KEY", 2, 2, &Driver::hold},
      {"release", "KEY", 2, 2, &Driver::hold},
      {"type", "TEXT", 2, rest, &Driver::type},
      {"drop", "PATH", 2, 2, &Driver::drop, true},
      {"drop-together", "PATH...", 2, rest, &Driver::drop},
      {"size", "W H", 3, 3, &Driver::size},
      {"scale", "X", 2, 2, &Driver::scale},
      {"frames", "N", 2, 2, &Driver::frames},
      {"click-item", "NAME", 2, 2, &Driver::click_item},
      {"double-click-item", "NAME", 2, 2, &Driver::click_item},
      {"right-click-item", "NAME", 2, 2, &Driver::click_item},
      {"move-item", "NAME", 2, 2, &Driver::click_item},
      {"drag-item", "NAME DX DY", 4, 4, &Driver::drag_item},
      {"state", "[FILE]", 1, 2, &Driver::state, true},
      {"screenshot", "FILE", 2, 2, &Driver::screenshot, true},
      {"restart", "", 1, 1, &Driver::restart},
      {"forget", "", 1, 1, &Driver::forget},
      {"close-all", "", 1, 1, &Driver::close_all},
      {"no-wait", "LINE", 2, 2, &Driver::hurry, true},
  }};
  return all;
}

std::string Driver::script_help() {
  std::string text;
  for (const Verb& verb : verbs()) {
    text += fmt::format("  {}{}{}\n", verb.name, verb.arguments.empty() ? "" : " ", verb.arguments);
  }
  return text + "docs/dev/driving.md explains them.";
}

Driver::Driver(OffscreenProgram& offscreen, std::ostream& output, bool in_sandbox)
    : offscreen_(offscreen), output_(output), in_sandbox_(in_sandbox) {}

base::Status Driver::run(std::istream& script, BadLine bad_line) {
  int number = 0;
  for (std::string line; std::getline(script, line);) {
    ++number;
    base::Status done = run_line(line);
    if (done || bad_line == BadLine::is_passed_over) continue;
    base::Error error = done.error();
    error.detail = fmt::format("line {}: {}", number, error.detail);
    return error;
  }
  return base::Success{};
}

base::Status Driver::run_line(std::string_view line) {
  base::Status done = run_verb(line);
  offscreen_.draw_until_settled();
  if (const auto request = offscreen_.program().take_picture_request()) {
    save_picture(offscreen_.program(), offscreen_.picture(), *request);
    offscreen_.draw_until_settled();
  }
  return done;
}

base::Status Driver::run_verb(std::string_view line) {
  Words words = split(line);
  if (words.empty() || words[0].starts_with('#')) return base::Success{};
  const auto verb = std::ranges::find(verbs(), words[0], &Verb::name);
  if (verb == verbs().end()) return script_error(fmt::format("unknown command {}", words[0]));
  if (verb->takes_path) words = split_once(line);
  if (words.size() < verb->min_words || words.size() > verb->max_words) {
    return script_error(
        fmt::format("wrong number of arguments: {} {}", verb->name, verb->arguments));
  }
  return (this->*verb->run)(words);
}

base::Status Driver::command(const Words& words) {
  if (offscreen_.program().commands().run(words[1])) return base::Success{};
  const bool known = offscreen_.program().commands().contains(words[1]);
  return script_error(
      fmt::format("the command {} {}", words[1], known ? "is disabled" : "does not exist"));
}

base::Status Driver::move(const Words& words) {
  const auto at = numbers(words, 1, 2);
  if (!at) return at.error();
  move_to({(*at)[0], (*at)[1]});
  return base::Success{};
}

base::Status Driver::button(const Words& words) {
  int which = 0;
  if (words.size() == 2) {
    const auto given = numbers(words, 1, 1);
    if (!given) return given.error();
    which = static_cast<int>(given->front());
  }
  press(which, words[0] == "down");
  return base::Success{};
}

base::Status Driver::click(const Words& words) {
  const auto at = numbers(words, 1, 2);
  if (!at) return at.error();
  click_at({(*at)[0], (*at)[1]}, clicks_of(words[0]));
  return base::Success{};
}

base::Status Driver::drag(const Words& words) {
  const auto given = numbers(words, 1, 5);
  if (!given) return given.error();
  const std::vector<float>& n = *given;
  drag_between({n[0], n[1]}, {n[2], n[3]}, static_cast<int>(n[4]));
  return base::Success{};
}

base::Status Driver::wheel(const Words& words) {
  const auto lines = numbers(words, 1, words.size() - 1);
  if (!lines) return lines.error();
  offscreen_.play({render::MouseWheel{lines->size() == 2 ? lines->back() : 0, lines->front()}});
  return base::Success{};
}

base::Status Driver::key(const Words& words) {
  const std::optional<Chord> chord = parse_chord(words[1]);
  if (!chord) return script_error(fmt::format("unknown key {}", words[1]));
  std::vector<int> keys;
  if (chord->ctrl) keys.push_back(GLFW_KEY_LEFT_CONTROL);
  if (chord->shift) keys.push_back(GLFW_KEY_LEFT_SHIFT);
  if (chord->alt) keys.push_back(GLFW_KEY_LEFT_ALT);
  keys.push_back(chord->key);
  std::vector<render::InputEvent> events;
  for (auto pressed = keys.begin(); pressed != keys.end(); ++pressed) {
    events.emplace_back(render::Key{*pressed, true});
  }
  for (auto released = keys.rbegin(); released != keys.rend(); ++released) {
    events.emplace_back(render::Key{*released, false});
  }
  offscreen_.play(events);
  return base::Success{};
}

base::Status Driver::hold(const Words& words) {
  const std::optional<int> key = key_of(words[1]);
  if (!key) return script_error(fmt::format("unknown key {}", words[1]));
  offscreen_.play({render::Key{*key, words[0] == "hold"}});
  return base::Success{};
}

base::Status Driver::type(const Words& words) {
  std::vector<render::InputEvent> events;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (i > 1) events.emplace_back(render::Character{U' '});
    for (const char32_t letter : base::code_points(words[i])) {
      events.emplace_back(render::Character{letter});
    }
  }
  offscreen_.play(events);
  return base::Success{};
}

base::Status Driver::drop(const Words& words) {
  std::vector<render::InputEvent> events;
  for (std::size_t i = 1; i < words.size(); ++i) events.emplace_back(render::FileDrop{words[i]});
  offscreen_.play(events);
  return base::Success{};
}

base::Status Driver::size(const Words& words) {
  const auto given = numbers(words, 1, 2);
  if (!given) return given.error();
  return offscreen_.resize(static_cast<int>(given->front()), static_cast<int>(given->back()));
}

base::Status Driver::scale(const Words& words) {
  const auto given = numbers(words, 1, 1);
  if (!given) return given.error();
  if (given->front() < kMinScale || given->front() > kMaxScale) {
    return script_error(fmt::format("the scale must be between {} and {}", kMinScale, kMaxScale));
  }
  offscreen_.program().set_display_scale(given->front());
  return base::Success{};
}

base::Status Driver::frames(const Words& words) {
  const auto count = numbers(words, 1, 1);
  if (!count) return count.error();
  for (int i = 0; i < static_cast<int>(count->front()); ++i) offscreen_.draw();
  return base::Success{};
}

base::Status Driver::click_item(const Words& words) {
  const base::Result<Point> center = center_of(words[1]);
  if (!center) return center.error();
  click_at(*center, clicks_of(words[0]));
  return base::Success{};
}

base::Status Driver::drag_item(const Words& words) {
  const base::Result<Point> from = center_of(words[1]);
  if (!from) return from.error();
  const auto by = numbers(words, 2, 2);
  if (!by) return by.error();
  drag_between(*from, {from->x + (*by)[0], from->y + (*by)[1]}, kItemDragSteps);
  return base::Success{};
}

base::Status Driver::state(const Words& words) {
  const std::string json = state_json(offscreen_.program());
  if (words.size() == 1) {
    output_ << json;
    return base::Success{};
  }
  warn_of_sandbox(words[1]);
  std::ofstream file(words[1]);
  file << json;
  file.close();
  if (file) return base::Success{};
  return script_error(fmt::format("{} cannot be written", words[1]));
}

void Driver::warn_of_sandbox(const std::string& path) const {
  if (!in_sandbox_ || std::filesystem::path(path).is_absolute()) return;
  std::cerr << fmt::format(
      "{} is in the sandbox, which is deleted at the end. Write an absolute path.\n",
      report::printable(path));
}

base::Status Driver::screenshot(const Words& words) {
  warn_of_sandbox(words[1]);
  return render::write_png(offscreen_.picture(), words[1]);
}

base::Status Driver::restart(const Words&) {
  offscreen_.restart();
  return base::Success{};
}

base::Status Driver::forget(const Words&) {
  offscreen_.program().forget_files();
  return base::Success{};
}

base::Status Driver::close_all(const Words&) {
  offscreen_.program().close_all_runs();
  return base::Success{};
}

base::Status Driver::hurry(const Words& words) {
  offscreen_.set_waits(false);
  base::Status done = run_line(words[1]);
  offscreen_.set_waits(true);
  return done;
}

base::Result<Driver::Point> Driver::center_of(const std::string& item) const {
  const auto& items = offscreen_.program().inspector().items();
  const auto found = items.find(item);
  if (found == items.end()) {
    return script_error(fmt::format("item {} is not on screen", item));
  }
  const ui::ItemRect& rect = found->second;
  return Point{(rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2};
}

void Driver::move_to(Point point) {
  offscreen_.play({render::MouseMove{point.x, point.y}});
}
void Driver::press(int button, bool down) {
  offscreen_.play({render::MouseButton{button, down}});
}

Driver::Clicks Driver::clicks_of(std::string_view verb) {
  if (verb.starts_with("double-click")) return {2, 0};
  if (verb.starts_with("right-click")) return {1, 1};
  return {verb.starts_with("click") ? 1 : 0, 0};
}

void Driver::click_at(Point point, Clicks clicks) {
  move_to(point);
  for (int i = 0; i < clicks.times; ++i) {
    press(clicks.button, true);
    press(clicks.button, false);
  }
}

void Driver::drag_between(Point from, Point to, int steps) {
  move_to(from);
  press(0, true);
  for (int i = 1; i <= steps; ++i) {
    const float part = static_cast<float>(i) / static_cast<float>(steps);
    move_to({from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part});
  }
  press(0, false);
}

}  // namespace dlview::app
