#include "app/command_registry.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace dlview::app {
void CommandRegistry::add(ui::CommandInfo info, std::function<void()> run,
                          std::function<bool()> enabled) {
  assert(!contains(info.id));
  assert(info.shortcut.empty() || parse_chord(info.shortcut));
  commands_.push_back({std::move(info), std::move(run), std::move(enabled)});
}

bool CommandRegistry::run(std::string_view id) const {
  return run(find(id));
}
bool CommandRegistry::run(const Chord& chord) const {
  return std::ranges::any_of(commands_, [&chord](const Command& command) {
    const std::optional<Chord> shortcut = parse_chord(command.info.shortcut);
    return shortcut && normalized(*shortcut) == normalized(chord) && run(&command);
  });
}

bool CommandRegistry::run(const Command* command) {
  if (command == nullptr || (command->enabled && !command->enabled())) return false;
  command->run();
  return true;
}

std::vector<ui::CommandInfo> CommandRegistry::infos() const {
  std::vector<ui::CommandInfo> infos;
  for (const Command& command : commands_) {
    infos.push_back(command.info);
    infos.back().enabled = !command.enabled || command.enabled();
  }
  return infos;
}

const CommandRegistry::Command* CommandRegistry::find(std::string_view id) const {
  const auto found = std::ranges::find(commands_, id, [](const Command& c) { return c.info.id; });
  return found == commands_.end() ? nullptr : &*found;
}

}  // namespace dlview::app
