#include "ui/views/iterations/key_ops.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <limits>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "aggregate/key_names.h"
#include "profile/recorded.h"

namespace dlview::ui {
namespace {

// All iterations of a new cut, whose number is not known yet.
constexpr aggregate::IterationRange kAllIterations{0, std::numeric_limits<int32_t>::max()};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool matches(const KeyOpRow& row, const std::string& lower_search) {
  return std::ranges::any_of(std::array{&row.name, &row.label, &row.candidate.key},
                             [&lower_search](const std::string* text) {
                               return lower_case(*text).find(lower_search) != std::string::npos;
                             });
}

// Below 0: `a` stands before `b` in ascending order.
int compare(const KeyOpRow& a, const KeyOpRow& b, KeyOpColumn column) {
  const auto order = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
  switch (column) {
    case KeyOpColumn::name:
      return order(a.name, b.name);
    case KeyOpColumn::instances:
      return order(a.candidate.instances, b.candidate.instances);
    case KeyOpColumn::period:
      return order(a.candidate.period_ns, b.candidate.period_ns);
    case KeyOpColumn::regularity:
      return order(a.candidate.regularity, b.candidate.regularity);
    case KeyOpColumn::coverage:
      return order(a.candidate.coverage, b.candidate.coverage);
    case KeyOpColumn::score:
      break;
  }
  return order(b.rank, a.rank);
}

// As often as a candidate for the iteration marker runs.
bool any_name_ran_three_times(const profile::Profile& profile) {
  std::unordered_map<profile::StringId, int> times;
  return std::ranges::any_of(profile.instances.op,
                             [&](profile::Row op) { return ++times[profile.ops.name[op]] == 3; });
}

}  // namespace

std::vector<KeyOpRow> prepare_key_ops(const profile::Profile& profile,
                                      const std::vector<aggregate::KeyOpCandidate>& candidates) {
  std::unordered_map<profile::StringId, int> ops_of_name;
  for (const profile::StringId name : profile.ops.name) ++ops_of_name[name];
  std::vector<KeyOpRow> rows;
  rows.reserve(candidates.size());
  for (const aggregate::KeyOpCandidate& candidate : candidates) {
    KeyOpRow row{candidate.name, aggregate::readable_key(candidate.name), candidate.key,
                 rows.size(), candidate};
    const bool is_op = candidate.op != profile::kNoRow;
    if (is_op && ops_of_name[profile.ops.name[candidate.op]] == 1) row.key = row.name;
    rows.push_back(std::move(row));
  }
  if (!rows.empty()) {
    rows.push_back({"none", "None (whole run)", "", rows.size(), {}});
    rows.back().candidate.reason = "Treat the whole run as one iteration";
  }
  return rows;
}

bool is_key_op(const KeyOpRow& row, std::string_view key_op) {
  return row.key == key_op || row.candidate.key == key_op;
}

std::vector<const KeyOpRow*> list_key_ops(const std::vector<KeyOpRow>& rows,
                                          std::string_view search, KeyOpOrder order,
                                          std::string_view current_key_op) {
  const std::string lower = lower_case(search);
  std::vector<const KeyOpRow*> listed;
  for (const KeyOpRow& row : rows) {
    if (matches(row, lower)) listed.push_back(&row);
  }
  std::stable_sort(listed.begin(), listed.end(), [&](const KeyOpRow* a, const KeyOpRow* b) {
    const int ascending = compare(*a, *b, order.column);
    return order.descending ? ascending > 0 : ascending < 0;
  });
  std::stable_partition(listed.begin(), listed.end(),
                        [&](const KeyOpRow* row) { return is_key_op(*row, current_key_op); });
  return listed;
}

std::vector<ClockChoice> prepare_clocks(const profile::Profile& profile,
                                        const aggregate::Aggregation& aggregation) {
  const aggregate::Cut& cut = aggregation.selection.cut;
  if (cut.kind == aggregate::CutKind::stored || cut.key_op.empty()) return {};
  constexpr int64_t kFewest = 3;
  auto threads = aggregate::threads_of_key(profile, cut.key_op);
  std::erase_if(threads, [](const aggregate::KeyThread& key) { return key.instances < kFewest; });
  std::map<int64_t, int> of_process;
  for (const aggregate::KeyThread& key : threads) ++of_process[key.thread.process_id];
  const bool are_ranges = !aggregation.iteration_table->iterations.ranges.empty();
  if (of_process.size() < 2 && !are_ranges && !cut.clock) return {};
  // The one that cuts: the busiest of those that may.
  const aggregate::KeyThread* current = nullptr;
  for (const aggregate::KeyThread& key : threads) {
    if (cut.clock && !cut.clock->is(key.thread)) continue;
    if (current == nullptr || key.instances > current->instances) current = &key;
  }
  std::vector<const aggregate::KeyThread*> listed;
  for (const aggregate::KeyThread& key : threads) listed.push_back(&key);
  std::ranges::stable_sort(listed, std::greater(), &aggregate::KeyThread::instances);
  listed.resize(std::min(listed.size(), kMostClocks));
  std::ranges::sort(listed);  // they point into a list in order of process and thread
  std::vector<ClockChoice> choices;
  for (const aggregate::KeyThread* key : listed) {
    const profile::Thread& thread = key->thread;
    ClockChoice choice;
    choice.clock = {thread.process_id, thread.thread_id};
    choice.id = fmt::format("{}:{}", thread.process_id, thread.thread_id);
    choice.label =
        of_process[thread.process_id] > 1 ? choice.id : fmt::format("{}", thread.process_id);
    choice.is_current = key == current;
    choices.push_back(std::move(choice));
  }
  return choices;
}

aggregate::Selection selection_of(const profile::Profile& profile, const aggregate::Cut& cut,
                                  const aggregate::Selection& current) {
  if (cut.key_op == current.cut.key_op && cut.clock == current.cut.clock)
    return {cut, current.range, current.filters};
  if (cut.kind != aggregate::CutKind::stored) return {cut, kAllIterations, current.filters};
  const profile::StoredAggregation& stored = profile.stored_aggregations[cut.stored_index];
  return {cut, {stored.first_iteration, stored.last_iteration}, current.filters};
}

SingleIterationNote prepare_single_iteration(const profile::Profile& profile,
                                             const aggregate::Aggregation& aggregation) {
  const aggregate::Iterations& iterations = aggregation.iteration_table->iterations;
  if (iterations.rows.size() > 1) return {};
  const std::string& key_op = aggregation.selection.cut.key_op;
  SingleIterationNote note;
  if (iterations.key_instances > 0) {
    note.reason = fmt::format("The iteration marker {} ran too rarely to split the run.", key_op);
  } else if (key_op.empty()) {
    note.reason = "The run is not split: no iteration marker is set.";
  } else {
    note.reason =
        fmt::format("The run is not split: no op, NVTX range or annotation is named {}.", key_op);
  }
  note.advice = aggregate::advice_on_one_step(profile);
  if (!note.advice.empty()) return note;
  if (any_name_ran_three_times(profile)) {
    note.advice = "Choose an iteration marker above: an op that runs once per iteration.";
  } else {
    note.advice = "No op ran three times, so none can split the run. Record several iterations, ";
    note.advice += profile::is_pytorch_trace(profile) ? "and call prof.step() after each."
                   : profile.trace                    ? "each in an NVTX range."
                                                      : "with dlprof --key_op=NAME.";
  }
  return note;
}

}  // namespace dlview::ui
