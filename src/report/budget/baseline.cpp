#include "report/budget/baseline.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join
#include <nlohmann/json.hpp>

#include "aggregate/comparison/statistics.h"
#include "aggregate/key_names.h"
#include "base/utf8.h"
#include "report/capture.h"

namespace dlview::report::budget {
namespace {

using aggregate::Unit;
using BaselineJson = nlohmann::ordered_json;

constexpr int kBaselineFormat = 1;

std::vector<std::string> filter_texts_of(const std::vector<aggregate::Filter>& filters) {
  std::vector<std::string> texts;
  for (const aggregate::Filter& filter : filters) texts.push_back(to_text(filter));
  return texts;
}

BaselineJson number_json(int64_t value, Unit unit) {
  return unit == Unit::percent ? BaselineJson(number_of(value, unit)) : BaselineJson(value);
}

BaselineJson facts_json(const RunFacts& facts) {
  const auto text = [](const std::string& value) { return base::with_valid_utf8(value); };
  BaselineJson gpus = BaselineJson::object();
  for (const auto& [name, count] : facts.gpus) gpus[text(name)] = count;
  return {{"file", text(facts.file)},
          {"checksum", facts.checksum},
          {"recorded", text(facts.recorded)},
          {"gpus", gpus},
          {"compute_capability", text(facts.compute_capability)},
          {"framework", text(facts.framework)},
          {"cuda", text(facts.cuda)},
          {"driver", text(facts.driver)},
          {"key_op", text(facts.key_op)},
          {"split_by", facts.split_by},
          {"boundary", facts.boundary},
          {"iterations", facts.iterations}};
}

// An error of the file, which ends the reading: what is wrong, and where.
struct BadBaseline {
  std::string where, what;
};

// A value of the file with the way to it, for messages.
class Node {
 public:
  Node(const BaselineJson& json, std::string where) : json_(&json), where_(std::move(where)) {}

  bool has(const char* key) const { return json_->is_object() && json_->contains(key); }
  Node at(const char* key) const {
    if (!json_->is_object() || !json_->contains(key)) fail(fmt::format("\"{}\" is missing", key));
    return {json_->at(key), fmt::format("{}{}{}", where_, where_.empty() ? "" : ".", key)};
  }
  std::vector<Node> list(std::size_t most) const {
    if (!json_->is_array()) fail("not a list");
    if (json_->size() > most) fail(fmt::format("more than {} entries", most));
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < json_->size(); ++i) {
      nodes.emplace_back(json_->at(i), fmt::format("{}[{}]", where_, i));
    }
    return nodes;
  }
  std::vector<std::pair<std::string, Node>> entries() const {
    if (!json_->is_object()) fail("not an object");
    std::vector<std::pair<std::string, Node>> nodes;
    for (const auto& item : json_->items()) {
      nodes.emplace_back(item.key(), Node(item.value(), where_ + "." + item.key()));
    }
    return nodes;
  }
  std::string text() const {
    if (!json_->is_string()) fail("not a text");
    return json_->get<std::string>();
  }
  int64_t count() const {
    if (!json_->is_number_integer() || json_->get<int64_t>() < 0) fail("not a whole number");
    return json_->get<int64_t>();
  }
  int64_t value(Unit unit) const {
    constexpr double kMost = 9e15;
    if (!json_->is_number()) fail("not a number");
    const double number = json_->get<double>();
    // Whole ns of a file that was not written by hand.
    if (unit != Unit::percent && json_->is_number_integer()) {
      if (!(std::abs(number) <= kMost)) fail("too large");
      return json_->get<int64_t>();
    }
    if (!(std::abs(number) <= kMost / static_cast<double>(kPercent))) fail("too large");
    return value_of_number(number, unit);
  }
  [[noreturn]] void fail(std::string what) const { throw BadBaseline{where_, std::move(what)}; }

