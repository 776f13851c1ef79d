#include "ui/palette/search.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "report/nsys/reports.h"
#include "ui/chart/iteration_name.h"
#include "ui/views/tables/report_looks.h"

namespace dlview::ui {
namespace {

constexpr int kWhole = 400, kAtWordStart = 300, kInside = 200, kScattered = 100;
constexpr int kGapCost = 3;

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

bool is_word_start(std::string_view text, std::size_t at) {
  return at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0;
}

std::optional<int> scattered_score(std::string_view word, std::string_view text) {
  int gaps = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const std::size_t found = find_ignoring_case(text, word.substr(i, 1), at);
    if (found == std::string_view::npos) return std::nullopt;
    if (i > 0 && found > at) ++gaps;
    at = found + 1;
  }
  return std::max(0, kScattered - kGapCost * gaps);
}

std::optional<int> word_score(std::string_view word, std::string_view text) {
  const std::size_t first = find_ignoring_case(text, word, 0);
  if (first == std::string_view::npos) return scattered_score(word, text);
  if (word.size() == text.size()) return kWhole;
  for (std::size_t at = first; at != std::string_view::npos;
       at = find_ignoring_case(text, word, at + 1)) {
    if (is_word_start(text, at)) return kAtWordStart;
  }
  return kInside;
}

std::string name_of(std::string_view path) {
  return std::string(path.substr(path.find_last_of('/') + 1));
}

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

std::string below(const std::string& folder, const std::string& name) {
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

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
    target.detail += fmt::format(" · {} · {} vs. typical", aggregate::to_text(outlier.kind),
                                 signed_duration(outlier.difference_ns));
    targets.push_back(std::move(target));
  }
  return targets;
}

}  // namespace

std::size_t find_ignoring_case(std::string_view text, std::string_view word, std::size_t from) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(from);
  const auto found = std::search(begin, text.end(), word.begin(), word.end(), same);
  return found == text.end() ? std::string_view::npos
                             : static_cast<std::size_t>(found - text.begin());
}

std::optional<int> fuzzy_score(std::string_view query, std::string_view text) {
  int score = 0;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find(' '), query.size());
    if (end > 0) {
      const std::optional<int> word = word_score(query.substr(0, end), text);
      if (!word) return std::nullopt;
      score += *word;
    }
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return 1000 * score - static_cast<int>(std::min<std::size_t>(text.size(), 999));
}

namespace {

bool contains_words(std::string_view text, std::string_view query) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find(' '), query.size());
    if (find_ignoring_case(text, query.substr(0, end), 0) == std::string_view::npos) return false;
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return true;
}

}  // namespace

std::vector<const CommandInfo*> find_commands(std::span<const CommandInfo> commands,
                                              std::string_view query) {
  struct Found {
    const CommandInfo* command;
    int score;
  };
  std::vector<Found> found;
  for (const CommandInfo& command : commands) {
    const std::string text = command.title + " " + command.menu + " " + command.help;
    // A title that fits stands before a sentence that does. Any letters are scattered over a
    // sentence, so it has to contain the words.
    const auto by_title = fuzzy_score(query, command.title);
    const auto score = by_title                      ? by_title
                       : contains_words(text, query) ? fuzzy_score(query, text)
                                                     : std::nullopt;
    if (score) found.push_back({&command, query.empty() ? 0 : *score + (by_title ? 1'000'000 : 0)});
  }
  std::ranges::stable_sort(found, {}, [](const Found& entry) {
    return std::tuple(!entry.command->enabled, -entry.score);
  });
  std::vector<const CommandInfo*> result;
  for (const Found& entry : found) result.push_back(entry.command);
  return result;
}

FolderListing offered_files(const FolderListing& folder, FileUse use) {
  FolderListing offered = folder;
  if (use != FileUse::budgets && use != FileUse::baseline) return offered;
  const std::string_view ending = use == FileUse::budgets ? ".toml" : ".json";
  std::erase_if(offered.entries, [ending](const FolderListing::Entry& entry) {
    return !entry.is_folder && !entry.name.ends_with(ending);
  });
  return offered;
}

std::vector<FileRow> find_files(const FolderListing& folder, std::span<const std::string> recent,
                                std::string_view query, std::string_view home) {
  if (query.starts_with('/')) {
    return {{FileRow::Kind::file, std::string(query), std::string(query), "open this path"}};
  }
  if (query.starts_with("~/")) {
    std::string path = std::string(home) + std::string(query.substr(1));
    return {{FileRow::Kind::file, path, path, "open this path"}};
  }
  std::vector<FileRow> rows;
  for (const std::string& path : recent) {
    if (!fuzzy_score(query, path)) continue;
    rows.push_back({FileRow::Kind::recent, path, name_of(path), "recent · " + folder_of(path)});
  }
  if (query.empty() && folder.path != "/") {
    rows.push_back({FileRow::Kind::folder, folder_of(folder.path), "..", "parent folder"});
  }
  for (const FolderListing::Entry& entry : folder.entries) {
    if (!fuzzy_score(query, entry.name)) continue;
    FileRow row{entry.is_folder ? FileRow::Kind::folder : FileRow::Kind::file,
                below(folder.path, entry.name), entry.name, ""};
    if (entry.is_folder)
      row.title += "/";
    else
      row.detail = base::format_bytes(entry.bytes);
    rows.push_back(std::move(row));
  }
  return rows;
}

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
  target.op = profile::OpIndex(name.number);
  target.title = std::string(profile_->text(profile_->ops.name[target.op]));
  const std::string_view direction = profile_->text(profile_->ops.direction[target.op]);
  target.detail = fmt::format("{}op · {}", direction.empty() ? "" : fmt::format("{} ", direction),
                              profile_->text(profile_->ops.id[target.op]));
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
