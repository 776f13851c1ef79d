// What dlview prints about itself: version, licenses, manual page, commands, definitions.
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "app/commands/common.h"

namespace dlview::app {

// dlview --version: version, commit, engines and libraries of this build.
std::string version_text();
std::string version_json();

// dlview --licenses: the project's license and those of the fonts and libraries inside the binary.
std::string all_licenses();
int print_licenses();

// dlview --man: the manual page, written from the tree of commands and options: roff for man(7).
// Leaves out hidden commands and options, which have no group.
std::string man_page(const CLI::App& program);

// dlview commands: the commands of the window, with their keys. Hidden; docs/shortcuts.md is made
// of it.
void bind_list_commands(CLI::App& program, ChosenCommand& chosen);

// dlview definitions: what every number means, as Markdown, of the metrics that have every word of
// `search`; empty = all. docs/definitions.md is made of it.
std::string definitions_as_markdown(std::string_view search = {});

void bind_list_definitions(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
