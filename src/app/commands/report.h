// dlview report DB: DLProf's reports for any range of iterations, any key op and either cut.
#pragma once

#include <string>

#include "app/commands/common.h"

namespace dlview::app {

struct ReportOptions {
  std::string path;
  std::string reports = "all";
  std::string formats = "csv";
  std::string output_folder;
  workspace::SelectionRequest selection;
};

// Prints the paths of the files it wrote.
int run_report(const ReportOptions& options);
void bind_report(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