 private:
  const BaselineJson* json_;
  std::string where_;
};

RunFacts read_facts(const Node& node) {
  RunFacts facts;
  facts.file = node.at("file").text();
  facts.checksum = node.at("checksum").text();
  facts.recorded = node.at("recorded").text();
  for (const auto& gpu : node.at("gpus").entries()) facts.gpus[gpu.first] = gpu.second.count();
  facts.compute_capability = node.at("compute_capability").text();
  facts.framework = node.at("framework").text();
  facts.cuda = node.at("cuda").text();
  facts.driver = node.at("driver").text();
  facts.key_op = node.at("key_op").text();
  if (node.has("split_by")) facts.split_by = node.at("split_by").text();
  if (node.has("boundary")) facts.boundary = node.at("boundary").text();
  facts.iterations = node.at("iterations").count();
  return facts;
}

BaselineBudget read_baseline_budget(const Node& node) {
  constexpr std::size_t kMostFilters = 10'000;
  BaselineBudget budget;
  budget.name = node.at("name").text();
  budget.metric = node.at("metric").text();
  const BudgetMetric* metric = find_budget_metric(budget.metric);
  if (metric == nullptr) node.at("metric").fail("unknown metric");
  const std::optional<Statistic> of = parse_statistic(node.at("of").text());
  if (!of || !metric->can_be(*of)) node.at("of").fail("not a statistic of the metric");
  budget.of = *of;
  for (const Node& filter : node.at("only").list(kMostFilters)) {
    budget.only.push_back(filter.text());
  }
  for (const Node& capture : node.at("captures").list(kMostCaptures)) {
    CapturedValues values;
    values.value = capture.at("value").value(metric->unit());
    values.iterations = capture.at("iterations").count();
    for (const Node& sample : capture.at("samples").list(kMostSamples)) {
      values.samples.push_back(sample.value(metric->unit()));
    }
    budget.captures.push_back(std::move(values));
  }
  return budget;
}

KnownNames::Names read_names(const Node& node) {
  KnownNames::Names names;
  for (const Node& name : node.list(kMostNames)) names.insert(name.text());
  return names;
}

Baseline read_baseline(const BaselineJson& json) {
  constexpr std::size_t kMostBudgets = 10'000;
  const Node root(json, "");
  if (root.at("dlview_baseline").count() != kBaselineFormat) {
    root.at("dlview_baseline").fail("made by another version of dlview");
  }
  Baseline baseline;
  baseline.made = root.at("made").text();
  baseline.version = root.at("version").text();
  baseline.accepted = root.at("accepted").text();
  baseline.iterations = root.at("iterations").text();
  for (const Node& capture : root.at("captures").list(kMostCaptures)) {
    baseline.captures.push_back(read_facts(capture));
  }
  if (baseline.captures.empty()) root.at("captures").fail("empty");
  if (root.has("names")) {
    const Node names = root.at("names");
    baseline.names = {read_names(names.at("ops")), read_names(names.at("kernels")),
                      read_names(names.at("synchronizations"))};
  }
  std::set<std::string> names;
  for (const Node& budget : root.at("budgets").list(kMostBudgets)) {
    baseline.budgets.push_back(read_baseline_budget(budget));
    if (!names.insert(baseline.budgets.back().name).second) budget.fail("a second one of the name");
    if (baseline.budgets.back().captures.size() > baseline.captures.size()) {
      budget.at("captures").fail("more than there are captures");
    }
  }
  return baseline;
}

std::string joined_texts(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

int64_t RunFacts::gpu_count() const {
  int64_t count = 0;
  for (const auto& gpu : gpus) count += gpu.second;
  return count;
}

std::string RunFacts::gpu_text() const {
  std::vector<std::string> texts;
  for (const auto& [name, count] : gpus) {
    texts.push_back(fmt::format("{} x {}", count, name.empty() ? "unknown GPU" : name));
  }
  return texts.empty() ? "no GPU" : joined_texts(texts);
}

RunFacts run_facts(Meter& meter) {
  const profile::Profile& profile = meter.profile();
  const aggregate::Aggregation& whole = meter.whole();
  RunFacts facts;
  facts.file = std::filesystem::path(profile.source.path).filename().string();
  for (const aggregate::DeviceAggregate& used : whole.devices) {
    if (used.kernel_count == 0 && used.kernel_union_ns == 0) continue;
    const profile::Device& device = profile.devices[profile::Row{used.device}];
    ++facts.gpus[device.name];
    const auto capability = device.compute_capability();
    if (facts.compute_capability.empty() && capability) {
      facts.compute_capability = fmt::format("{}.{}", capability->major, capability->minor);
    }
  }
  facts.framework = profile.system.framework;
  facts.cuda = runtime_version(profile).version;
  facts.driver = driver_version(profile).version;
  if (profile.trace) facts.recorded = recording_time(*profile.trace);
  const std::string& key_op = meter.selection().cut.key_op;
  if (!key_op.empty()) facts.key_op = aggregate::key_op_label(profile, key_op);
  facts.split_by = to_text(whole.iteration_table->iterations.split_by);
  facts.boundary = to_text(meter.selection().cut.kind);
  facts.iterations = whole.selection.range.size();
  return facts;
}

std::string unmet_need(const BudgetFile& file, const RunFacts& facts) {
  for (const Need& need : file.needs) {
    bool is_met = false;
    std::string found;
    switch (need.fact) {
      case Need::Fact::gpu:
        found = facts.gpu_text();
        is_met = !facts.gpus.empty() && std::ranges::all_of(facts.gpus, [&need](const auto& gpu) {
          return matches(gpu.first, need.pattern);
        });
        break;
      case Need::Fact::gpus:
        found = std::to_string(facts.gpu_count());
        is_met = matches(found, need.pattern);
        break;
      case Need::Fact::compute_capability:
      case Need::Fact::framework:
      case Need::Fact::cuda:
      case Need::Fact::driver:
        found = need.fact == Need::Fact::compute_capability ? facts.compute_capability
                : need.fact == Need::Fact::framework        ? facts.framework
                : need.fact == Need::Fact::cuda             ? facts.cuda
                                                            : facts.driver;
        is_met = matches(found, need.pattern);
        break;
    }
    if (is_met) continue;
    return fmt::format("the file needs {} = {}, the run has {} ({})", to_text(need.fact),
                       need.pattern, found.empty() ? "none recorded" : found,
                       file.place_text(need.place));
  }
  return "";
}

namespace {

std::string_view place_of_split(const RunFacts& facts) {
  return facts.split_by == to_text(aggregate::SplitBy::gpu) ? "GPU" : "host";
}

std::string boundary_text(const RunFacts& facts) {
  if (facts.boundary == to_text(aggregate::CutKind::stored)) return "where the database says";
  return fmt::format("at the {} of the marker", facts.boundary);
}

}  // namespace

std::string why_not_comparable(const RunFacts& baseline, const RunFacts& run) {
  if (baseline.gpus != run.gpus) {
    return fmt::format("the baseline ran on {}, this run on {}", baseline.gpu_text(),
                       run.gpu_text());
  }
  if (baseline.key_op != run.key_op) {
    const auto marker = [](const RunFacts& facts) {
      return facts.key_op.empty() ? std::string("no iteration marker")
                                  : fmt::format("\"{}\"", facts.key_op);
    };
    return fmt::format("the baseline is split by {}, this run by {}", marker(baseline),
                       marker(run));
  }
  // Of unknown ones nothing differs for sure.
  const auto differ = [](const std::string& before, const std::string& now) {
    return !before.empty() && !now.empty() && before != now;
  };
  if (differ(baseline.split_by, run.split_by)) {
    return fmt::format(
        "iterations of the baseline are split by the {}, those of this run by the {}",
        place_of_split(baseline), place_of_split(run));
  }
  if (differ(baseline.boundary, run.boundary)) {
    return fmt::format("iterations of the baseline begin {}, those of this run {}",
                       boundary_text(baseline), boundary_text(run));
  }
  return "";
}

std::vector<std::string> differing_versions(const RunFacts& baseline, const RunFacts& run) {
  std::vector<std::string> texts;
  const auto add = [&texts](const char* what, const std::string& before, const std::string& now) {
    if (before == now) return;
    texts.push_back(fmt::format("{} {}, before {}", what, now.empty() ? "not recorded" : now,
                                before.empty() ? "not recorded" : before));
  };
  add("framework", baseline.framework, run.framework);
  add("CUDA", baseline.cuda, run.cuda);
  add("driver", baseline.driver, run.driver);
  return texts;
}

const BaselineBudget* Baseline::find(std::string_view name) const {
  const auto found = std::ranges::find(budgets, name, &BaselineBudget::name);
  return found == budgets.end() ? nullptr : &*found;
}

void add_capture(const BudgetFile& file, Meter& meter, const std::string& checksum,
                 Baseline& baseline) {
  baseline.captures.push_back(run_facts(meter));
  baseline.captures.back().checksum = checksum;
  baseline.iterations = to_text(file.iterations);
  if (baseline.budgets.empty()) {
    for (const Budget& budget : file.budgets) {
      baseline.budgets.push_back({budget.name,
                                  std::string(budget.metric->id.text()),
                                  budget.of,
                                  filter_texts_of(budget.only),
                                  {}});
    }
  }
  if (file.needs_names()) {
    if (!baseline.names) baseline.names.emplace();
    baseline.names->add(names_of(meter.profile(), meter.whole()));
  }
  for (std::size_t i = 0; i < file.budgets.size(); ++i) {
    const Budget& budget = file.budgets[i];
    if (budget.metric->needs_names()) continue;
    const Measurement measured = meter.measure(*budget.metric, budget.of, budget.only);
    if (!measured.is_known()) continue;
    baseline.budgets[i].captures.push_back({measured.value,
                                            static_cast<int64_t>(measured.samples.size()),
                                            aggregate::chosen_of(measured.samples, kMostSamples)});
  }
}

void write_baseline(const Baseline& baseline, std::ostream& out) {
  BaselineJson captures = BaselineJson::array(), budgets = BaselineJson::array();
  for (const RunFacts& facts : baseline.captures) captures.push_back(facts_json(facts));
  for (const BaselineBudget& budget : baseline.budgets) {
    const Unit unit = find_budget_metric(budget.metric)->unit();
    BaselineJson values = BaselineJson::array();
    for (const CapturedValues& capture : budget.captures) {
      BaselineJson samples = BaselineJson::array();
      for (const int64_t sample : capture.samples) samples.push_back(number_json(sample, unit));
      values.push_back({{"value", number_json(capture.value, unit)},
                        {"iterations", capture.iterations},
                        {"samples", samples}});
    }
    BaselineJson only = BaselineJson::array();
    for (const std::string& filter : budget.only) only.push_back(base::with_valid_utf8(filter));
    budgets.push_back({{"name", base::with_valid_utf8(budget.name)},
                       {"metric", budget.metric},
                       {"of", to_text(budget.of)},
                       {"only", only},
                       {"captures", values}});
  }
  BaselineJson json = {{"dlview_baseline", kBaselineFormat},
                       {"made", baseline.made},
                       {"version", baseline.version},
                       {"accepted", base::with_valid_utf8(baseline.accepted)},
                       {"iterations", baseline.iterations},
                       {"captures", captures},
                       {"budgets", budgets}};
  if (baseline.names && baseline.names->size() <= kMostNames) {
    json["names"] = {{"ops", baseline.names->ops},
                     {"kernels", baseline.names->kernels},
                     {"synchronizations", baseline.names->synchronizations}};
  }
  // Samples in one line, so that a changed baseline is a short difference in a repository.
  std::string text = json.dump(1);
  std::string packed;
  packed.reserve(text.size());
  constexpr std::string_view kSamples = "\"samples\": [";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find(kSamples, at);
    if (begin == std::string::npos) {
      packed.append(text, at);
      break;
    }
    const std::size_t end = text.find(']', begin);
    packed.append(text, at, begin + kSamples.size() - at);
    for (std::size_t i = begin + kSamples.size(); i < end; ++i) {
      if (text[i] != '\n' && text[i] != ' ') packed += text[i];
    }
    at = end;
  }
  out << packed << '\n';
}

base::Result<Baseline> parse_baseline(std::string_view text, const std::string& path) {
  const auto error = [&path](const std::string& what) {
    return base::Error{"Invalid baseline", fmt::format("{}: {}", path, what),
                       "Make it again: dlview budget baseline RUN... --budget FILE -o BASELINE"};
  };
  if (text.size() > kMostBaselineBytes) return error("larger than 64 MiB");
  const BaselineJson json = BaselineJson::parse(text, nullptr, false);
  if (json.is_discarded()) return error("not JSON");
  try {
    Baseline baseline = read_baseline(json);
    baseline.path = path;
    return baseline;
  } catch (const BadBaseline& bad) {
    return error(bad.where.empty()
                     ? bad.what
                     : fmt::format("{}: {}", base::with_valid_utf8(bad.where), bad.what));
  }
}

}  // namespace dlview::report::budget
