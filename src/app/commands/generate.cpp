#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "base/progress.h"
#include "base/unfinished_file.h"
#include "generate/capture.h"
#include "generate/dlprof.h"
#include "generate/programs/labeled.h"
#include "generate/programs/problems.h"

namespace dlview::app {

namespace {

base::Status write_trace(const GenerateOptions& options, generate::IfExists if_exists,
                         base::Progress& progress) {
  if (!options.truth.empty()) DLVIEW_TRY(generate::check_target(options.truth, if_exists));
  const auto truth = generate::generate_pytorch(options.path, options.trace, progress, if_exists);
  if (!truth) return truth.error();
  if (options.truth.empty()) return base::Success{};
  auto file = base::UnfinishedFile::create(options.truth);
  if (!file) return std::move(file).error();
  file->out() << generate::to_json(*truth);
  return file->finish();
}

base::Status write(const GenerateOptions& options, base::Progress& progress) {
  const auto if_exists = options.overwrite ? generate::IfExists::replace : generate::IfExists::fail;
  if (options.format == GenerateOptions::Format::pytorch) {
    return write_trace(options, if_exists, progress);
  }
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

// The options of traces, which are those of torch.profiler where it has them.
void add_trace_options(CLI::App& command, GenerateOptions& options) {
  using generate::PytorchWriter;
  static const std::map<std::string, PytorchWriter> kWriters{{"A", PytorchWriter::kineto},
                                                             {"B", PytorchWriter::python_exporter},
                                                             {"C", PytorchWriter::python_json},
                                                             {"D", PytorchWriter::autograd}};
  using generate::PytorchGpu;
  static const std::map<std::string, PytorchGpu> kGpus{{"nvidia", PytorchGpu::nvidia},
                                                       {"amd", PytorchGpu::amd}};
  generate::PytorchOptions& trace = options.trace;
  command
      .add_option("--size", trace.bytes,
                  "Approximate size of the JSON, e.g. 1GB; sets the number of iterations")
      ->transform(CLI::AsSizeValue(true))
      ->option_text("SIZE");
  command
      .add_option("--writer", trace.writer,
                  "Layout of the trace: Kineto (A), Python exporter (B), loaded and dumped by "
                  "Python (C), old autograd profiler (D)")
      ->transform(CLI::CheckedTransformer(kWriters).description("{A,B,C,D}"))
      ->default_str("A");
  command.add_option("--indent", trace.indent, "Spaces of indentation (--writer C); 0: one line")
      ->capture_default_str();
  command.add_option("--rank", trace.rank, "Rank of the trace, one of --gpus")
      ->capture_default_str();
  command.add_flag("--with-stack", trace.with_stack, "Record Python frames and modules");
  command.add_flag("--record-shapes", trace.record_shapes, "Record shapes and types of inputs");
  command.add_flag("--profile-memory", trace.profile_memory, "Record allocations");
  command.add_flag("--cuda-graphs", trace.cuda_graphs,
                   "Launch the optimizer's kernels as a CUDA graph");
  command.add_flag("--checkpointing", trace.checkpointing,
                   "Recompute the layers in the backward pass");
  command.add_flag("--compiled", trace.compiled, "Compile the activations to Triton kernels");
  command.add_flag("--sync-events", trace.sync_events, "Record CUDA synchronization per stream");
  command.add_flag("--counters", trace.counters, "Add the queue length of each stream");
  command.add_option("--vendor", trace.gpu, "Vendor of the GPUs: nvidia or amd")
      ->transform(CLI::CheckedTransformer(kGpus).description("{nvidia,amd}"))
      ->default_str("nvidia");
  command.add_option("--truth", options.truth, "Write the expected figures of the trace as JSON")
      ->option_text("FILE");
}

constexpr const char* kTraceOptions[] = {
    "--writer",         "--indent",      "--rank",          "--with-stack", "--record-shapes",
    "--profile-memory", "--cuda-graphs", "--checkpointing", "--truth",      "--compiled",
    "--vendor",         "--size",        "--sync-events",   "--counters"};

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
  static const std::map<std::string, Format> kFormats{
      {"dlprof", Format::dlprof}, {"nsys", Format::nsys}, {"pytorch", Format::pytorch}};
  using generate::NsysSchema;
  using generate::PytorchSchema;
  static const std::map<std::string, NsysSchema> kSchemas{
      {"2021", NsysSchema::v2021}, {"2023", NsysSchema::v2023}, {"2026", NsysSchema::v2026}};
  static const std::map<std::string, PytorchSchema> kTraceSchemas{{"2021", PytorchSchema::v2021},
                                                                  {"2023", PytorchSchema::v2023},
                                                                  {"2024", PytorchSchema::v2024},
                                                                  {"2026", PytorchSchema::v2026}};
  const auto options = std::make_shared<GenerateOptions>();
  generate::DemoOptions& demo = options->demo;
  CLI::App* command = program.add_subcommand("generate", "Generate a synthetic profile");
  command->add_option("OUT", options->path, "File to write")->required();
  command
      ->add_option("--format", options->format,
                   "Format: DLProf 1.8 database (dlprof), Nsight Systems export (nsys) or PyTorch "
                   "profiler trace (pytorch; .json or .json.gz)")
      ->transform(CLI::CheckedTransformer(kFormats).description("{dlprof,nsys,pytorch}"))
      ->default_str("dlprof");
  const auto year = std::make_shared<std::string>("2026");
  const CLI::Option* schema =
      command
          ->add_option("--schema", *year,
                       "Year of the exporter (--format nsys) or of PyTorch (--format pytorch)")
          ->check(CLI::IsMember(std::vector<std::string>{"2021", "2023", "2024", "2026"})
                      .description("{2021,2023,2024,2026}"))
          ->default_str("2026");
  const CLI::Option* program_option =
      command
          ->add_option("--program", options->program,
                       "Write this test program for iteration markers or findings instead of the "
                       "demo; --seed varies its times (--format nsys)")
          ->check(CLI::IsMember(program_names()))
          ->option_text("NAME");
  const CLI::Option* iterations =
      command
          ->add_option("--iterations", demo.iterations,
                       "Instances of the iteration marker; default for traces: 10")
          ->capture_default_str();
  const CLI::Option* kernels =
      command
          ->add_option("--kernels", demo.kernels,
                       "Exact number of kernels; default for traces: 10000 (about 30 MB of JSON)")
          ->capture_default_str();
  command
      ->add_option(
          "--kernels-per-op", demo.kernels_per_op,
          "Minimum kernels per launching op; more kernels mean fewer ops; 0: as many as the "
          "framework launches, often one")
      ->capture_default_str();
  command->add_option("--gpus", demo.gpus, "Number of GPUs; in a trace, one rank per GPU")
      ->capture_default_str();
  command->add_option("--framework", demo.framework, "Framework: pytorch or tensorflow")
      ->transform(CLI::CheckedTransformer(kFrameworks).description("{pytorch,tensorflow}"))
      ->default_str("pytorch");
  command->add_option("--seed", demo.seed, "Random seed: the same seed generates the same profile")
      ->capture_default_str();
  add_trace_options(*command, *options);
  command->add_flag("--overwrite", options->overwrite, "Replace the file if it exists");
  command->footer(
      "Examples:\n"
      "  dlview generate demo.sqlite\n"
      "  dlview generate large.sqlite --iterations 1000 --kernels 1000000 --gpus 8\n"
      "  dlview generate few_ops.sqlite --kernels 1000000 --kernels-per-op 5\n"
      "  dlview generate export.sqlite --format nsys --schema 2023\n"
      "  dlview generate pairs.sqlite --format nsys --program pairs\n"
      "  dlview generate rank1.json.gz --format pytorch --with-stack --gpus 8 --rank 1");
  command->callback([&chosen, options, year, schema, program_option, iterations, kernels, command] {
    const bool is_trace = options->format == Format::pytorch;
    if (!schema->empty() && options->format == Format::dlprof) {
      throw CLI::ValidationError("--schema", "requires --format nsys or pytorch");
    }
    if (!program_option->empty() && options->format != Format::nsys) {
      throw CLI::ValidationError("--program", "requires --format nsys");
    }
    for (const char* name : kTraceOptions) {
      if (is_trace || command->get_option(name)->empty()) continue;
      throw CLI::ValidationError(name, "requires --format pytorch");
    }
    if (!command->get_option("--size")->empty() && !iterations->empty()) {
      throw CLI::ValidationError("--size", "cannot be combined with --iterations");
    }
    if (!command->get_option("--size")->empty() && !kernels->empty()) {
      throw CLI::ValidationError("--size", "cannot be combined with --kernels");
    }
    for (const char* name : {"--kernels-per-op", "--framework"}) {
      if (!is_trace || command->get_option(name)->empty()) continue;
      throw CLI::ValidationError(name, "cannot be combined with --format pytorch");
    }
    if (is_trace) {
      generate::PytorchOptions& trace = options->trace;
      trace.schema = kTraceSchemas.at(*year);
      if (!iterations->empty()) trace.iterations = options->demo.iterations;
      if (!kernels->empty()) trace.kernels = options->demo.kernels;
      trace.gpus = options->demo.gpus;
      trace.seed = options->demo.seed;
    } else if (const auto found = kSchemas.find(*year); found != kSchemas.end()) {
      options->schema = found->second;
    } else {
      throw CLI::ValidationError("--schema", *year + " requires --format pytorch");
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
