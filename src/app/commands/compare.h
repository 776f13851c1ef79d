// dlview compare DB: two iterations side by side, by default the slowest and the typical one. With
// a second file the mean iterations of both.
#pragma once

#include <optional>
#include <string>

#include "app/commands/common.h"

namespace dlview::app {

struct CompareOptions {
  std::string path, after;           // "" = no second file
  std::optional<int64_t> iteration;  // as the state says, else the slowest of the range
  std::optional<int64_t> against;    // as the state says, else the typical one
  bool json = false;
  std::string csv;  // the table to print alone; "" = all, as text or JSON
  workspace::SelectionRequest selection;
};

int run_compare(const CompareOptions& options);
void bind_compare(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
