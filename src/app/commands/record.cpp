#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "aggregate/aggregator.h"
#include "aggregate/findings.h"
#include "app/commands/commands.h"
#include "app/completion.h"
#include "app/foreground_process.h"
#include "app/quit_signals.h"
#include "base/names_to_remove.h"
#include "base/shell_quote.h"
#include "base/units.h"
#include "import/errors.h"
#include "import/nsys/report_file.h"
#include "report/dlprof/write_reports.h"
#include "report/writers/text.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCommand = "record";
constexpr char kBetweenArguments = '\0';  // no argument contains it
constexpr std::size_t kShownFindings = 5;
constexpr const char* kNoReports = "none";
constexpr const char* kDefaultOptions = "--trace=cuda,nvtx,osrt --sample=none";
// Of Nsight Systems, today and until 2021.
constexpr std::string_view kReportExtensions[] = {".nsys-rep", ".qdrep"};

// What to run, and what it will write.
struct Recording {
  std::vector<std::string> command;  // nsys profile ...
  fs::path folder;
  std::string name;  // of the report and its export, without extension
  std::vector<report::dlprof::Report> reports;
  std::vector<report::dlprof::Format> formats;

  fs::path exported() const { return folder / (name + ".sqlite"); }
};

base::Error no_nsys_to_record() {
  return {"nsys is not on the PATH",
          "dlview record runs the profiler of Nsight Systems, `nsys profile`",
          "Install Nsight Systems (https://developer.nvidia.com/nsight-systems), or add the folder "
          "of nsys to PATH. The PyTorch profiler needs no installation: see docs/recording.md"};
}

base::Error no_program(const std::string& name) {
  return {"Program not found", import::quoted(name) + " is not an executable file or on the PATH",
          "Check its name and the PATH. Write a script with its interpreter: dlview record -- "
          "python train.py"};
}

// Splits like a shell, without variables and patterns.
base::Result<std::vector<std::string>> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool is_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && std::string_view(" \t\n").find(c) != std::string_view::npos) {
      is_word = false;
      continue;
    }
    if (!is_word) words.emplace_back();
    is_word = true;
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote == c) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) {
    return base::Error{fmt::format("Invalid --nsys_opts: \"{}\"", text),
                       fmt::format("a {} is missing", quote), "Close the quotes"};
  }
  return words;
}

// DLProf's help asks for options in two pairs of quotes, so that one may reach dlview.
base::Result<std::vector<std::string>> split_nsys_options(const std::string& text) {
  auto words = split_words(text);
  if (!words) return words;
  if (words->size() == 1 && words->front().find(' ') != std::string::npos) {
    words = split_words(std::string(words->front()));
    if (!words) return words;
  }
  for (const std::string& word : *words) {
    if (!word.starts_with("-o") && !word.starts_with("--output")) continue;
    return base::Error{fmt::format("Invalid --nsys_opts: \"{}\"", word),
                       "dlview names the report of nsys",
                       "Use --output_path DIR and --nsys_base_name NAME"};
  }
  return words;
}

// Replaces each %q{VARIABLE} by its value, as nsys does, so that each rank has files of its own.
base::Result<std::string> with_variables(std::string text) {
  constexpr std::string_view kBegin = "%q{";
  for (std::size_t at = 0; (at = text.find(kBegin, at)) != std::string::npos;) {
    const std::size_t end = text.find('}', at);
    const std::string name =
        end == std::string::npos ? "" : text.substr(at + kBegin.size(), end - at - kBegin.size());
    const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
    if (value == nullptr) {
      return base::Error{"Environment variable not set", text, "Set the variable, or remove %q"};
    }
    text.replace(at, end + 1 - at, value);
    at += std::string_view(value).size();
  }
  return text;
}

// nsys replaces patterns in the name of its output: "%%" is a percent sign.
std::string without_patterns(const std::string& path) {
  std::string escaped;
  for (const char c : path) escaped.append(c == '%' ? 2 : 1, c);
  return escaped;
}

bool has_option(const std::vector<std::string>& options, std::string_view name) {
  return std::ranges::any_of(options,
                             [name](const std::string& word) { return word.starts_with(name); });
}

