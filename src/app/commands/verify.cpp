#include "verify/verify.h"

#include <iostream>
#include <memory>

#include "app/commands/commands.h"
#include "base/progress.h"
#include "verify/against.h"

namespace dlview::app {

int run_verify(const VerifyOptions& options) {
  base::Progress progress;
  std::optional<std::filesystem::path> reports_folder;
  if (options.reports_folder) reports_folder = *options.reports_folder;
  const auto verification = options.against
                                ? verify::verify_against(options.path, *options.against, progress)
                                : verify::verify_database(options.path, reports_folder, progress);
  if (!verification) return unusable(verification.error());
  verify::print(*verification, std::cout);
  return verification->all_match() ? kExitSuccess : kExitDifferences;
}

void bind_verify(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = program.add_subcommand(
      "verify", "Recompute every stored number of a DLProf database and compare");
  command->add_option("FILE", options->path, "DLProf database")->required();
  CLI::Option* reports =
      command->add_option("--reports-dir", options->reports_folder,
                          "Folder of DLProf's CSV reports to compare cell by cell");
  command
      ->add_option("--against", options->against,
                   "Nsight Systems export that DLProf made the database from")
      ->excludes(reports);
  command->footer(
      "Examples:\n"
      "  dlview verify run.sqlite\n"
      "  dlview verify run.sqlite --reports-dir dlprof_reports\n"
      "  dlview verify run.sqlite --against nsys_profile.sqlite");
  run_when_parsed(*command, chosen, options, run_verify);
}

}  // namespace dlview::app
