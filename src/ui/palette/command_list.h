// The palette's commands: which of them answer what was typed, best first. Pure.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ui/model.h"

namespace dlview::ui {

// Without a query all, in the order of the menus; those that cannot be run just now stand last.
std::vector<const CommandInfo*> find_commands(std::span<const CommandInfo> commands,
                                              std::string_view query);

}  // namespace dlview::ui
