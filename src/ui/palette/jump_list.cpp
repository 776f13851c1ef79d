#include "ui/palette/jump_list.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "report/nsys/reports.h"
#include "ui/chart/iteration_name.h"
#include "ui/palette/fuzzy.h"
#include "ui/views/tables/report_looks.h"

namespace dlview::ui {
namespace {

std::string signed_duration(int64_t ns) {
  return (ns < 0 ? "−" : "+") + base::format_duration(ns < 0 ? -ns : ns);
}

JumpTarget iteration_target(const aggregate::IterationTable& table, int64_t iteration) {
  JumpTarget target;
  target.iteration = iteration;
  target.title = iteration_name(table.iterations, iteration);
  const auto row = static_cast<std::size_t>(iteration);
  target.detail = base::format_duration(table.iterations.rows[row].duration_ns());
  return target;
}

std::optional<int64_t> parse_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<JumpTarget> outlier_targets(const Model& model) {
  std::vector<JumpTarget> targets;
  if (!model.outliers) return targets;
  for (const aggregate::Outlier& outlier : model.outliers->rows) {
    if (targets.size() == kMaxJumps) break;
    JumpTarget target = iteration_target(*model.aggregation->iteration_table, outlier.iteration);
    target.detail +=
        fmt::format(" · {} · {} against a typical one", aggregate::to_text(outlier.kind),
                    signed_duration(outlier.difference_ns));
    targets.push_back(std::move(target));
  }
  return targets;
}

}  // namespace

JumpIndex::JumpIndex(std::shared_ptr<const profile::Profile> profile)
    : profile_(std::move(profile)) {
  for (std::size_t op = 0; op < profile_->ops.size(); ++op) {
    const auto row = static_cast<uint32_t>(op);
    names_.push_back({profile_->text(profile_->ops.name[op]), JumpKind::op, row});
    if (profile_->ops.id[op] != profile_->ops.name[op]) {
      names_.push_back({profile_->text(profile_->ops.id[op]), JumpKind::op, row});
    }
  }
  std::set<profile::StringId> kernels;
  for (std::size_t row = 0; row < profile_->kernels.size(); ++row) {
    kernels.insert(profile_->kernels.name[row]);
  }
  for (const profile::StringId name : kernels) {
    names_.push_back({profile_->text(name), JumpKind::kernel, name});
  }
  if (!profile_->trace) return;
  const auto reports = report::nsys::reports();
  for (uint32_t i = 0; i < reports.size(); ++i) {
    const bool is_in_window = std::ranges::any_of(
        report_places(), [&](const ReportPlace& place) { return place.report == reports[i].name; });
    if (!is_in_window) continue;
    names_.push_back({reports[i].title, JumpKind::report, i});
    names_.push_back({reports[i].name, JumpKind::report, i});
  }
}

JumpTarget JumpIndex::target_of(const Name& name) const {
  JumpTarget target;
  target.kind = name.kind;
  if (name.kind == JumpKind::kernel) {
    target.kernel = name.number;
    target.title = std::string(name.text);
    target.detail = "kernel";
    return target;
  }
  if (name.kind == JumpKind::report) {
    const report::nsys::ReportInfo& report = report::nsys::reports()[name.number];
    target.report = report.name;
    target.title = std::string(report.title);
    target.detail = fmt::format("report · {}", report.name);
    return target;
  }
  target.op = name.number;
  target.title = std::string(profile_->text(profile_->ops.name[name.number]));
  target.detail = fmt::format("op · {}", profile_->text(profile_->ops.id[name.number]));
  return target;
}

std::vector<JumpTarget> JumpIndex::find(const Model& model, std::string_view query) const {
  if (query.empty()) return outlier_targets(model);
  std::vector<JumpTarget> targets;
  const auto& table = *model.aggregation->iteration_table;
  const std::optional<int64_t> number = parse_number(query);
  if (number && *number >= 0 && *number < static_cast<int64_t>(table.iterations.rows.size())) {
    targets.push_back(iteration_target(table, *number));
  }
  if (number && aggregate::count_otherwise(table.iterations)) {
    const auto& ranges = table.iterations.ranges;
    const auto found = std::ranges::find(ranges, *number, &aggregate::KeyRange::number);
    if (found != ranges.end()) targets.push_back(iteration_target(table, found - ranges.begin()));
  }
  struct Found {
    int score;
    std::size_t name;
  };
  std::vector<Found> found;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (const auto score = fuzzy_score(query, names_[i].text)) found.push_back({*score, i});
  }
  const auto better = [](const Found& a, const Found& b) {
    return a.score != b.score ? a.score > b.score : a.name < b.name;
  };
  const auto count = static_cast<std::ptrdiff_t>(std::min(found.size(), 2 * kMaxJumps));
  std::partial_sort(found.begin(), found.begin() + count, found.end(), better);
  std::set<std::pair<JumpKind, uint32_t>> seen;  // ops and reports have two names
  for (std::ptrdiff_t i = 0; i < count && targets.size() < kMaxJumps; ++i) {
    const Name& name = names_[found[static_cast<std::size_t>(i)].name];
    if (!seen.emplace(name.kind, name.number).second) continue;
    targets.push_back(target_of(name));
  }
  return targets;
}

}  // namespace dlview::ui
