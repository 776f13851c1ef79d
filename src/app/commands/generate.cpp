#include <algorithm>
#include <charconv>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/generate_ranks.h"
#include "base/progress.h"
#include "base/unfinished_file.h"
#include "generate/capture.h"
#include "generate/dlprof.h"
#include "generate/limits.h"
#include "generate/programs/labeled.h"
#include "generate/programs/problems.h"
#include "generate/ranks/summary.h"
#include "ranks/summary_file.h"

namespace dlview::app {

namespace {

// Writes the expected figures; an empty path means none.
base::Status write_truth(const std::string& path, const std::string& json) {
  if (path.empty()) return base::Success{};
  auto file = base::UnfinishedFile::create(path);
  if (!file) return std::move(file).error();
  file->out() << json;
  return file->finish();
}

base::Status write_limits(const GenerateOptions& options, generate::IfExists if_exists,
                          base::Progress& progress) {
  if (!options.truth.empty()) DLVIEW_TRY(generate::check_target(options.truth, if_exists));
  const auto truth = generate::generate_limits(options.path, *options.limits, progress, if_exists);
  if (!truth) return truth.error();
  return write_truth(options.truth, generate::to_json(*truth));
}

base::Status write_trace(const GenerateOptions& options, generate::IfExists if_exists,
                         base::Progress& progress) {
  if (!options.truth.empty()) DLVIEW_TRY(generate::check_target(options.truth, if_exists));
  const auto truth = generate::generate_pytorch(options.path, options.trace, progress, if_exists);
  if (!truth) return truth.error();
  return write_truth(options.truth, generate::to_json(*truth));
}

generate::NsysExtras extras_of(const GenerateOptions& options) {
  constexpr int64_t kPeriodNs = 100'000;
  return {options.gpu_metrics ? kPeriodNs : 0, options.memory_usage};
}

base::Status write_demo(const GenerateOptions& options, generate::IfExists if_exists,
                        base::Progress& progress) {
  if (!options.truth.empty()) DLVIEW_TRY(generate::check_target(options.truth, if_exists));
  generate::DemoTruth truth;
  generate::DemoTruth* const wanted = options.truth.empty() ? nullptr : &truth;
  DLVIEW_TRY(
      options.format == GenerateOptions::Format::nsys
          ? generate::generate_nsys(options.path, options.demo, options.schema, progress, if_exists,
                                    extras_of(options), wanted)
          : generate::generate_dlprof(options.path, options.demo, progress, if_exists, wanted));
  return write_truth(options.truth, generate::to_json(truth));
}

base::Status write_summary(const GenerateOptions& options, generate::IfExists if_exists) {
  DLVIEW_TRY(generate::check_target(options.path, if_exists));
  const generate::RanksOptions& of = *options.ranks;
  generate::SummaryOptions summary{.ranks = of.ranks,
                                   .ranks_per_host = of.ranks_per_host,
                                   .iterations = of.iterations,
                                   .seed = of.seed};
  if (!of.skew_text.empty()) {
    const bool is_one_item = of.skew_text.find(',') == std::string::npos;
    const bool is_plain = is_one_item && of.skew.stragglers.size() == 1 &&
                          of.skew.stragglers[0].part == generate::SlowPart::kernels &&
                          of.skew.stragglers[0].first == 0 &&
                          of.skew.stragglers[0].last == INT64_MAX &&
                          of.skew.stragglers[0].more_ppm <= generate::kMostSummaryPpm;
    if (!is_plain) {
      return base::Error{
          "Invalid --skew for --summary", of.skew_text,
          "Use one rank that is slow throughout, for example --skew straggler=3:+8%, "
          "or omit --summary"};
    }
    summary.straggler = of.skew.stragglers[0].rank;
    summary.straggler_ppm = of.skew.stragglers[0].more_ppm;
  }
  return write_truth(options.path, ranks::to_bytes(generate::generate_summary(summary)));
}

base::Status write(const GenerateOptions& options, base::Progress& progress) {
  const auto if_exists = options.overwrite ? generate::IfExists::replace : generate::IfExists::fail;
  if (options.ranks && options.ranks_summary) return write_summary(options, if_exists);
  if (options.ranks) return generate::generate_ranks(options.path, *options.ranks, progress);
  if (options.limits) return write_limits(options, if_exists, progress);
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
  return write_demo(options, if_exists, progress);
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

// What is planted into the demo. The texts are read when the command runs.
struct PlantedTexts {
  std::vector<std::string> changes;
  std::string noise;
};

void add_planted_options(CLI::App& command, PlantedTexts& texts) {
  command
      .add_option("--change", texts.changes,
                  "Plant a change into the demo, to compare with a run without it: " +
                      generate::known_changes() + "; may be given several times")
      ->allow_extra_args(false)
      ->option_text("CHANGE");
  command
      .add_option("--noise", texts.noise,
                  "Standard deviation of the speed of all kernels between runs (by --seed) and "
                  "within a run (between iterations), e.g. between=0.7%,within=1.3%")
      ->option_text("LIST");
}

base::Status read_planted(const PlantedTexts& texts, generate::DemoOptions& demo) {
  for (const std::string& text : texts.changes) {
    const base::Result<generate::PlantedChange> change = generate::parse_change(text);
    if (!change) return change.error();
    demo.changes.push_back(*change);
  }
  if (texts.noise.empty()) return base::Success{};
  const base::Result<generate::PlantedNoise> noise = generate::parse_noise(texts.noise);
  if (!noise) return noise.error();
  demo.noise = *noise;
  return base::Success{};
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
  command
      .add_option(
          "--truth", options.truth,
          "Write the expected figures of the trace, of --limits, --change or --ranks as JSON")
      ->option_text("FILE");
}

// The run with known work, and its Nsight Compute CSV. Their texts are read when the
// command runs.
struct LimitsTexts {
  generate::LimitsOptions options;
  std::string launches = "all";
  std::vector<std::string> quirks;
};

constexpr const char* kCounterOptions[] = {"--ncu-page",   "--ncu-locale",  "--ncu-units",
                                           "--ncu-names",  "--ncu-nvtx",    "--ncu-gpu",
                                           "--ncu-quirks", "--ncu-launches"};

template <typename T>
CLI::Option* add_choice(CLI::App& command, const char* name, T& value,
                        const std::map<std::string, T>& choices, const char* initial,
                        const char* help) {
  std::string names = "{";
  for (const auto& [text, choice] : choices) names += (names.size() > 1 ? "," : "") + text;
  return command.add_option(name, value, help)
      ->transform(CLI::CheckedTransformer(choices).description(names + "}"))
      ->default_str(initial);
}

void add_limits_options(CLI::App& command, LimitsTexts& texts) {
  using generate::CsvGpu;
  using generate::CsvLocale;
  using generate::CsvNames;
  using generate::CsvNvtx;
  using generate::CsvPage;
  using generate::CsvUnits;
  using generate::LimitsGpu;
  static const std::map<std::string, LimitsGpu> kGpus{
      {"v100", LimitsGpu::v100}, {"a100", LimitsGpu::a100}, {"h100", LimitsGpu::h100}};
  static const std::map<std::string, CsvPage> kPages{
      {"details", CsvPage::details},         {"details-rules", CsvPage::details_rules},
      {"details-all", CsvPage::details_all}, {"raw", CsvPage::raw},
      {"per-kernel", CsvPage::per_kernel},   {"per-gpu", CsvPage::per_gpu},
      {"per-nvtx", CsvPage::per_nvtx},       {"oldest", CsvPage::oldest},
      {"metrics", CsvPage::metrics}};
  static const std::map<std::string, CsvLocale> kLocales{{"C", CsvLocale::c},
                                                         {"en", CsvLocale::en},
                                                         {"de", CsvLocale::de},
                                                         {"fr", CsvLocale::fr},
                                                         {"ch", CsvLocale::ch}};
  static const std::map<std::string, CsvUnits> kUnits{{"base", CsvUnits::base},
                                                      {"auto", CsvUnits::automatic}};
  static const std::map<std::string, CsvNames> kNames{{"demangled", CsvNames::demangled},
                                                      {"mangled", CsvNames::mangled},
                                                      {"function", CsvNames::function},
                                                      {"old", CsvNames::old_style},
                                                      {"new", CsvNames::new_style}};
  static const std::map<std::string, CsvNvtx> kNvtx{{"none", CsvNvtx::none},
                                                    {"same", CsvNvtx::same},
                                                    {"other", CsvNvtx::other},
                                                    {"rename", CsvNvtx::rename}};
  static const std::map<std::string, CsvGpu> kMeasured{{"same", CsvGpu::same},
                                                       {"v100", CsvGpu::v100},
                                                       {"a100", CsvGpu::a100},
                                                       {"h100", CsvGpu::h100}};
  generate::CountersOptions& counters = texts.options.counters;
  add_choice(command, "--limits", texts.options.gpu, kGpus, "",
             "Write a run with known FLOP, bytes, tiles and limiter on this GPU instead of the "
             "demo");
  command
      .add_option("--ncu", texts.options.counters_path,
                  "With --limits: write the Nsight Compute CSV for its kernels")
      ->option_text("FILE");
  add_choice(command, "--ncu-page", counters.page, kPages, "details", "Page or summary of the CSV");
  add_choice(command, "--ncu-locale", counters.locale, kLocales, "C", "Number style of the CSV");
  add_choice(command, "--ncu-units", counters.units, kUnits, "auto", "Base or automatic units");
  add_choice(command, "--ncu-names", counters.names, kNames, "old",
             "Spelling of kernel names: of c++filt, symbols, functions alone, of Nsight Compute "
             "to 2024 or since 2025");
  add_choice(command, "--ncu-nvtx", counters.nvtx, kNvtx, "none",
             "NVTX ranges of the CSV: those of the profile, others, or as prefix of the name");
  add_choice(command, "--ncu-gpu", counters.gpu, kMeasured, "same",
             "GPU on which the kernels were measured");
  command
      .add_option("--ncu-launches", texts.launches,
                  "Measured launches: \"all\", \"every N\" or \"first N\"")
      ->option_text("TEXT")
      ->default_str("all");
  command
      .add_option("--ncu-quirks", texts.quirks,
                  "What stands around and in the CSV: utf16, bom, crlf, log (lines of ncu and of "
                  "the program), header (a second one), missing (\"n/a\")")
      ->delimiter(',')
      ->option_text("LIST");
}

// "all", "every 3", "first 2".
void read_launches(const std::string& text, generate::CountersOptions& counters) {
  if (text == "all") return;
  const std::size_t space = text.find(' ');
  const std::string_view word = std::string_view(text).substr(0, std::min(space, text.size()));
  int64_t number = 0;
  const char* begin = space == std::string::npos ? nullptr : text.data() + space + 1;
  const bool is_number =
      begin != nullptr &&
      std::from_chars(begin, text.data() + text.size(), number).ptr == text.data() + text.size();
  if (!is_number || number < 1 || (word != "every" && word != "first")) {
    throw CLI::ValidationError("--ncu-launches", "\"" + text + "\" is not all, every N or first N");
  }
  (word == "every" ? counters.every : counters.first) = number;
}

void read_quirks(const std::vector<std::string>& names, generate::CsvQuirks& quirks) {
  const std::map<std::string, bool*> known{
      {"utf16", &quirks.utf16}, {"bom", &quirks.bom},       {"crlf", &quirks.crlf},
      {"log", &quirks.log},     {"header", &quirks.header}, {"missing", &quirks.missing}};
  for (const std::string& name : names) {
    const auto found = known.find(name);
    if (found == known.end()) {
      throw CLI::ValidationError("--ncu-quirks",
                                 "\"" + name + "\" is not in {utf16,bom,crlf,log,header,missing}");
    }
    *found->second = true;
  }
}

constexpr const char* kTraceOptions[] = {
    "--writer",         "--indent",      "--rank",          "--with-stack", "--record-shapes",
    "--profile-memory", "--cuda-graphs", "--checkpointing", "--truth",      "--compiled",
    "--vendor",         "--size",        "--sync-events",   "--counters"};

// Options that say how large the demo is, or what it holds.
constexpr const char* kDemoOptions[] = {"--program",   "--kernels", "--kernels-per-op", "--gpus",
                                        "--framework", "--change",  "--noise"};

void finish_limits(CLI::App& command, const std::string& year, LimitsTexts& limits,
                   GenerateOptions& options) {
  const auto is_given = [&](const char* name) { return !command.get_option(name)->empty(); };
  for (const char* name : kDemoOptions) {
    if (is_given(name)) throw CLI::ValidationError(name, "cannot be combined with --limits");
  }
  for (const char* name : kTraceOptions) {
    if (std::string_view(name) == "--truth" || !is_given(name)) continue;
    throw CLI::ValidationError(name, "cannot be combined with --limits");
  }
  for (const char* name : kCounterOptions) {
    if (is_given("--ncu") || !is_given(name)) continue;
    throw CLI::ValidationError(name, "requires --ncu");
  }
  using Format = GenerateOptions::Format;
  if (is_given("--schema") && options.format != Format::nsys) {
    throw CLI::ValidationError("--schema", "with --limits requires --format nsys");
  }
  using generate::NsysSchema;
  if (year == "2024") throw CLI::ValidationError("--schema", "2024 requires --format pytorch");
  generate::LimitsOptions& made = limits.options;
  made.schema = year == "2021"   ? NsysSchema::v2021
                : year == "2023" ? NsysSchema::v2023
                                 : NsysSchema::v2026;
  made.format = options.format == Format::nsys     ? generate::LimitsFormat::nsys
                : options.format == Format::dlprof ? generate::LimitsFormat::dlprof
                                                   : generate::LimitsFormat::pytorch;
  if (is_given("--iterations")) made.iterations = options.demo.iterations;
  made.seed = options.demo.seed;
  read_launches(limits.launches, made.counters);
  read_quirks(limits.quirks, made.counters.quirks);
  options.limits = made;
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
  command->add_option("OUT", options->path, "File to write, or folder (--ranks)")->required();
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
  command->add_flag("--gpu-metrics", options->gpu_metrics,
                    "Add samples of GPU metrics, one in 100 µs (--format nsys)");
  command->add_flag("--cuda-memory-usage", options->memory_usage,
                    "Add allocations and frees of CUDA (--format nsys)");
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
  const auto planted = std::make_shared<PlantedTexts>();
  add_planted_options(*command, *planted);
  const auto limits = std::make_shared<LimitsTexts>();
  add_limits_options(*command, *limits);
  const auto ranks = std::make_shared<RanksTexts>();
  add_ranks_options(*command, *ranks);
  command->add_flag("--overwrite", options->overwrite, "Replace the file if it exists");
  command->footer(
      "Examples:\n"
      "  dlview generate demo.sqlite\n"
      "  dlview generate large.sqlite --iterations 1000 --kernels 1000000 --gpus 8\n"
      "  dlview generate few_ops.sqlite --kernels 1000000 --kernels-per-op 5\n"
      "  dlview generate export.sqlite --format nsys --schema 2023\n"
      "  dlview generate slower.sqlite --change slower-op=conv2d:1.1 --seed 2 --truth truth.json\n"
      "  dlview generate pairs.sqlite --format nsys --program pairs\n"
      "  dlview generate rank1.json.gz --format pytorch --with-stack --gpus 8 --rank 1\n"
      "  dlview generate run.sqlite --format nsys --limits h100 --ncu raw.csv --ncu-page raw "
      "--truth truth.json\n"
      "  dlview generate run --ranks 16 --skew straggler=4:+8%,offset=5ms,drift=20\n"
      "  dlview generate run.dlsum --summary --ranks 16384 --iterations 1000");
  command->callback([&chosen, options, year, schema, program_option, iterations, kernels, command,
                     planted, limits, ranks] {
    check_ranks_options(*command);
    if (!command->get_option("--ranks")->empty()) {
      if (const base::Status read = read_ranks(*command, *ranks, *options); !read) {
        chosen = [error = read.error()] { return unusable(error); };
        return;
      }
      chosen = [options] { return run_generate(*options); };
      return;
    }
    if (!command->get_option("--limits")->empty()) {
      finish_limits(*command, *year, *limits, *options);
      chosen = [options] { return run_generate(*options); };
      return;
    }
    for (const char* name : kCounterOptions) {
      if (!command->get_option(name)->empty()) throw CLI::ValidationError(name, "requires --ncu");
    }
    if (!command->get_option("--ncu")->empty()) {
      throw CLI::ValidationError("--ncu", "requires --limits");
    }
    const bool is_trace = options->format == Format::pytorch;
    if (!schema->empty() && options->format == Format::dlprof) {
      throw CLI::ValidationError("--schema", "requires --format nsys or pytorch");
    }
    if (!program_option->empty() && options->format != Format::nsys) {
      throw CLI::ValidationError("--program", "requires --format nsys");
    }
    for (const char* name : {"--gpu-metrics", "--cuda-memory-usage"}) {
      if (options->format == Format::nsys || command->get_option(name)->empty()) continue;
      throw CLI::ValidationError(name, "requires --format nsys");
    }
    for (const char* name : kTraceOptions) {
      if (is_trace || command->get_option(name)->empty()) continue;
      if (std::string_view(name) == "--truth" && program_option->empty()) continue;
      throw CLI::ValidationError(name, "requires --format pytorch");
    }
    if (!command->get_option("--size")->empty() && !iterations->empty()) {
      throw CLI::ValidationError("--size", "cannot be combined with --iterations");
    }
    if (!command->get_option("--size")->empty() && !kernels->empty()) {
      throw CLI::ValidationError("--size", "cannot be combined with --kernels");
    }
    for (const char* name : {"--kernels-per-op", "--framework", "--noise"}) {
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
    for (const char* name : {"--iterations", "--kernels", "--kernels-per-op", "--gpus",
                             "--framework", "--change", "--noise"}) {
      if (program_option->empty() || command->get_option(name)->empty()) continue;
      throw CLI::ValidationError(name, "cannot be combined with --program");
    }
    if (const base::Status read = read_planted(*planted, options->demo); !read) {
      chosen = [error = read.error()] { return unusable(error); };
      return;
    }
    options->trace.changes = options->demo.changes;
    chosen = [options] { return run_generate(*options); };
  });
}

}  // namespace dlview::app
