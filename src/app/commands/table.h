// dlview table DB --table NAME: a table of the program, filtered and sorted, in any of its formats.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/common.h"

namespace dlview::app {

struct TableOptions {
  std::string path;
  bool list = false;
  std::string table;
  std::optional<int64_t> iteration;
  std::string op;  // id or name; empty = all
  std::string search, sort;
  std::vector<std::string> filters;
  std::optional<std::string> format;  // as the output's name says, else csv
  std::string output;                 // empty = standard output
  workspace::SelectionRequest selection;
};

int run_table(const TableOptions& options);
void bind_table(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
