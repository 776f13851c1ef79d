// dlview strings: every text that the program declares in lists, for a review of its words. Hidden.
// Texts inside code are listed by tests/architecture/words_test.cpp (DLVIEW_PRINT_TEXTS=1).
#pragma once

#include <iosfwd>

#include <CLI/CLI.hpp>

#include "app/commands/common.h"

namespace dlview::app {

// Writes one line per text: what it belongs to, its id, and the text, separated by tabs.
void print_texts(const CLI::App& program, std::ostream& out);

void bind_list_texts(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