base::Result<std::vector<std::string>> nsys_command(const RecordOptions& options,
                                                    const fs::path& output) {
  auto chosen = split_nsys_options(options.nsys_options.value_or(kDefaultOptions));
  if (!chosen) return chosen;
  std::vector<std::string> command{"nsys", "profile"};
  std::ranges::copy(*chosen, std::back_inserter(command));
  if (options.mode == "pytorch" && !has_option(*chosen, "--pytorch")) {
    command.emplace_back("--pytorch=autograd-shapes-nvtx");
  }
  if (options.mode.starts_with("tensorflow") && !has_option(*chosen, "--env-var") &&
      !has_option(*chosen, "-e")) {
    command.emplace_back("--env-var=TF_ENABLE_NVTX_RANGES=1");
  }
  if (options.delay_s > 0) command.push_back(fmt::format("--delay={}", options.delay_s));
  if (options.duration_s > 0) command.push_back(fmt::format("--duration={}", options.duration_s));
  if (options.force) command.emplace_back("--force-overwrite=true");
  command.push_back("--output=" + without_patterns(output.string()));
  std::ranges::copy(options.program, std::back_inserter(command));
  return command;
}

// Returns the number N of the report NAME.N.nsys-rep, 0 of NAME.nsys-rep, or nullopt for another
// file. nsys numbers reports if several ranges of a run are captured.
std::optional<int> report_number(const fs::path& file, const std::string& name) {
  const std::string text = file.filename().string();
  if (!text.starts_with(name)) return std::nullopt;
  for (const std::string_view extension : kReportExtensions) {
    if (!text.ends_with(extension) || text.size() < name.size() + extension.size()) continue;
    const std::string between =
        text.substr(name.size(), text.size() - name.size() - extension.size());
    if (between.empty()) return 0;
    int number = 0;
    const char* end = between.data() + between.size();
    const auto read = std::from_chars(between.data() + 1, end, number);
    if (between.front() == '.' && read.ec == std::errc() && read.ptr == end) return number;
  }
  return std::nullopt;
}

struct ReportFile {
  fs::path path;
  fs::file_time_type written;
  bool operator==(const ReportFile&) const = default;
};

