#include "app/random_input.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dlview::app {
namespace {

constexpr int kHurriedPercent = 25;  // of all lines
constexpr std::string_view kHurried = "no-wait ";
constexpr int kReleasePercent = 30;  // of actions while something is held
constexpr int kLongText = 3000;      // more characters than any field shows

constexpr std::array<std::string_view, 34> kKeys{
    "Enter",  "Escape",   "Tab",  "Space", "Backspace", "Delete", "Insert", "Home", "End",
    "PageUp", "PageDown", "Left", "Right", "Up",        "Down",   "F1",     "F3",   "F5",
    "F6",     "F10",      "a",    "b",     "c",         "g",      "i",      "k",    "m",
    "n",      "p",        "0",    "9",     "+",         "/",      "."};
constexpr std::array<std::string_view, 3> kModifiers{"Ctrl", "Shift", "Alt"};
// Of commands that go on as long as their key is held, and of others.
constexpr std::array<std::string_view, 8> kHeldKeys{"w", "s", "a", "d", "Left", "Down", "Tab", "n"};
// They open a field that takes text.
constexpr std::array<std::string_view, 6> kFields{"table.search", "timeline.search",
                                                  "go.command",   "go.anything",
                                                  "file.open",    "help.definitions"};
constexpr std::array<std::string_view, 44> kTexts{"a",
                                                  "e",
                                                  "conv",
                                                  "gemm",
                                                  "kernel",
                                                  "step",
                                                  "mem",
                                                  "View",
                                                  "1",
                                                  "0",
                                                  "3",
                                                  "12",
                                                  "-1",
                                                  "10:20",
                                                  "5:2",
                                                  ":",
                                                  "99999999999999999999",
                                                  "1e309",
                                                  "nan",
                                                  "0.5",
                                                  "1.20s",
                                                  ">1ms",
                                                  "<= 3 us",
                                                  "= 0",
                                                  "1.2s:1.3s",
                                                  ".*",
                                                  "(",
                                                  "[a-",
                                                  "\\",
                                                  "%s%n",
                                                  "\"",
                                                  "'",
                                                  "~",
                                                  "../..",
                                                  "/",
                                                  "/tmp",
                                                  "\u00e9t\u00e9",
                                                  "\u65e5\u672c\u8a9e",
                                                  "\u0627\u0644\u0639\u0631\u0628\u064a\u0629",
                                                  "\U0001f600",
                                                  "e\u0301",
                                                  "\u200b\u202e",
                                                  "\ufeff",
                                                  "\uffff"};
constexpr std::array<std::string_view, 6> kAfterText{"Enter",  "Ctrl+A", "Ctrl+Z",
                                                     "Escape", "Tab",    "Backspace"};
struct Size {
  int width, height;
};
constexpr std::array<Size, 12> kSizes{{{1280, 800},
                                       {1280, 800},
                                       {900, 600},
                                       {1920, 1080},
                                       {2560, 1440},
                                       {3840, 2160},
                                       {640, 480},
                                       {320, 2000},
                                       {2000, 120},
                                       {1, 1},
                                       {1, 900},
                                       {37, 23}}};
constexpr std::array<float, 6> kScales{1, 1, 1.25f, 2, 4, 0.5f};

bool is_one_word(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

RandomInput::RandomInput(Options options) : options_(std::move(options)), engine_(options_.seed) {}

std::span<const RandomInput::Action> RandomInput::actions() {
  static constexpr std::array<Action, 18> all{{
      {22, &RandomInput::click},
      {7, &RandomInput::other_click},
      {8, &RandomInput::drag},
      {7, &RandomInput::point},
      {8, &RandomInput::wheel},
      {12, &RandomInput::command},
      {7, &RandomInput::shortcut},
      {9, &RandomInput::key},
      {2, &RandomInput::modifier},
      {2, &RandomInput::button},
      {2, &RandomInput::hold_key},
      {8, &RandomInput::type},
      {2, &RandomInput::size},
      {1, &RandomInput::scale},
      {2, &RandomInput::drop},
      {1, &RandomInput::frames},
      {1, &RandomInput::look},
      {2, &RandomInput::restart},
  }};
  return all;
}

int RandomInput::either_way(int reach) {
  return static_cast<int>(below(2 * static_cast<std::size_t>(reach) + 1)) - reach;
}

std::string RandomInput::next(const Scene& scene) {
  if (lines_.empty()) compose(scene);
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  const bool hurries = options_.hurries && !line.starts_with(kHurried) && chance(kHurriedPercent);
  return hurries ? std::string(kHurried) + line : line;
}

void RandomInput::compose(const Scene& scene) {
  if (!held_.empty() && chance(kReleasePercent)) return release_all();
  if (scene.state == workspace::Session::State::loading && chance(60))
    return interrupt_loading(scene);
  const bool shows_file = scene.state == workspace::Session::State::open;
  if (!shows_file && chance(40)) return add("drop " + one_of(options_.files));
  int sum = 0;
  for (const Action& action : actions()) sum += action.weight;
  int left = static_cast<int>(below(static_cast<std::size_t>(sum)));
  for (const Action& action : actions()) {
    left -= action.weight;
    if (left >= 0) continue;
    (this->*action.make)(scene);
    if (lines_.empty()) click(scene);  // what it wanted is not there
    return;
  }
}

const RandomInput::Item& RandomInput::one_item(const Scene& scene) {
  const auto group_of = [](const Item& item) {
    return std::string_view(item.first).substr(0, item.first.rfind('/'));
  };
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < scene.items.size(); ++i) {
    if (i == 0 || group_of(scene.items[i]) != group_of(scene.items[i - 1])) starts.push_back(i);
  }
  const std::size_t group = below(starts.size());
  const std::size_t end = group + 1 < starts.size() ? starts[group + 1] : scene.items.size();
  return scene.items[starts[group] + below(end - starts[group])];
}

RandomInput::Point RandomInput::anywhere(const Scene& scene) {
  if (chance(3)) return {-1, -1};  // outside the window
  const auto up_to = [this](int size) {
    return static_cast<int>(below(static_cast<std::size_t>(size) + 1));
  };
  const int x = up_to(scene.width);
  return {x, up_to(scene.height)};
}

RandomInput::Point RandomInput::somewhere(const Scene& scene) {
  if (scene.items.empty() || chance(15)) return anywhere(scene);
  const ui::ItemRect& rect = one_item(scene).second;
  const auto within = [this](float low, float high) {
    const auto first = static_cast<int>(std::clamp(low, -10000.0f, 10000.0f));
    const auto length = static_cast<int>(std::clamp(high - low, 0.0f, 10000.0f));
    return first + static_cast<int>(below(static_cast<std::size_t>(length) + 1));
  };
  const int x = within(rect.left, rect.right);
  return {x, within(rect.top, rect.bottom)};
}

// Null where the one that was chosen cannot stand in a script.
const std::string* RandomInput::item_by_name(const Scene& scene) {
  if (scene.items.empty() || chance(40)) return nullptr;
  const std::string& name = one_item(scene).first;
  return is_one_word(name) ? &name : nullptr;
}

void RandomInput::click(const Scene& scene) {
  if (const std::string* item = item_by_name(scene)) return add("click-item " + *item);
  const Point at = somewhere(scene);
  add(fmt::format("click {} {}", at.x, at.y));
}

void RandomInput::other_click(const Scene& scene) {
  const bool is_double = chance(50);
  const std::string_view verb = is_double ? "double-click" : "right-click";
  if (const std::string* item = item_by_name(scene)) {
    add(fmt::format("{}-item {}", verb, *item));
  } else {
    const Point at = somewhere(scene);
    add(fmt::format("{} {} {}", verb, at.x, at.y));
  }
}

void RandomInput::drag(const Scene& scene) {
  if (const std::string* item = item_by_name(scene)) {
    const int across = either_way(400);
    return add(fmt::format("drag-item {} {} {}", *item, across, either_way(150)));
  }
  const Point from = somewhere(scene), to = somewhere(scene);
  add(fmt::format("drag {} {} {} {} {}", from.x, from.y, to.x, to.y, 1 + below(6)));
}

void RandomInput::point(const Scene& scene) {
  if (const std::string* item = item_by_name(scene)) return add("move-item " + *item);
  const Point at = somewhere(scene);
  add(fmt::format("move {} {}", at.x, at.y));
}

void RandomInput::wheel(const Scene& scene) {
  if (chance(70)) point(scene);
  const int lines = chance(10) ? either_way(1000) : either_way(5);
  add(chance(15) ? fmt::format("wheel {} {}", lines, either_way(5))
                 : fmt::format("wheel {}", lines));
}

// Quitting is what restart() does.
void RandomInput::command(const Scene& scene) {
  std::vector<std::string_view> enabled;
  for (const ui::CommandInfo& info : scene.commands) {
    if (info.enabled && info.id != "file.quit") enabled.push_back(info.id);
  }
  if (!enabled.empty()) add(fmt::format("command {}", one_of(enabled)));
}

void RandomInput::shortcut(const Scene& scene) {
  std::vector<std::string_view> shortcuts;
  for (const ui::CommandInfo& info : scene.commands) {
    if (!info.shortcut.empty() && info.id != "file.quit") shortcuts.push_back(info.shortcut);
  }
  if (!shortcuts.empty()) add(fmt::format("key {}", one_of(shortcuts)));
}

void RandomInput::key(const Scene&) {
  const std::string_view key = one_of(kKeys);
  const std::size_t times = chance(20) ? 1 + below(12) : 1;
  const std::string modifier = chance(20) ? fmt::format("{}+", one_of(kModifiers)) : "";
  for (std::size_t i = 0; i < times; ++i) add(fmt::format("key {}{}", modifier, key));
}

void RandomInput::modifier(const Scene&) {
  const std::string_view modifier = one_of(kModifiers);
  add(fmt::format("hold {}", modifier));
  held_.push_back(fmt::format("release {}", modifier));
}

void RandomInput::button(const Scene& scene) {
  const std::size_t which = chance(70) ? 0 : below(5);
  point(scene);
  add(fmt::format("down {}", which));
  held_.push_back(fmt::format("up {}", which));
}

// A held key wants frames as long as it is held.
void RandomInput::hold_key(const Scene&) {
  const std::string_view key = one_of(kHeldKeys);
  add(fmt::format("{}hold {}", kHurried, key));
  add(fmt::format("{}frames {}", kHurried, 1 + below(40)));
  add(fmt::format("release {}", key));
}

void RandomInput::type(const Scene& scene) {
  if (chance(60)) {
    const std::string_view field = one_of(kFields);
    const auto known = std::ranges::find(scene.commands, field, &ui::CommandInfo::id);
    if (known != scene.commands.end() && known->enabled) add(fmt::format("command {}", field));
  }
  add(chance(2) ? "type " + std::string(kLongText, 'x') : fmt::format("type {}", one_of(kTexts)));
  if (chance(60)) add(fmt::format("key {}", one_of(kAfterText)));
  if (chance(20)) add("key Delete");
}

void RandomInput::size(const Scene&) {
  const Size size = one_of(kSizes);
  add(fmt::format("size {} {}", size.width, size.height));
}

void RandomInput::scale(const Scene&) {
  add(fmt::format("scale {}", one_of(kScales)));
}

void RandomInput::drop(const Scene& scene) {
  const bool is_profile = options_.no_profiles.empty() || chance(70);
  const std::string& path = one_of(is_profile ? options_.files : options_.no_profiles);
  if (scene.state != workspace::Session::State::empty && chance(80)) add("command file.close");
  if (chance(80) || !std::ranges::all_of(options_.files, is_one_word)) return add("drop " + path);
  add(fmt::format("drop-together {} {} {}", path, one_of(options_.files), path));
}

void RandomInput::frames(const Scene&) {
  add(fmt::format("frames {}", 1 + below(60)));
}

void RandomInput::look(const Scene&) {
  add(chance(50) ? "state state.json" : "screenshot picture.png");
}

void RandomInput::restart(const Scene&) {
  if (restarts_) add("restart");
}

void RandomInput::interrupt_loading(const Scene& scene) {
  switch (below(4)) {
    case 0:
      return add("key Escape");
    case 1:
      return add("drop " + one_of(options_.files));
    case 2:
      return add("frames 2");
    default: {
      const auto cancel = std::ranges::find(scene.items, std::string("loading/cancel"),
                                            &std::pair<std::string, ui::ItemRect>::first);
      if (cancel != scene.items.end()) add("click-item loading/cancel");
      if (cancel == scene.items.end()) add("frames 1");
    }
  }
}

void RandomInput::release_all() {
  for (std::string& line : std::exchange(held_, {})) add(std::move(line));
}

std::vector<std::string> RandomInput::reset() {
  std::vector<std::string> lines = std::exchange(held_, {});
  lines_.clear();
  for (const std::string_view key : kHeldKeys) lines.push_back(fmt::format("release {}", key));
  for (const char* line : {"move -1 -1", "size 1280 800", "scale 1", "key Escape", "key Escape",
                           "key Escape", "forget"}) {
    lines.emplace_back(line);
  }
  lines.emplace_back("close-all");
  lines.push_back("drop " + options_.files.front());
  for (const char* line : {"command view.dashboard", "command view.zoom_reset", "frames 20"}) {
    lines.emplace_back(line);
  }
  return lines;
}

}  // namespace dlview::app
