#include "import/dlprof/aggregations.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/dlprof/dictionary.h"
#include "import/times.h"

namespace dlview::import::dlprof {
namespace {

using profile::StoredAggregation;
using sqlite::Statement;
using enum ColumnSpec::Kind;

constexpr const char* kAggregation = "Aggregations made by DLProf";
constexpr const char* kAuthor = "Who made the stored aggregations, and when";
constexpr ColumnSpec kAggregationColumns[] = {
    {"id"},
    {"server_user_name", text, kAuthor},
    {"server_host_name", text, kAuthor},
    {"start_timestamp", text, kAuthor},  // declared INTEGER, but holds text
    {"end_timestamp", text, kAuthor}};   // DLProf leaves it at 0
constexpr TableSpec kAggregations{"aggregations", kAggregationColumns,
                                  "Reading stored aggregations", kAggregation};

constexpr ColumnSpec kSummaryColumns[] = {{"id"}, {"aggr_id"}, {"iter_start"}, {"iter_stop"}};
constexpr TableSpec kSummaries{"model_summary", kSummaryColumns, "Reading stored aggregations",
                               kAggregation};

constexpr ColumnSpec kKeyColumns[] = {{"id"}, {"aggr_id"}, {"key_node_id"}};
constexpr TableSpec kKeys{"iteration_key", kKeyColumns, "Reading stored aggregations",
                          "Key op of the stored aggregations"};

constexpr ColumnSpec kListColumns[] = {
    {"id"}, {"aggr_id"}, {"iter_value"}, {"start_time"}, {"stop_time"}};
constexpr TableSpec kLists{"iteration_list", kListColumns, "Reading stored iterations",
                           kAggregation};

constexpr ColumnSpec kIoColumns[] = {
    {"id"}, {"aggr_id"}, {"iter_value"}, {"io_duration", integer, "I/O time"}};
constexpr TableSpec kIo{"iteration_aggregation_list", kIoColumns, "Reading stored iterations",
                        kAggregation};

constexpr ColumnSpec kAdviceColumns[] = {{"id"}, {"aggr_id"}};
constexpr TableSpec kAdvice{"expert_systems_feedback", kAdviceColumns, "Reading stored advice",
                            "Advice stored by DLProf"};

struct Draft {
  StoredAggregation aggregation;
  bool has_summary = false;
  bool has_unusable_iteration = false;
  std::map<int64_t, int64_t> io_ns;  // by iteration
};
using Drafts = std::map<int64_t, Draft>;

using UseDraft = void (*)(Context&, Draft&, const Statement&);

// Every table but the first has the aggregation's id in its second column.
base::Status add_from(Context& context, Drafts& drafts, const TableSpec& table, UseDraft use) {
  const auto use_row = [&](const Statement& row) {
    const auto draft = drafts.find(row.integer(1));
    if (draft != drafts.end()) return use(context, draft->second, row);
    context.quality.add(table.name, "its aggregation does not exist", row.integer(0),
                        [&] { return "aggr_id is " + std::string(row.text(1)); });
  };
  return for_each_row(context, table, use_row, [&](const Statement& row) {
    const auto draft = drafts.find(row.integer(1));
    if (&table == &kLists && draft != drafts.end()) draft->second.has_unusable_iteration = true;
  });
}

void use_summary(Context&, Draft& draft, const Statement& row) {
  if (std::exchange(draft.has_summary, true)) return;  // a further domain has the same range
  draft.aggregation.first_iteration = row.integer(2);
  draft.aggregation.last_iteration = row.integer(3);
}

void use_key(Context& context, Draft& draft, const Statement& row) {
  if (std::optional<std::string> name = dictionary_text(context.database, row.integer(2))) {
    draft.aggregation.key_op = std::move(*name);
    return;
  }
  context.quality.add(kKeys.name, "its key op is not in the dictionary", row.integer(0),
                      [&] { return "key_node_id is " + std::string(row.text(2)); });
}

void use_iteration(Context& context, Draft& draft, const Statement& row) {
  if (const char* problem = time_problem(row.integer(3), row.integer(4))) {
    draft.has_unusable_iteration = true;
    context.quality.add(kLists.name, problem, row.integer(0),
                        [&] { return "iteration " + std::string(row.text(2)); });
    return;
  }
  draft.aggregation.iterations.push_back({row.integer(2), row.integer(3), row.integer(4)});
}

void use_io(Context&, Draft& draft, const Statement& row) {
  draft.io_ns[row.integer(2)] = row.integer(3);
}

void use_advice(Context&, Draft& draft, const Statement&) {
  draft.aggregation.has_advice = true;
}

// One value for each iteration of the range, whose list has passed problem_of(). All zeros mean
// that DLProf knew nothing about I/O.
std::vector<int64_t> io_of_range(Context& context, const Draft& draft) {
  std::vector<int64_t> io_ns;
  bool is_any = false;
  const StoredAggregation& aggregation = draft.aggregation;
  for (int64_t number = aggregation.first_iteration; number <= aggregation.last_iteration;
       ++number) {
    const auto found = draft.io_ns.find(number);
    const int64_t value_ns = found == draft.io_ns.end() ? 0 : found->second;
    const auto& iteration = aggregation.iterations[static_cast<std::size_t>(number)];
    if (value_ns < 0 || value_ns > iteration.stop_ns - iteration.start_ns) {
      context.quality.add(kIo.name, "its I/O time does not fit into the iteration; none is used",
                          aggregation.id, [&] {
                            return "iteration " + std::to_string(number) + ", " +
                                   std::to_string(value_ns) + " ns";
                          });
      return {};
    }
    io_ns.push_back(value_ns);
    is_any = is_any || value_ns != 0;
  }
  return is_any ? io_ns : std::vector<int64_t>();
}

struct Problem {
  const char* reason;
  std::string example;
};

// Iterations are numbered 0, 1, 2, ... and follow each other in time; `iterations` are in order of
// their numbers.
std::optional<Problem> problem_of(const std::vector<StoredAggregation::Iteration>& iterations) {
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    const std::string name = "iteration " + std::to_string(iterations[i].number);
    if (iterations[i].number != static_cast<int64_t>(i)) {
      return Problem{"its iterations are not numbered 0, 1, 2 and so on",
                     name + " in place " + std::to_string(i)};
    }
    if (i > 0 && iterations[i].start_ns <= iterations[i - 1].stop_ns) {
      return Problem{"its iterations do not follow each other in time",
                     name + " starts at " + std::to_string(iterations[i].start_ns) +
                         " ns, the one before stops at " +
                         std::to_string(iterations[i - 1].stop_ns) + " ns"};
    }
  }
  return std::nullopt;
}

// Returns a problem if an op instance begins between two iterations: it belongs to neither, but an
// iteration range is one contiguous range of rows. `iterations` have passed problem_of().
std::optional<Problem> lost_instance(const profile::ProfileBuilder& builder,
                                     const std::vector<StoredAggregation::Iteration>& iterations) {
  const auto leave_gap = [](const auto& a, const auto& b) { return a.stop_ns + 1 < b.start_ns; };
  if (std::ranges::adjacent_find(iterations, leave_gap) == iterations.end()) return std::nullopt;
  for (std::size_t i = 0; i < builder.instance_count(); ++i) {
    const int64_t start_ns = builder.instance_start_ns(static_cast<profile::Row>(i));
    const auto next =
        std::ranges::upper_bound(iterations, start_ns, {}, &StoredAggregation::Iteration::start_ns);
    if (next == iterations.begin() || next == iterations.end()) continue;
    if (start_ns <= std::prev(next)->stop_ns) continue;
    return Problem{"op instances begin between its iterations",
                   "one at " + std::to_string(start_ns) + " ns, before iteration " +
                       std::to_string(next->number)};
  }
  return std::nullopt;
}

// Why nothing can be done with the aggregation, if so.
std::optional<Problem> problem_of(const Context& context, const Draft& draft) {
  const StoredAggregation& aggregation = draft.aggregation;
  const auto count = static_cast<int64_t>(aggregation.iterations.size());
  const std::string range = "iterations " + std::to_string(aggregation.first_iteration) + " to " +
                            std::to_string(aggregation.last_iteration) + ", " +
                            std::to_string(count) + " listed";
  if (!draft.has_summary) return Problem{"it has no row in model_summary", range};
  if (draft.has_unusable_iteration) return Problem{"an iteration of it cannot be used", range};
  if (auto problem = problem_of(aggregation.iterations)) return problem;
  if (aggregation.first_iteration < 0 || aggregation.last_iteration >= count ||
      aggregation.first_iteration > aggregation.last_iteration) {
    return Problem{"its range is not in its iteration list", range};
  }
  return lost_instance(context.builder, aggregation.iterations);
}

void finish(Context& context, Drafts&& drafts) {
  for (auto& [id, draft] : drafts) {
    StoredAggregation& aggregation = draft.aggregation;
    std::stable_sort(aggregation.iterations.begin(), aggregation.iterations.end(),
                     [](const auto& a, const auto& b) { return a.number < b.number; });
    if (const std::optional<Problem> problem = problem_of(context, draft)) {
      context.quality.add(kAggregations.name, problem->reason, id,
                          [&] { return problem->example; });
      continue;
    }
    aggregation.io_ns = io_of_range(context, draft);
    context.builder.stored_aggregations.push_back(std::move(aggregation));
  }
}

}  // namespace

base::Status read_aggregations(Context& context) {
  Drafts drafts;
  base::Status status = for_each_row(context, kAggregations, [&](const Statement& row) {
    StoredAggregation& aggregation = drafts[row.integer(0)].aggregation;
    aggregation.id = row.integer(0);
    aggregation.user = std::string(row.text(1));
    aggregation.host = std::string(row.text(2));
    aggregation.started = std::string(row.text(3));
    aggregation.ended = std::string(row.text(4));
  });
  if (!status) return status;
  const std::pair<const TableSpec*, UseDraft> tables[] = {{&kSummaries, use_summary},
                                                          {&kKeys, use_key},
                                                          {&kLists, use_iteration},
                                                          {&kIo, use_io},
                                                          {&kAdvice, use_advice}};
  for (const auto& [table, use] : tables) {
    if (base::Status added = add_from(context, drafts, *table, use); !added) return added;
  }
  finish(context, std::move(drafts));
  return base::Success{};
}

}  // namespace dlview::import::dlprof