// Returns the reports of this name in the folder, in the order of their numbers.
std::vector<ReportFile> reports_of(const Recording& recording) {
  std::multimap<int, ReportFile> found;
  std::error_code failure;
  for (fs::directory_iterator entry(recording.folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::optional<int> number = report_number(entry->path(), recording.name);
    std::error_code ignored;
    if (number) found.insert({*number, {entry->path(), entry->last_write_time(ignored)}});
  }
  std::vector<ReportFile> reports;
  for (const auto& [number, file] : found) reports.push_back(file);
  return reports;
}

// Returns all files that the recording would write and that exist.
std::vector<fs::path> existing_files(const Recording& recording) {
  std::vector<fs::path> files;
  for (const ReportFile& report : reports_of(recording)) files.push_back(report.path);
  std::vector<fs::path> planned{recording.exported()};
  for (const report::dlprof::Report report : recording.reports) {
    for (const report::dlprof::Format format : recording.formats) {
      planned.push_back(recording.folder /
                        fmt::format("{}.{}", report::dlprof::info(report).file_stem,
                                    format == report::dlprof::Format::csv ? "csv" : "json"));
    }
  }
  std::error_code ignored;
  std::ranges::copy_if(planned, std::back_inserter(files), [&ignored](const fs::path& file) {
    return fs::exists(fs::symlink_status(file, ignored));
  });
  return files;
}

base::Error files_exist(const std::vector<fs::path>& files) {
  const std::size_t others = files.size() - 1;
  return {
      "Output files exist",
      import::quoted(files.front()) +
          (others == 0 ? "" : " and " + base::counted(static_cast<int64_t>(others), "more files")),
      "Choose another folder with --output_path DIR, or replace them with --force"};
}

base::Result<Recording> plan(const RecordOptions& options) {
  Recording recording;
  if (options.reports != kNoReports) {
    auto reports = report::dlprof::parse_report_list(options.reports);
    if (!reports) return reports.error();
    recording.reports = *std::move(reports);
  }
  auto formats = report::dlprof::parse_format_list(options.formats);
  if (!formats) return formats.error();
  recording.formats = *std::move(formats);
  const auto folder = with_variables(options.output_folder);
  if (!folder) return folder.error();
  const auto name = with_variables(options.base_name);
  if (!name) return name.error();
  if (name->empty() || name->find('/') != std::string::npos) {
    return base::Error{fmt::format("Invalid --nsys_base_name: \"{}\"", *name), "it is a file name",
                       "Choose the folder with --output_path DIR"};
  }
  recording.folder = folder->empty() ? "." : *folder;
  recording.name = *name;
  auto command = nsys_command(options, recording.folder / recording.name);
  if (!command) return command.error();
  recording.command = *std::move(command);

  if (!is_program("nsys")) return no_nsys_to_record();
  if (!is_program(options.program.front())) return no_program(options.program.front());
  const std::vector<fs::path> files = existing_files(recording);
  if (!options.force && !files.empty()) return files_exist(files);
  std::error_code failure;
  fs::create_directories(recording.folder, failure);
  if (failure) {
    return base::Error{"The output folder cannot be created",
                       import::quoted(recording.folder) + ": " + failure.message(),
                       "Choose another folder with --output_path DIR"};
  }
  return recording;
}

std::string shown_path(const fs::path& path) {
  return report::printable(path.string());
}

base::Error no_report(const Recording& recording, const RecordOptions& options, int exit_code) {
  std::string advice = "See the messages of nsys above";
  if (options.nsys_options) {
    advice += "; check --nsys_opts";
  } else if (options.mode == "pytorch") {
    advice += ". If it does not know --pytorch, use a newer nsys, or omit --mode";
  }
  return {"nsys wrote no report",
          fmt::format("nsys exited with {}; expected {}", exit_code,
                      shown_path(recording.folder / (recording.name + ".nsys-rep"))),
          advice};
}

// Ctrl+C stops it.
base::Status export_recording(const fs::path& report, const Recording& recording) {
  std::cerr << "Exporting " << shown_path(report) << "...\n";
  base::Progress progress;
  base::Status status = base::Success{};
  {
    const QuitSignals signals([&progress] { progress.cancel(); });
    std::error_code ignored;
    fs::remove(recording.exported(), ignored);  // of an earlier report
    status = import::nsys::export_report_to(report, recording.exported(), progress);
  }
  base::remove_names_on_signals();
  return status;
}

// Returns the range of --iter_start and --iter_stop; the latter may exceed the run, as in DLProf.
base::Result<aggregate::IterationRange> choose_range(const RecordOptions& options,
                                                     const aggregate::IterationRange& all,
                                                     const Recording& recording) {
  const int64_t first = options.iter_start.value_or(all.first),
                last = options.iter_stop.value_or(all.last);
  if (first > all.last) {
    return base::Error{
        "The range begins after the last iteration",
        fmt::format("--iter_start {}; the run has iterations {}:{}", first, all.first, all.last),
        fmt::format("Write the reports again: dlview report {} --output-dir {} --iterations A:B",
                    base::shell_quoted(recording.exported().string()),
                    base::shell_quoted(recording.folder.string()))};
  }
  if (last > all.last) {
    std::cerr << fmt::format("--iter_stop {}: the last iteration is {}\n", last, all.last);
  }
  return aggregate::IterationRange{first, std::min(last, all.last)};
}

void print_finding(const aggregate::Finding& finding) {
  std::cerr << "\nProblem detected:\n    " << report::printable(finding.advice.problem)
            << "\nRecommended change:\n    " << report::printable(finding.advice.recommendation)
            << '\n';
  if (finding.stake_ns) {
    std::cerr << "Potential savings:\n    at most " << base::format_duration(*finding.stake_ns)
              << " per iteration\n";
  }
}

void print_findings(const profile::Profile& profile, const aggregate::Aggregation& aggregation,
                    const std::string& export_path) {
  const aggregate::RuleIndex rules(profile);
  const aggregate::LimitIndex limits(profile);
  const std::vector<aggregate::Finding> findings =
      aggregate::find_findings(profile, aggregation, {}, &rules, 0, &limits).findings;
  if (findings.empty()) std::cerr << "\nNo problems detected.\n";
  const std::size_t count = std::min(findings.size(), kShownFindings);
  for (std::size_t i = 0; i < count; ++i) print_finding(findings[i]);
  if (count < findings.size()) {
    std::cerr << fmt::format(
        "\n{}: dlview table {} --table findings\n",
        base::counted(static_cast<int64_t>(findings.size() - count), "more findings"), export_path);
  }
}

base::Status write_reports(const RecordOptions& options, const Recording& recording) {
  workspace::SelectionRequest request;
  if (options.key_op) request.key_op = *options.key_op;
  request.split_by = aggregate::SplitBy::host;  // as DLProf does
  auto opened = open_with_selection(recording.exported(), request);
  if (!opened) return opened.error();
  const auto range = choose_range(options, opened->selection.range, recording);
  if (!range) return range.error();
  opened->selection.range = *range;
  const aggregate::Aggregation aggregation =
      aggregate::make_cpu_aggregator(opened->profile)->aggregate(opened->selection);
  if (!recording.reports.empty()) {
    const auto written = report::dlprof::write_reports(
        *opened->profile, aggregation, recording.reports, recording.formats, recording.folder);
    if (!written) return written.error();
    for (const fs::path& file : *written) std::cerr << "Wrote " << shown_path(file) << '\n';
  }
  print_findings(*opened->profile, aggregation, base::shell_quoted(recording.exported().string()));
  return base::Success{};
}

base::Status report_on(const std::vector<fs::path>& reports, const RecordOptions& options,
                       const Recording& recording) {
  for (const fs::path& report : reports) std::cerr << "Wrote " << shown_path(report) << '\n';
  if (reports.size() > 1) {
    std::cerr << fmt::format("nsys wrote {} reports. Continuing with the first one.\n",
                             reports.size());
  }
  DLVIEW_TRY(export_recording(reports.front(), recording));
  std::cerr << "Wrote " << shown_path(recording.exported()) << '\n';
  DLVIEW_TRY(write_reports(options, recording));
  std::cerr << "\nOpen it: dlview " << base::shell_quoted(recording.exported().string()) << '\n';
  return base::Success{};
}

}  // namespace

