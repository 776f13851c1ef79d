#include "app/commands/generate.h"

#include <iostream>
#include <map>
#include <memory>

#include "base/progress.h"
#include "generate/dlprof.h"

namespace dlview::app {

int run_generate(const GenerateOptions& options) {
  base::Progress progress;
  const auto if_exists = options.overwrite ? generate::IfExists::replace : generate::IfExists::fail;
  const base::Status status =
      generate::generate_dlprof(options.path, options.demo, progress, if_exists);
  if (!status) return unusable(status.error());
  std::cout << options.path << '\n';
  return kExitSuccess;
}

void bind_generate(CLI::App& program, ChosenCommand& chosen) {
  using generate::Framework;
  static const std::map<std::string, Framework> kFrameworks{{"pytorch", Framework::pytorch},
                                                            {"tensorflow", Framework::tensorflow}};
  const auto options = std::make_shared<GenerateOptions>();
  const auto format = std::make_shared<std::string>("dlprof");
  generate::DemoOptions& demo = options->demo;
  CLI::App* command =
      program.add_subcommand("generate", "Write an invented training run as a database");
  command->add_option("OUT", options->path, "File to write")->required();
  command->add_option("--format", *format, "Schema of the database")
      ->check(CLI::IsMember({"dlprof"}))
      ->capture_default_str();
  command->add_option("--iterations", demo.iterations, "Instances of the key op")
      ->capture_default_str();
  command->add_option("--kernels", demo.kernels, "Kernels, exactly")->capture_default_str();
  command->add_option("--gpus", demo.gpus, "GPUs of the machine")->capture_default_str();
  command->add_option("--framework", demo.framework, "pytorch or tensorflow")
      ->transform(CLI::CheckedTransformer(kFrameworks).description("{pytorch,tensorflow}"))
      ->default_str("pytorch");
  command->add_option("--seed", demo.seed, "Same seed, same run")->capture_default_str();
  command->add_flag("--overwrite", options->overwrite, "Replace the file if it exists");
  command->footer(
      "Examples:\n"
      "  dlview generate demo.sqlite\n"
      "  dlview generate large.sqlite --iterations 1000 --kernels 1000000 --gpus 8");
  command->callback(
      [&chosen, options, format] { chosen = [options] { return run_generate(*options); }; });
}

}  // namespace dlview::app
