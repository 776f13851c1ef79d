#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands/commands.h"
#include "app/commands/facts.h"
#include "app/display_options.h"
#include "app/window_program.h"
#include "base/progress.h"
#include "report/budget/inputs.h"
#include "report/capture.h"
#include "report/trend/trend_measure.h"
#include "report/trend/trend_tables.h"
#include "report/writers/delimited.h"
#include "report/writers/file.h"
#include "report/writers/text.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
namespace budget = report::budget;

constexpr std::size_t kFewestCaptures = 2;

// The iterations of each capture; no kind = the steady state.
base::Result<budget::RangeChoice> iterations_of(const std::string& text) {
  using Choice = budget::RangeChoice::Kind;
  if (text == "steady") return budget::RangeChoice{};
  if (text == "all") return budget::RangeChoice{.kind = Choice::all};
  const auto range = workspace::parse_iterations(text);
  if (!range) return range.error();
  return budget::RangeChoice{.kind = Choice::range, .range = *range};
}

// By file as it was named: the labels of --label, else the names of files without their endings.
base::Result<std::vector<std::string>> labels_of(const TrendOptions& options) {
  std::map<std::string, std::string> given;
  for (const std::string& label : options.labels) {
    const std::size_t equals = label.find('=');
    const std::string name = label.substr(0, equals),
                      file = equals == std::string::npos ? "" : label.substr(equals + 1);
    if (name.empty() || file.empty()) {
      return base::Error{fmt::format("Invalid --label: \"{}\".", label), "",
                         "Write a name, an equals sign and a file: c4f2=run7.sqlite"};
    }
    if (std::ranges::find(options.captures, file) == options.captures.end()) {
      return base::Error{fmt::format("Invalid --label: \"{}\".", label),
                         fmt::format("{} is not one of the captures", file),
                         "Write the file as in the list of captures"};
    }
    given[file] = name;
  }
  return report::trend_labels(options.captures, given);
}

class TrendCommand {
 public:
  explicit TrendCommand(const TrendOptions& options) : options_(options) {}

  base::Result<int> run() {
    DLVIEW_TRY(prepare());
    if (options_.shows_window) return run_window(window_options());
    report::TrendMeasure measure(specs_);
    const auto order = order_of_captures();
    if (!order) return order.error();
    for (const std::size_t i : *order) {
      auto input = open(i);
      if (!input) return input.error();
      DLVIEW_TRY(measure.add(*input));
    }
    trend_ = std::make_shared<const aggregate::Trend>(measure.finish());
    if (options_.output.empty()) {
      write(std::cout);
      return kExitSuccess;
    }
    DLVIEW_TRY(report::write_file(options_.output, [this](std::ostream& out) { write(out); }));
    return kExitSuccess;
  }

 private:
  // The newest file opens; the window measures all.
  WindowProgramOptions window_options() const {
    WindowProgramOptions window;
    if (options_.display) window.display = *options_.display;
    workspace::SelectionRequest& selection = window.display.selection;
    window.paths = {show_captures(options_.captures, selection)};
    if (!options_.budget.empty()) {
      selection.shared.budgets.budget = fs::absolute(options_.budget).string();
    }
    if (!options_.baseline.empty()) {
      selection.shared.budgets.baseline = fs::absolute(options_.baseline).string();
    }
    selection.shared.trend_key_op = options_.key_op;
    selection.key_op = options_.key_op;
    selection.use_cache = options_.use_cache;
    return window;
  }

