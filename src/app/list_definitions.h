// dlview definitions: what every number means, as Markdown. docs/definitions.md is made of it.
#pragma once

#include <string>
#include <string_view>

#include "app/commands/common.h"

namespace dlview::app {

// Of the metrics that have every word of `search`; empty = all.
std::string definitions_as_markdown(std::string_view search = {});

void bind_list_definitions(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
