#include "ui/palette/command_list.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "ui/palette/fuzzy.h"

namespace dlview::ui {

std::vector<const CommandInfo*> find_commands(std::span<const CommandInfo> commands,
                                              std::string_view query) {
  struct Found {
    const CommandInfo* command;
    int score;
  };
  std::vector<Found> found;
  for (const CommandInfo& command : commands) {
    const std::string text = command.title + " " + command.menu + " " + command.help;
    // A title that fits stands before a sentence that does.
    const auto by_title = fuzzy_score(query, command.title);
    const auto score = by_title ? by_title : fuzzy_score(query, text);
    if (score) found.push_back({&command, query.empty() ? 0 : *score + (by_title ? 1'000'000 : 0)});
  }
  std::ranges::stable_sort(found, {}, [](const Found& entry) {
    return std::tuple(!entry.command->enabled, -entry.score);
  });
  std::vector<const CommandInfo*> result;
  for (const Found& entry : found) result.push_back(entry.command);
  return result;
}

}  // namespace dlview::ui
