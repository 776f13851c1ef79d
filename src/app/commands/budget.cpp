#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "aggregate/iterations.h"
#include "app/build_facts.h"
#include "app/commands/budget_run.h"
#include "app/commands/commands.h"
#include "import/column_cache/checksum.h"
#include "report/budget/inputs.h"
#include "report/budget/outputs.h"
#include "report/page/run_page.h"
#include "report/writers/file.h"
#include "report/writers/text.h"
#include "workspace/filter_values.h"
#include "workspace/selection_request.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
namespace budget = report::budget;

base::Result<std::optional<budget::Baseline>> read_baseline_file(const BudgetOptions& options) {
  if (options.baseline.empty()) return std::optional<budget::Baseline>();
  auto baseline = budget::read_baseline_file(options.baseline);
  if (!baseline) return baseline.error();
  return std::optional(*std::move(baseline));
}

struct OpenedRun {
  std::unique_ptr<budget::Meter> meter;
  std::shared_ptr<const profile::Profile> profile;
};

base::Result<OpenedRun> open_run(const std::string& path, const budget::BudgetFile& file,
                                 bool use_cache) {
  workspace::SelectionRequest request;
  request.key_op = file.key_op;
  request.split_by = file.split_by;
  request.use_cache = use_cache;
  const auto opened = open_with_selection(path, request);
  if (!opened) {
    base::Error error = opened.error();
    if (file.key_op && error.title == workspace::kMarkerNotFound) {
      error.detail = fmt::format("{}: {}", file.place_text(file.key_op_place), error.detail);
    }
    return error;
  }
  aggregate::Selection selection = opened->selection;
  const auto range =
      budget::judged_range(file, aggregate::cut_iterations(*opened->profile, selection.cut));
  if (!range) return range.error();
  selection.range = *range;
  const std::shared_ptr<const profile::Profile> profile = opened->profile;
  auto why_no_match = [profile](const aggregate::Filter& filter) {
    const base::Status status = workspace::check_filter(*profile, filter);
    if (status) return std::string();
    const base::Error& error = status.error();
    const bool is_guess = error.advice.starts_with("Did you mean");
    return is_guess ? fmt::format("{}. {}", error.detail, error.advice) : error.detail;
  };
  return OpenedRun{
      std::make_unique<budget::Meter>(profile, std::move(selection), std::move(why_no_match)),
      profile};
}

// XXH3 of the bytes; empty for a folder.
std::string checksum_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  import::column_cache::Checksum checksum;
  std::vector<char> block(std::size_t{1} << 20U);
  bool is_empty = true;
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
    is_empty = false;
    checksum.add(std::as_bytes(std::span(block.data(), static_cast<std::size_t>(file.gcount()))));
  }
  return is_empty ? "" : fmt::format("{:016x}", checksum.value());
}

// An output must not replace what the command reads.
base::Status refuse_inputs(const std::string& output, const BudgetOptions& options,
                           const profile::Profile* profile) {
  constexpr const char* kAdvice = "Choose another name for the output";
  if (profile != nullptr) DLVIEW_TRY(report::refuse_source(output, *profile, kAdvice));
  std::vector<std::string> inputs = options.runs;
  inputs.push_back(options.budget);
  if (options.action != "baseline") inputs.push_back(options.baseline);
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (!input.empty() && fs::equivalent(input, output, ignored)) {
      return base::Error{"The output is an input", output, kAdvice};
    }
  }
  return base::Success{};
}

// One output would replace another one. Devices such as /dev/null take any number.
base::Status refuse_equal_outputs(const BudgetOptions& options) {
  const std::array<std::pair<const char*, const std::string*>, 4> outputs{
      {{"--junit", &options.junit},
       {"--json", &options.json},
       {"--markdown", &options.markdown},
       {"--html", &options.html}}};
  std::map<fs::path, const char*> used;
  for (const auto& [option, path] : outputs) {
    std::error_code ignored;
    if (path->empty() || (fs::exists(*path, ignored) && !fs::is_regular_file(*path, ignored))) {
      continue;
    }
    std::error_code failed;
    const fs::path place = fs::weakly_canonical(*path, failed);
    const auto [other, is_new] = used.try_emplace(failed ? fs::path(*path) : place, option);
    if (is_new) continue;
    return base::Error{"Two outputs share a path",
                       fmt::format("{} and {} write {}", other->second, option, *path),
                       "Choose a name for each"};
  }
  return base::Success{};
}