  base::Status prepare() {
    std::error_code ignored;
    const std::string& first = options_.captures.front();
    if (options_.captures.size() == 1 && !fs::exists(first, ignored)) {
      return base::Error{"No file has this name", first, "Check the name or the pattern"};
    }
    if (options_.captures.size() < kFewestCaptures) {
      return base::Error{"One capture has no trend", options_.captures.front(),
                         "Name two captures or more; steps need four"};
    }
    std::set<std::string> names;
    for (const std::string& capture : options_.captures) {
      if (!names.insert(capture).second) {
        return base::Error{"The same capture twice", capture, "Name each file once"};
      }
    }
    auto labels = labels_of(options_);
    if (!labels) return labels.error();
    labels_ = *std::move(labels);
    if (options_.metrics.empty()) {
      specs_ = report::default_trend_specs();
    } else {
      auto specs = report::parse_trend_specs(options_.metrics);
      if (!specs) return specs.error();
      specs_ = *std::move(specs);
    }
    if (!options_.budget.empty()) {
      const auto file = budget::read_budget_file(options_.budget);
      if (!file) return file.error();
      std::optional<budget::Baseline> baseline;
      if (!options_.baseline.empty()) {
        auto read = budget::read_baseline_file(options_.baseline);
        if (!read) return read.error();
        baseline = *std::move(read);
      }
      budget_note_ = report::add_budgets(*file, baseline ? &*baseline : nullptr, specs_).note();
      request_.key_op = file->key_op;
      request_.split_by = file->split_by;
      choice_ = file->iterations;
    }
    if (options_.key_op) request_.key_op = options_.key_op;
    if (!options_.iterations.empty()) {
      const auto choice = iterations_of(options_.iterations);
      if (!choice) return choice.error();
      choice_ = *choice;
    }
    request_.use_cache = options_.use_cache;
    return refuse_inputs();
  }

  // The output must not replace what the command reads.
  base::Status refuse_inputs() const {
    std::vector<std::string> inputs = options_.captures;
    inputs.push_back(options_.budget);
    inputs.push_back(options_.baseline);
    for (const std::string& input : inputs) {
      std::error_code ignored;
      if (input.empty() || options_.output.empty()) continue;
      if (fs::equivalent(input, options_.output, ignored)) {
        return base::Error{"The output is an input", options_.output,
                           "Choose another name with -o"};
      }
    }
    return base::Success{};
  }

  // Opens all files once if each has its time of recording, else only the first ones.
  base::Result<std::vector<std::size_t>> order_of_captures() {
    std::vector<std::string> recorded;
    for (const std::string& path : options_.captures) {
      const auto opened = open_with_selection(path, request_);
      if (!opened) return opened.error();
      const profile::Profile& profile = *opened->profile;
      recorded.push_back(profile.trace ? report::recording_time(*profile.trace) : "");
      if (recorded.back().empty()) break;
    }
    std::vector<std::size_t> order = report::order_by_recording(recorded);
    is_by_time_ = !order.empty();
    if (is_by_time_) return order;
    order.resize(options_.captures.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
  }

  base::Result<report::TrendInput> open(std::size_t i) const {
    const auto opened = open_with_selection(options_.captures[i], request_);
    if (!opened) return opened.error();
    if (!options_.output.empty()) {
      DLVIEW_TRY(
          report::refuse_source(options_.output, *opened->profile, "Choose another name with -o"));
    }
    const aggregate::Cut& cut = opened->selection.cut;
    return report::TrendInput{labels_[i], opened->profile, cut,
                              report::trend_range(choice_, *opened->profile, cut)};
  }

  TrendFormat format() const {
    if (options_.format) return *options_.format;
    const std::string ending = fs::path(options_.output).extension().string();
    if (ending == ".html") return TrendFormat::html;
    if (ending == ".json") return TrendFormat::json;
    return ending == ".csv" ? TrendFormat::csv : TrendFormat::text;
  }

  void write(std::ostream& out) const {
    FactSection facts{
        "trend",
        "Trend",
        {{"captures", "Captures", static_cast<int64_t>(trend_->captures.size()),
          aggregate::Unit::count},
         {"order", "Order",
          std::string_view(is_by_time_ ? "time of recording"
                                       : "as given (recording times missing or identical)")},
         {"verdict", "Steps", report::trend_sentence(*trend_)}}};
    if (!budget_note_.empty()) facts.facts.push_back({"budgets", "Budgets", budget_note_});
    switch (format()) {
      case TrendFormat::text:
        print(Info{{std::move(facts)},
                   {report::make_step_texts(trend_), report::make_trend_overview(trend_),
                    report::make_trend_captures(trend_)}},
              false, out);
        break;
      case TrendFormat::json:
        print(Info{{std::move(facts)},
                   {report::make_trend_steps(trend_), report::make_trend_drifts(trend_),
                    report::make_trend_standouts(trend_), report::make_trend_captures(trend_),
                    report::make_trend_values(trend_)}},
              true, out);
        break;
      case TrendFormat::csv: {
        const report::Table table = report::make_trend_values(trend_);
        std::vector<uint32_t> rows(table.row_count);
        std::iota(rows.begin(), rows.end(), uint32_t{0});
        base::Progress progress;
        report::write_table_csv({table, rows, "", {}}, out, progress);
        break;
      }
      case TrendFormat::html:
        report::write_trend_page(trend_, out);
        break;
    }
  }

  const TrendOptions& options_;
  std::vector<std::string> labels_;
  std::vector<report::TrendSpec> specs_;
  workspace::SelectionRequest request_;
  budget::RangeChoice choice_;
  report::SharedTrend trend_;
  bool is_by_time_ = false;
  std::string budget_note_;  // which budgets have no line
};

}  // namespace