int run_record(const RecordOptions& options) {
  const base::Result<Recording> recording = plan(options);
  if (!recording) return unusable(recording.error());
  const std::vector<ReportFile> before = reports_of(*recording);
  const ForegroundEnd end = run_in_foreground(recording->command);
  if (end.error != 0) {
    return unusable({"nsys does not start", std::generic_category().message(end.error),
                     "Check the installation: nsys --version"});
  }
  std::vector<fs::path> reports;
  for (const ReportFile& file : reports_of(*recording)) {
    if (std::ranges::find(before, file) == before.end()) reports.push_back(file.path);
  }
  const int code = end.signal != 0 ? 128 + end.signal : end.exit_code;
  if (reports.empty()) {
    unusable(no_report(*recording, options, end.exit_code));
    return end.signal != 0 ? code : kExitUnusable;
  }
  if (code != 0) std::cerr << "The program ended with exit code " << code << ".\n";
  const base::Status done = report_on(reports, options, *recording);
  if (done) return code;
  unusable(done.error());
  return code != 0 ? code : kExitUnusable;
}

std::vector<std::string> join_recorded_program(const CLI::App& program,
                                               std::vector<std::string> arguments) {
  const auto commands = program.get_subcommands(
      [](const CLI::App* command) { return command->get_name() == kCommand; });
  if (arguments.empty() || arguments.front() != kCommand || commands.empty()) return arguments;
  std::vector<std::string> joined{arguments.front()};
  std::size_t next = 1;
  while (next < arguments.size()) {
    const std::string& word = arguments[next];
    if (word.size() < 2 || word[0] != '-' || word == "--") break;
    ++next;
    const bool is_long = word.starts_with("--");
    const std::size_t end = std::min(is_long ? word.find('=') : 2, word.size());
    std::string name = word.substr(0, end);
    if (is_long) std::replace(name.begin() + 2, name.end(), '-', '_');  // --key-op, too
    const CLI::Option* option = commands.front()->get_option_no_throw(name);
    const bool is_complete = option == nullptr || end < word.size() || next == arguments.size();
    if (!is_complete && option->get_items_expected_max() > 0) {
      joined.push_back(name);
      joined.push_back(arguments[next++]);
    } else if (!is_complete && (arguments[next] == "true" || arguments[next] == "false")) {
      // DLProf's flags have a value: -f true.
      joined.push_back(fmt::format("--{}={}", option->get_lnames().front(), arguments[next++]));
    } else {
      joined.push_back(name + word.substr(end));
    }
  }
  if (next < arguments.size() && arguments[next] == "--") ++next;
  if (next == arguments.size()) return joined;
  joined.emplace_back("--");
  joined.push_back(
      fmt::format("{}", fmt::join(arguments.begin() + static_cast<std::ptrdiff_t>(next),
                                  arguments.end(), std::string_view(&kBetweenArguments, 1))));
  return joined;
}