base::Status write_text_file(const std::string& path, const std::string& text,
                             const BudgetOptions& options, const profile::Profile* profile) {
  if (path.empty()) return base::Success{};
  DLVIEW_TRY(refuse_inputs(path, options, profile));
  return report::write_file(path, [&text](std::ostream& out) { out << text; });
}

// Behind what other steps wrote, as GitHub has it, and within what GitHub shows.
base::Status append_summary(const budget::CheckedRun& run, const BudgetOptions& options,
                            const profile::Profile& profile) {
  if (options.markdown.empty()) return base::Success{};
  std::string before;
  std::error_code ignored;
  if (fs::is_regular_file(options.markdown, ignored)) {
    auto text = budget::read_text_file(options.markdown, "summary", budget::kMostSummaryBytes);
    if (!text) return text.error();
    before = *std::move(text);
    if (!before.empty() && !before.ends_with('\n')) before += '\n';
  }
  const std::size_t room =
      budget::kMostSummaryBytes - std::min(before.size(), budget::kMostSummaryBytes);
  return write_text_file(options.markdown, before + budget::summary_markdown(run, room), options,
                         &profile);
}

// What CI shows of a check that could not be made.
int unusable_check(const BudgetOptions& options, const base::Error& error) {
  const base::Status written = write_text_file(
      options.junit, budget::junit_error_xml(options.budget, error), options, nullptr);
  if (!written) unusable(written.error());
  if (options.annotations == "github") {
    std::cout << budget::github_error_annotation(options.budget, error);
  }
  return unusable(error);
}

base::Status write_budget_page(const JudgedRun& run, const budget::CheckedRun& checked,
                               const BudgetOptions& options) {
  if (options.html.empty()) return base::Success{};
  DLVIEW_TRY(refuse_inputs(options.html, options, run.profile.get()));
  return report::page::write_run_page({.profile = *run.profile,
                                       .aggregation = run.meter->whole(),
                                       .version = kVersion,
                                       .budgets = &checked},
                                      options.html);
}

// The verdict comes first: an output that cannot be written must not hide a broken budget, nor keep
// the others from being written.
base::Result<int> check(const BudgetOptions& options) {
  const auto judged = judge_run(options);
  if (!judged) return judged.error();
  const JudgedRun& run = **judged;
  const budget::CheckedRun checked = run.checked();
  std::cout << budget::check_text(checked);
  if (options.annotations == "github") std::cout << budget::github_annotations(checked);
  std::cout << std::flush;
  int code = budget::exit_code_of(run.verdicts, checked.inconclusive);
  for (const base::Status& written :
       {write_text_file(options.junit, budget::junit_xml(checked), options, run.profile.get()),
        write_text_file(options.json, budget::check_json(checked), options, run.profile.get()),
        append_summary(checked, options, *run.profile), write_budget_page(run, checked, options)}) {
    if (!written) code = unusable(written.error());
  }
  return code;
}