int run_trend(const TrendOptions& options) {
  const base::Result<int> code = TrendCommand(options).run();
  return code_of(code);
}

void bind_trend(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<TrendOptions>();
  CLI::App* command =
      program.add_subcommand("trend", "Follow metrics over captures, and find their steps");
  command->add_option("FILE", options->captures, "Profiles of one program, two or more")
      ->required();
  command
      ->add_option("--metric", options->metrics,
                   "Metric to follow, an id of docs/budgets.md; repeatable. Default: iteration, "
                   "breakdown, communication, utilization, Tensor Cores and launches")
      ->allow_extra_args(false);
  command
      ->add_option("--label", options->labels,
                   "Name of a capture, NAME=FILE; repeatable. Default: the name of the file")
      ->allow_extra_args(false);
  command->add_option("--budget", options->budget,
                      "Budget file (TOML), whose limits and [run] count");
  command
      ->add_option("--baseline", options->baseline,
                   "Baseline for --budget: limits that compare with it become lines")
      ->needs(command->get_option("--budget"));
  command->add_option("--iterations", options->iterations,
                      "Iterations of each capture: A:B, all, or steady (default)");
  command->add_option("--key-op", options->key_op, "Iteration marker: op id or name");
  static const std::map<std::string, TrendFormat> kFormats{{"text", TrendFormat::text},
                                                           {"json", TrendFormat::json},
                                                           {"csv", TrendFormat::csv},
                                                           {"html", TrendFormat::html}};
  command
      ->add_option("--format", options->format,
                   "Format: text, json, csv (all values) or html; default: as the output's name "
                   "ends, else text")
      ->transform(CLI::CheckedTransformer(kFormats).description("{text,json,csv,html}"));
  command->add_option("-o,--output", options->output, "Output file; default: standard output");
  command->add_flag_callback(
      "--no-cache", [options] { options->use_cache = false; }, "Do not use the cache");
  CLI::Option* window = command->add_flag(
      "--window", options->shows_window,
      "Show the trend in the window, which measures in the background and opens the newest file");
  for (const char* of_outputs : {"--metric", "--label", "--iterations", "--format", "--output"}) {
    window->excludes(command->get_option(of_outputs));
  }
  const auto display = std::make_shared<DisplayOptions>();
  bind_looks(*command, *display);
  options->display = display;
  for (const char* of_windows : {"--engine", "--theme", "--palette", "--scale"}) {
    command->get_option(of_windows)->needs(window);
  }
  command->footer(
      "Examples:\n"
      "  dlview trend run1.sqlite run2.sqlite run3.sqlite run4.sqlite\n"
      "  dlview trend nightly/*.sqlite --budget budget.toml -o trend.html\n"
      "  dlview trend nightly/*.sqlite --window\n"
      "  dlview trend *.sqlite --metric iteration_duration --label c4f2=run7.sqlite");
  run_when_parsed(*command, chosen, options, run_trend);
}

}  // namespace dlview::app