void bind_record(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<RecordOptions>();
  const auto joined = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand(
      std::string(kCommand), "Profile a program with nsys, write DLProf's reports and findings");
  command->add_option("PROGRAM", *joined, "Program to run, after --; dlview returns its exit code")
      ->required()
      ->option_text("[ARGUMENT...]");
  command
      ->add_option("-m,--mode", options->mode,
                   "Framework: pytorch records ops with shapes (nsys --pytorch), tensorflow1 and "
                   "tensorflow2 record ops (TF_ENABLE_NVTX_RANGES=1), simple and tensorrt add "
                   "nothing")
      ->check(CLI::IsMember(option_values(kCommand, "--mode")))
      ->option_text("MODE")
      ->default_str("simple");
  command->add_option("-y,--delay", options->delay_s, "Start to record after so many seconds")
      ->check(CLI::NonNegativeNumber)
      ->option_text("SECONDS");
  command
      ->add_option("-d,--duration", options->duration_s,
                   "Record so many seconds, then end the program; default: until it ends")
      ->check(CLI::NonNegativeNumber)
      ->option_text("SECONDS");
  command
      ->add_option("--nsys_opts", options->nsys_options,
                   fmt::format("Options of `nsys profile` instead of \"{}\"", kDefaultOptions))
      ->option_text("OPTIONS");
  command
      ->add_option("--key_op,--key_node", options->key_op,
                   "In reports: op, op id or NVTX range that marks iterations")
      ->option_text("NAME");
  command->add_option("--iter_start", options->iter_start, "In reports: first iteration")
      ->check(CLI::NonNegativeNumber)
      ->option_text("N");
  command->add_option("--iter_stop", options->iter_stop, "In reports: last iteration")
      ->check(CLI::NonNegativeNumber)
      ->option_text("N");
  command
      ->add_option("--reports", options->reports,
                   "Reports: all, none, or a list of summary, detail, iteration, kernel, tensor, "
                   "op_type, group_op, expert_systems")
      ->capture_default_str();
  command->add_option("--formats", options->formats, "Formats: csv, json")->capture_default_str();
  command
      ->add_option("-o,--output_path", options->output_folder,
                   "Output folder; %q{VARIABLE} is the value of an environment variable")
      ->option_text("DIR")
      ->default_str(".");
  command
      ->add_option("--nsys_base_name", options->base_name,
                   "Name of the report and its export, without extension; also with %q{VARIABLE}")
      ->option_text("NAME")
      ->default_str("nsys_profile");
  command->add_flag("-f,--force", options->force, "Replace output files that exist");
  command->footer(
      "Examples:\n"
      "  dlview record -- python train.py\n"
      "  dlview record --mode pytorch --delay 60 --duration 20 -o out -- python train.py\n"
      "  dlview record --nsys_opts \"-t cuda,nvtx --cuda-graph-trace=node\" -- ./train --steps 50");
  command->callback([&chosen, options, joined] {
    if (options->iter_start && options->iter_stop && *options->iter_start > *options->iter_stop) {
      throw CLI::ValidationError(
          "--iter_stop",
          fmt::format("{} is below --iter_start {}", *options->iter_stop, *options->iter_start));
    }
    options->program.clear();
    for (std::size_t begin = 0; begin <= joined->size();) {
      const std::size_t end = std::min(joined->find(kBetweenArguments, begin), joined->size());
      options->program.push_back(joined->substr(begin, end - begin));
      begin = end + 1;
    }
    chosen = [options] { return run_record(*options); };
  });
}

}  // namespace dlview::app