std::string time_now() {
  const std::time_t now = report::source_date().value_or(std::time(nullptr));
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

base::Result<int> make_baseline(const BudgetOptions& options) {
  const auto file = budget::read_budget_file(options.budget);
  if (!file) return file.error();
  DLVIEW_TRY(refuse_inputs(options.output, options, nullptr));
  budget::Baseline baseline;
  baseline.made = time_now();
  baseline.version = kVersion;
  baseline.accepted = options.accept;
  for (const std::string& path : options.runs) {
    const auto run = open_run(path, *file, options.use_cache);
    if (!run) return run.error();
    DLVIEW_TRY(report::refuse_source(options.output, *run->profile,
                                     "Choose another name for the baseline"));
    budget::add_capture(*file, *run->meter, checksum_of(path), baseline);
    const budget::RunFacts& added = baseline.captures.back();
    if (const std::string unmet = budget::unmet_need(*file, added); !unmet.empty()) {
      return base::Error{"The run is not what the budgets need", fmt::format("{}: {}", path, unmet),
                         "Capture on the machine that the budgets are for"};
    }
    for (const budget::RunFacts& other : baseline.captures) {
      const std::string why = budget::why_not_comparable(other, added);
      if (why.empty()) {
        if (&other == &added || other.checksum.empty() || other.checksum != added.checksum) {
          continue;
        }
        return base::Error{"The same capture twice", fmt::format("{} and {}", other.file, path),
                           "Name captures of different runs: one file has no noise between runs"};
      }
      return base::Error{"The captures are not of one state",
                         fmt::format("{} and {}: {}", other.file, path, why),
                         "Capture on one machine with one split"};
    }
  }
  DLVIEW_TRY(report::write_file(
      options.output, [&baseline](std::ostream& out) { budget::write_baseline(baseline, out); }));
  const auto captures = baseline.captures.size();
  std::cout << fmt::format(
      "Wrote {}: {} of {}\n", report::printable(options.output),
      captures == 1 ? "1 capture" : fmt::format("{} captures", captures),
      file->budgets.size() == 1 ? "1 budget" : fmt::format("{} budgets", file->budgets.size()));
  for (const budget::BaselineBudget& measured : baseline.budgets) {
    if (measured.captures.size() == captures) continue;
    if (budget::find_budget_metric(measured.metric)->needs_names()) continue;
    std::cout << fmt::format("- {}: not measurable in {} of them\n",
                             report::printable(measured.name), captures - measured.captures.size());
  }
  if (captures < 3 && file->needs_baseline()) {
    std::cout << "Tolerances are not learned: three captures of the same program are needed\n";
  }
  return kExitSuccess;
}

base::Result<int> explain(const BudgetOptions& options) {
  const auto file = budget::read_budget_file(options.budget);
  if (!file) return file.error();
  const auto baseline = read_baseline_file(options);
  if (!baseline) return baseline.error();
  const budget::Baseline* before = *baseline ? &**baseline : nullptr;
  std::optional<budget::Verdicts> verdicts;
  if (!options.runs.empty()) {
    const auto run = open_run(options.runs.front(), *file, options.use_cache);
    if (!run) return run.error();
    verdicts = budget::judge(*file, *run->meter, before);
  }
  const auto text =
      budget::explain_text(*file, before, verdicts ? &*verdicts : nullptr, options.names);
  if (!text) return text.error();
  std::cout << *text;
  return kExitSuccess;
}

// What the action needs, and what only others take.
base::Status check_arguments(const BudgetOptions& options) {
  const auto usage = [&options](std::string title, std::string advice) {
    return base::Error{std::move(title), fmt::format("dlview budget {}", options.action),
                       std::move(advice)};
  };
  const bool is_baseline = options.action == "baseline", is_check = options.action == "check";
  if (is_baseline ? options.runs.empty() : is_check && options.runs.empty()) {
    return usage("No profile", "Name the profile after the action");
  }
  if (!is_baseline && options.runs.size() > 1) {
    return usage("More than one profile", "Name one profile");
  }
  if (is_baseline == options.output.empty()) {
    return is_baseline ? usage("No output", "Add -o baseline.json")
                       : usage("-o is for `dlview budget baseline`", "Use --json FILE");
  }
  if (!is_baseline && !options.accept.empty()) {
    return usage("--accept is for `dlview budget baseline`", "Omit it");
  }
  if (is_baseline && !options.baseline.empty()) {
    return usage("--baseline is what `dlview budget baseline` makes", "Omit it");
  }
  const bool has_outputs = !options.junit.empty() || !options.markdown.empty() ||
                           !options.json.empty() || !options.annotations.empty() ||
                           !options.html.empty();
  if (!is_check && has_outputs) {
    return usage(
        "--junit, --markdown, --json, --html and --annotations are for `dlview budget check`",
        "Omit them");
  }
  DLVIEW_TRY(refuse_equal_outputs(options));
  if (options.action != "explain" && !options.names.empty()) {
    return usage("--name is for `dlview budget explain`", "Omit it");
  }
  return base::Success{};
}

}  // namespace

