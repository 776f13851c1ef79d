// dlview --man: the manual page, written from the tree of commands and options.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace dlview::app {

// roff for man(7). Leaves out hidden commands and options, which have no group.
std::string man_page(const CLI::App& program);

}  // namespace dlview::app
