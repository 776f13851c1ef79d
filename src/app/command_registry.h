// CommandRegistry: everything the program can be told to do, each thing declared once. Menus, keys,
// the help page and the test driver all read it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/chord.h"
#include "ui/model.h"

namespace dlview::app {

class CommandRegistry {
 public:
  // Asserts that the id is new and the shortcut, if any, parses. Commands that are never enabled at
  // the same time may share one. Without `enabled` the command always is; info.enabled is not read.
  void add(ui::CommandInfo info, std::function<void()> run, std::function<bool()> enabled = {});

  // False when there is no such command or it is disabled just now.
  bool run(std::string_view id) const;
  bool run(const Chord& chord) const;
  bool contains(std::string_view id) const { return find(id) != nullptr; }

  // In the order of adding, `enabled` as it is now.
  std::vector<ui::CommandInfo> infos() const;

 private:
  struct Command {
    ui::CommandInfo info;
    std::function<void()> run;
    std::function<bool()> enabled;
  };

  static bool run(const Command* command);
  const Command* find(std::string_view id) const;

  std::vector<Command> commands_;
};

}  // namespace dlview::app
