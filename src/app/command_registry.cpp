#include "app/command_registry.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace dlview::app {
void CommandRegistry::add(ui::CommandInfo info, std::function<void()> run,
                          std::function<bool()> enabled, GoOn go_on) {
  assert(!contains(info.id));
  assert(info.shortcut.empty() || parse_chord(info.shortcut));
  commands_.push_back({std::move(info), std::move(run), std::move(enabled), std::move(go_on)});
}

bool CommandRegistry::run(std::string_view id) const {
  return run(find(id));
}
bool CommandRegistry::run(const KeyPress& press) const {
  return run(find(press));
}

bool CommandRegistry::go_on(const KeyPress& press, double steps) const {
  const Command* command = find(press);
  if (command == nullptr || !command->go_on || !command->is_enabled()) return false;
  command->go_on(steps);
  return true;
}

bool CommandRegistry::run(const Command* command) {
  if (command == nullptr || !command->is_enabled()) return false;
  command->run();
  return true;
}

std::vector<ui::CommandInfo> CommandRegistry::infos() const {
  std::vector<ui::CommandInfo> infos;
  for (const Command& command : commands_) {
    infos.push_back(command.info);
    infos.back().enabled = command.is_enabled();
  }
  return infos;
}

const CommandRegistry::Command* CommandRegistry::find(std::string_view id) const {
  const auto found = std::ranges::find(commands_, id, [](const Command& c) { return c.info.id; });
  return found == commands_.end() ? nullptr : &*found;
}

// A letter whose command lies at another place gives its key to the letter of this place: on a
// French keyboard A, at the place of Q, is not "Earlier", and its W does what Z does elsewhere.
const CommandRegistry::Command* CommandRegistry::find(const KeyPress& press) const {
  Chord at_place = press.chord;
  at_place.key = press.position;
  const Command* held = find(at_place, true);
  if (held != nullptr && held->is_enabled()) return held;
  const bool is_taken = find(press.chord, true) != nullptr;
  return find(is_taken ? at_place : press.chord, false);
}

// Of commands that share a chord the one that is enabled.
const CommandRegistry::Command* CommandRegistry::find(Chord chord, bool goes_on) const {
  chord = normalized(chord);
  const Command* disabled = nullptr;
  for (const Command& command : commands_) {
    const std::optional<Chord> shortcut = parse_chord(command.info.shortcut);
    if (!shortcut || normalized(*shortcut) != chord || (command.go_on != nullptr) != goes_on) {
      continue;
    }
    if (command.is_enabled()) return &command;
    if (disabled == nullptr) disabled = &command;
  }
  return disabled;
}

}  // namespace dlview::app
