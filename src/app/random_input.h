// RandomInput: makes up what a user could do, as lines of a script for the Driver. The same seed
// gives the same lines for the same scenes. Most lines aim at what is on screen.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/look.h"
#include "ui/model.h"
#include "workspace/session.h"

namespace dlview::app {

// What a user sees before the next line.
struct Scene {
  int width = 0, height = 0;
  workspace::Session::State state = workspace::Session::State::empty;
  std::vector<std::pair<std::string, ui::ItemRect>> items;  // in the order of their names
  std::vector<ui::CommandInfo> commands;
};

class RandomInput {
 public:
  struct Options {
    uint64_t seed = 1;
    std::vector<std::string> files;        // at least one
    std::vector<std::string> no_profiles;  // dropped, too
    bool hurries = true;  // with lines that do not wait for what runs in the background; what is on
                          // screen then depends on how fast that is
  };
  explicit RandomInput(Options options);

  std::string next(const Scene& scene);
  // Whether next() may end the program and start it again.
  void set_restarts(bool restarts) { restarts_ = restarts; }
  // Lines after which the first file is shown as if the program had just been started. What was
  // held is released, and lines that next() had in mind are dropped.
  std::vector<std::string> reset();

 private:
  using Make = void (RandomInput::*)(const Scene&);
  struct Action {
    int weight;
    Make make;
  };
  static std::span<const Action> actions();

  // Below `count`, which is not 0.
  std::size_t below(std::size_t count) { return engine_() % count; }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
  template <typename Choices>
  const auto& one_of(const Choices& choices) {
    return choices[below(std::size(choices))];
  }
  // From -`reach` to `reach`.
  int either_way(int reach);
  void add(std::string line) { lines_.push_back(std::move(line)); }

  using Item = std::pair<std::string, ui::ItemRect>;
  // Returns a random item: first chooses a group of items whose names differ only after the last
  // slash (rows of a list), so that long lists do not crowd out other items. Needs an item.
  const Item& one_item(const Scene& scene);
  struct Point {
    int x = 0, y = 0;
  };
  Point anywhere(const Scene& scene);
  // A point in an item, or anywhere where there is none.
  Point somewhere(const Scene& scene);
  const std::string* item_by_name(const Scene& scene);

  void compose(const Scene& scene);
  void click(const Scene& scene);
  void other_click(const Scene& scene);
  void drag(const Scene& scene);
  void point(const Scene& scene);
  void wheel(const Scene& scene);
  void command(const Scene& scene);
  void shortcut(const Scene& scene);
  void key(const Scene& scene);
  void modifier(const Scene& scene);
  void button(const Scene& scene);
  void hold_key(const Scene& scene);
  void type(const Scene& scene);
  void size(const Scene& scene);
  void scale(const Scene& scene);
  void drop(const Scene& scene);
  void frames(const Scene& scene);
  void look(const Scene& scene);
  void restart(const Scene& scene);
  void interrupt_loading(const Scene& scene);
  void release_all();

  Options options_;
  std::mt19937_64 engine_;
  bool restarts_ = false;
  std::deque<std::string> lines_;
  std::vector<std::string> held_;  // lines that release it
};

}  // namespace dlview::app
