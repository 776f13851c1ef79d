#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "base/progress.h"
#include "generate/capture.h"
#include "generate/dlprof.h"
#include "generate/programs/labeled.h"
#include "generate/programs/problems.h"

namespace dlview::app {

namespace {

base::Status write(const GenerateOptions& options, base::Progress& progress) {
  const auto if_exists = options.overwrite ? generate::IfExists::replace : generate::IfExists::fail;
  const auto labeled = generate::programs::labeled_programs();
  const auto program =
      std::ranges::find(labeled, options.program, &generate::programs::LabeledProgram::name);
  if (program != labeled.end()) {
    return generate::write_capture(program->make(options.demo.seed).capture, options.schema,
                                   options.path, progress, if_exists);
  }
  const auto problems = generate::programs::planned_problems();
  const auto problem =
      std::ranges::find(problems, options.program, &generate::programs::PlannedProblem::name);
  if (problem != problems.end()) {
    return generate::write_capture(problem->make(options.demo.seed, true).capture, options.schema,
                                   options.path, progress, if_exists);
  }
  return options.format == GenerateOptions::Format::nsys
             ? generate::generate_nsys(options.path, options.demo, options.schema, progress,
                                       if_exists)
             : generate::generate_dlprof(options.path, options.demo, progress, if_exists);
}

std::vector<std::string> program_names() {
  std::vector<std::string> names;
  for (const auto& program : generate::programs::labeled_programs()) {
    names.emplace_back(program.name);
  }
  for (const auto& problem : generate::programs::planned_problems()) {
    names.emplace_back(problem.name);
  }
  return names;
}

}  // namespace

int run_generate(const GenerateOptions& options) {
  base::Progress progress;
  const base::Status status = write(options, progress);
  if (!status) return unusable(status.error());
  std::cout << options.path << '\n';
  return kExitSuccess;
}

void bind_generate(CLI::App& program, ChosenCommand& chosen) {
  using generate::Framework;
  static const std::map<std::string, Framework> kFrameworks{{"pytorch", Framework::pytorch},
                                                            {"tensorflow", Framework::tensorflow}};
  using Format = GenerateOptions::Format;
  static const std::map<std::string, Format> kFormats{{"dlprof", Format::dlprof},
                                                      {"nsys", Format::nsys}};
  using generate::NsysSchema;
  static const std::map<std::string, NsysSchema> kSchemas{
      {"2021", NsysSchema::v2021}, {"2023", NsysSchema::v2023}, {"2026", NsysSchema::v2026}};
  const auto options = std::make_shared<GenerateOptions>();
  generate::DemoOptions& demo = options->demo;
  CLI::App* command = program.add_subcommand("generate", "Generate a synthetic profile");
  command->add_option("OUT", options->path, "File to write")->required();
  command
      ->add_option("--format", options->format,
                   "Format: DLProf 1.8 database (dlprof) or Nsight Systems export (nsys)")
      ->transform(CLI::CheckedTransformer(kFormats).description("{dlprof,nsys}"))
      ->default_str("dlprof");
  const CLI::Option* schema =
      command->add_option("--schema", options->schema, "Year of the exporter (--format nsys)")
          ->transform(CLI::CheckedTransformer(kSchemas).description("{2021,2023,2026}"))
          ->default_str("2026");
  const CLI::Option* program_option =
      command
          ->add_option("--program", options->program,
                       "Write this test program for iteration markers or findings instead of the "
                       "demo; --seed varies its times (--format nsys)")
          ->check(CLI::IsMember(program_names()))
          ->option_text("NAME");
  command->add_option("--iterations", demo.iterations, "Instances of the iteration marker")
      ->capture_default_str();
  command->add_option("--kernels", demo.kernels, "Exact number of kernels")->capture_default_str();
  command
      ->add_option("--kernels-per-op", demo.kernels_per_op,
                   "Minimum kernels of each op that launches any: more kernels per op, fewer ops; "
                   "0: as many as the framework launches, often one")
      ->capture_default_str();
  command->add_option("--gpus", demo.gpus, "Number of GPUs")->capture_default_str();
  command->add_option("--framework", demo.framework, "Framework: pytorch or tensorflow")
      ->transform(CLI::CheckedTransformer(kFrameworks).description("{pytorch,tensorflow}"))
      ->default_str("pytorch");
  command->add_option("--seed", demo.seed, "Random seed: the same seed generates the same profile")
      ->capture_default_str();
  command->add_flag("--overwrite", options->overwrite, "Replace the file if it exists");
  command->footer(
      "Examples:\n"
      "  dlview generate demo.sqlite\n"
      "  dlview generate large.sqlite --iterations 1000 --kernels 1000000 --gpus 8\n"
      "  dlview generate few_ops.sqlite --kernels 1000000 --kernels-per-op 5\n"
      "  dlview generate export.sqlite --format nsys --schema 2023\n"
      "  dlview generate pairs.sqlite --format nsys --program pairs");
  command->callback([&chosen, options, schema, program_option, command] {
    for (const CLI::Option* option : {schema, program_option}) {
      if (option->empty() || options->format == Format::nsys) continue;
      throw CLI::ValidationError(option->get_name(), "requires --format nsys");
    }
    for (const char* name :
         {"--iterations", "--kernels", "--kernels-per-op", "--gpus", "--framework"}) {
      if (program_option->empty() || command->get_option(name)->empty()) continue;
      throw CLI::ValidationError(name, "cannot be combined with --program");
    }
    chosen = [options] { return run_generate(*options); };
  });
}

}  // namespace dlview::app
