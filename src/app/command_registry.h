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
  // What a command does as long as its key is held, after the first time; in parts of what it does
  // at once.
  using GoOn = std::function<void(double steps)>;

  // Asserts that the id is new and the shortcut, if any, parses. Commands that are never enabled at
  // the same time may share one. Without `enabled` the command always is; info.enabled is not read.
  // The key of a command that goes on is where the American layout has it, for the hand lies there;
  // other keys are what the keyboard says.
  void add(ui::CommandInfo info, std::function<void()> run, std::function<bool()> enabled = {},
           GoOn go_on = {});

  // False when there is no such command or it is disabled just now.
  bool run(std::string_view id) const;
  bool run(const KeyPress& press) const;
  bool run(const Chord& chord) const { return run(KeyPress{chord, chord.key}); }
  // False also when it does not go on.
  bool go_on(const KeyPress& press, double steps) const;
  bool contains(std::string_view id) const { return find(id) != nullptr; }

  // In the order of adding, `enabled` as it is now.
  std::vector<ui::CommandInfo> infos() const;

 private:
  struct Command {
    ui::CommandInfo info;
    std::function<void()> run;
    std::function<bool()> enabled;
    GoOn go_on;
    bool is_enabled() const { return !enabled || enabled(); }
  };

  static bool run(const Command* command);
  const Command* find(std::string_view id) const;
  const Command* find(const KeyPress& press) const;
  // Of those that go on, or of the others.
  const Command* find(Chord chord, bool goes_on) const;

  std::vector<Command> commands_;
};

}  // namespace dlview::app
