// dlview info DB [--json]: what is in the file, and what is not.
#pragma once

#include <string>

#include "app/commands/common.h"

namespace dlview::app {

struct InfoOptions {
  std::string path;
  bool json = false;
  workspace::SelectionRequest selection;  // whose iterations are counted
};

int run_info(const InfoOptions& options);
void bind_info(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