base::Result<std::unique_ptr<JudgedRun>> judge_run(const BudgetOptions& options) {
  auto file = budget::read_budget_file(options.budget);
  if (!file) return file.error();
  auto baseline = read_baseline_file(options);
  if (!baseline) return baseline.error();
  if (file->needs_baseline() && !*baseline) {
    return base::Error{"No baseline", fmt::format("budgets of {} compare with one", options.budget),
                       "Add --baseline FILE; `dlview budget baseline` makes it"};
  }
  auto opened = open_run(options.runs.front(), *file, options.use_cache);
  if (!opened) return opened.error();
  // Verdicts refer to the budgets of the file.
  auto run = std::make_unique<JudgedRun>();
  run->file = *std::move(file);
  run->baseline = *std::move(baseline);
  run->profile = opened->profile;
  run->meter = std::move(opened->meter);
  run->verdicts = budget::judge(run->file, *run->meter, run->baseline ? &*run->baseline : nullptr);
  run->facts = budget::run_facts(*run->meter);
  run->inconclusive =
      options.inconclusive == "pass" ? budget::Inconclusive::pass : budget::Inconclusive::fail;
  return run;
}

int run_budget(const BudgetOptions& options) {
  if (const base::Status fit = check_arguments(options); !fit) return unusable(fit.error());
  if (options.action == "check") {
    const base::Result<int> code = check(options);
    return code ? *code : unusable_check(options, code.error());
  }
  const base::Result<int> code =
      options.action == "baseline" ? make_baseline(options) : explain(options);
  return code_of(code);
}

void bind_budget(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<BudgetOptions>();
  CLI::App* command =
      program.add_subcommand("budget", "Check limits for the numbers of a run, as CI does");
  command
      ->add_option("ACTION", options->action,
                   "check: judge a profile. baseline: measure accepted profiles. explain: print "
                   "how each budget is judged")
      ->check(CLI::IsMember({"check", "baseline", "explain"}))
      ->required();
  command->add_option("RUN", options->runs,
                      "Profile; for baseline all captures of the accepted state, best three or "
                      "more");
  command->add_option("--budget", options->budget, "Budget file (TOML); default: budget.toml");
  command->add_option("--baseline", options->baseline,
                      "Baseline file, as `dlview budget baseline` writes it");
  command->add_option("-o,--output", options->output, "baseline: write it into this file");
  command->add_option("--accept", options->accept,
                      "baseline: why this state is accepted; kept in the file");
  command->add_option("--junit", options->junit, "check: write JUnit XML into this file");
  command->add_option("--markdown", options->markdown,
                      "check: append a summary in Markdown to this file");
  command->add_option("--json", options->json, "check: write JSON into this file");
  command->add_option("--html", options->html,
                      "check: write a page about the run and its budgets into this file");
  command
      ->add_option("--annotations", options->annotations,
                   "check: print annotations of a CI system: github")
      ->check(CLI::IsMember({"github"}));
  command
      ->add_option("--inconclusive", options->inconclusive,
                   "check: fail (exit code 3) or pass (0) if a budget is inconclusive or not "
                   "comparable; default: fail")
      ->check(CLI::IsMember({"fail", "pass"}));
  command->add_option("--name", options->names, "explain: only the budget of this name; repeatable")
      ->allow_extra_args(false);
  command->add_flag_callback(
      "--no-cache", [options] { options->use_cache = false; }, "Do not use the cache");
  command->footer(
      "Examples:\n"
      "  dlview budget baseline run1.sqlite run2.sqlite run3.sqlite -o baseline.json\n"
      "  dlview budget check run.sqlite --baseline baseline.json --junit out.xml\n"
      "  dlview budget explain --baseline baseline.json");
  run_when_parsed(*command, chosen, options, run_budget);
}

}  // namespace dlview::app
