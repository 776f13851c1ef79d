#include "ui/views/limits/why_no_marks.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/limits/counter_join.h"
#include "base/units.h"
#include "profile/recorded.h"

namespace dlview::ui {
namespace {

using aggregate::LimitRow;
using aggregate::MatchState;

constexpr std::size_t kMostReasons = 4;

// "3 launches: no kernel has this name, grid and block".
std::string join_report(const aggregate::CounterJoin& join) {
  std::map<std::string, int64_t> reasons;
  for (const aggregate::LaunchMatch& match : join.matches) {
    if (match.state == MatchState::joined) continue;
    std::string reason = match.reason.empty() ? std::string(to_text(match.state)) : match.reason;
    if (match.state == MatchState::ambiguous) {
      reason = "several kernels match";
    }
    ++reasons[reason];
  }
  std::vector<std::pair<std::string, int64_t>> ranked(reasons.begin(), reasons.end());
  std::ranges::stable_sort(ranked, std::ranges::greater(),
                           &std::pair<std::string, int64_t>::second);
  std::string text;
  for (std::size_t i = 0; i < ranked.size() && i < kMostReasons; ++i) {
    text += fmt::format("\n{}: {}", base::counted(ranked[i].second, "launches"), ranked[i].first);
  }
  return text;
}

// "12 rows: equation of einsum not recorded", most first.
std::string reasons_of(const std::vector<LimitRow>& rows) {
  std::map<std::string_view, int64_t> reasons;
  for (const LimitRow& row : rows) {
    std::string_view reason = row.note;
    if (reason.empty() && row.work != nullptr) reason = row.work->why_unknown;
    if (reason.empty() && row.flops.value && !row.bytes.value) reason = "bytes unknown";
    ++reasons[reason.empty() ? std::string_view("work unknown") : reason];
  }
  std::vector<std::pair<std::string_view, int64_t>> ranked(reasons.begin(), reasons.end());
  std::ranges::stable_sort(ranked, std::ranges::greater(),
                           &std::pair<std::string_view, int64_t>::second);
  std::string text;
  for (std::size_t i = 0; i < ranked.size() && i < kMostReasons; ++i) {
    text += fmt::format("\n{}: {}", base::counted(ranked[i].second, "rows"), ranked[i].first);
  }
  if (ranked.size() > kMostReasons) {
    text += fmt::format(
        "\n{}", base::counted(static_cast<int64_t>(ranked.size() - kMostReasons), "more reasons"));
  }
  return text;
}

template <typename Predicate>
bool any_row(const LimitData& data, const Predicate& predicate) {
  return std::ranges::any_of(data.rows(), predicate);
}

}  // namespace

WhyNoMarks why_no_marks(const LimitData& data, const report::Roofline& plot) {
  const bool has_marks = !plot.marks.empty() || !plot.strip.empty();
  if (has_marks) return {};
  if (data.rows().empty()) {
    return {data.hidden > 0 ? fmt::format("{} hidden by the chips and the number format above.",
                                          base::counted(static_cast<int64_t>(data.hidden), "rows"))
                            : "No kernels ran in this range.",
            ""};
  }
  const bool has_counters = data.profile->counters != nullptr;
  const bool has_work =
      any_row(data, [](const LimitRow& row) { return row.flops.value || row.bytes.value; });
  const bool has_busy = any_row(
      data, [](const LimitRow& row) { return row.busy_math.percent || row.busy_memory.percent; });
  if (has_counters && data.index && data.profile->kernels.size() > 0 &&
      data.index->join().set_count() == 0 && !data.index->join().matches.empty()) {
    return {"No launch in the Nsight Compute file matches a kernel of this profile." +
                join_report(data.index->join()) + "\nThe table ncu_launches lists them.",
            ""};
  }
  if (has_busy && !has_work) {
    return {
        "This file has throughput but no FLOP counters. Record Nsight Compute counters with --set "
        "full.",
        std::string(profile::kCountCommand)};
  }
  const bool has_reason = any_row(data, [](const LimitRow& row) {
    return row.work != nullptr && (row.work->kind != aggregate::WorkKind::unknown);
  });
  if (!has_work && !has_counters && !has_reason) {
    return {fmt::format("{}.\n{}.", aggregate::kNoWorkRecorded, aggregate::kRecordWork),
            std::string(profile::kCountCommand)};
  }
  return {fmt::format("The work of {} is unknown.{}",
                      base::counted(static_cast<int64_t>(data.rows().size()), "rows"),
                      reasons_of(data.rows())),
          ""};
}

std::string why_no_roofs(const LimitData& data, const report::Roofline& plot) {
  const bool has_marks = !plot.marks.empty() || !plot.strip.empty();
  if (!has_marks || !plot.roofs.empty()) return {};
  return fmt::format("Peaks of {} are unknown. Add --peaks FILE.",
                     data.gpu_name.empty() ? std::string("the GPU")
                                           : fmt::format("\u201c{}\u201d", data.gpu_name));
}

}  // namespace dlview::ui
