// Where `dlview stats` writes its reports: standard output, files, other programs.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"
#include "report/nsys/write_reports.h"
#include "report/table.h"

namespace dlview::app {

struct StatsOutput {
  enum class Kind : uint8_t {
    standard,  // standard output
    file,      // that `text` names; reports with the same one follow each other in it
    folder,    // `text`, with a file for each report
    command,   // `text`, which a shell runs with the report as its input
  };
  Kind kind = Kind::standard;
  std::string text = {};
  bool operator==(const StatsOutput&) const = default;
};

// As nsys takes them, with commas between: "-" is standard output, "." a file for each report in
// this folder, "@COMMAND" a program (which takes the rest of its value, commas too), anything else
// a file.
std::vector<StatsOutput> parse_stats_outputs(const std::vector<std::string>& values);

// A report that has something to print.
struct StatsJob {
  report::Table table;
  report::nsys::Format format = report::nsys::Format::csv;
  StatsOutput output;
};

// In the given order. Prints the names of files in folders. Fails where the profile itself would be
// overwritten, and where a command fails.
base::Status write_stats(const std::vector<StatsJob>& jobs, const profile::Profile& profile,
                         const aggregate::IterationRange& iterations);

}  // namespace dlview::app
