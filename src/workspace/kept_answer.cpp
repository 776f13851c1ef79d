#include "workspace/kept_answer.h"

#include <memory>
#include <tuple>
#include <utility>

#include "aggregate/fields.h"
#include "aggregate/group_tree.h"
#include "import/column_cache/archive.h"
#include "workspace/state_string.h"

namespace dlview::workspace {
namespace {

// What of a request decides on the numbers.
auto question_of(const SelectionRequest& request) {
  return std::tie(request.iterations, request.key_op, request.cut, request.clock, request.split_by,
                  request.stored_index, request.filters, request.present_rules);
}

}  // namespace

std::string to_bytes(const KeptAnswer& kept) {
  const TimedAggregation& answer = kept.answer;
  if (!answer.requested.filters.empty()) return {};
  import::column_cache::Writer writer;
  writer(kept.is_as_opened);
  writer(answer.requested);
  writer(*answer.aggregation);
  writer(*answer.aggregation->iteration_table);
  return writer.facts();
}

std::optional<KeptAnswer> read_kept_answer(const std::string& bytes,
                                           const profile::Profile& profile) {
  import::column_cache::Reader reader({}, {}, {}, bytes);
  KeptAnswer kept;
  aggregate::Aggregation aggregation;
  aggregate::IterationTable table;
  reader(kept.is_as_opened);
  reader(kept.answer.requested);
  reader(aggregation);
  reader(table);
  if (!reader.is_complete()) return std::nullopt;
  aggregation.iteration_table = std::make_shared<const aggregate::IterationTable>(std::move(table));
  aggregation.group_tree =
      std::make_shared<const aggregate::GroupTree>(aggregate::build_group_tree(profile));
  kept.answer.aggregation = std::make_shared<const aggregate::Aggregation>(std::move(aggregation));
  return kept;
}

bool asks_for_first(const SelectionRequest& request) {
  const SelectionRequest nothing;
  return question_of(request) == question_of(nothing);
}

bool answers(const KeptAnswer& kept, const SelectionRequest& request) {
  const SelectionRequest stated = request_of(kept.answer.aggregation->selection);
  return (kept.is_as_opened && asks_for_first(request)) ||
         question_of(request) == question_of(stated);
}

}  // namespace dlview::workspace
