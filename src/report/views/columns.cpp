#include <algorithm>
#include <string>
#include <utility>

#include "profile/recorded.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using profile::OpIndex;
using profile::Profile;
using profile::StringId;

bool same_iterations(const std::vector<aggregate::Iteration>& iterations,
                     const std::vector<profile::StoredAggregation::Iteration>& stored) {
  return std::equal(iterations.begin(), iterations.end(), stored.begin(), stored.end(),
                    [](const aggregate::Iteration& a, const auto& b) {
                      return a.start_ns == b.start_ns && a.stop_ns == b.stop_ns;
                    });
}

struct OpTextDeclaration {
  ColumnId id;
  profile::Ops::Column<StringId> profile::Ops::*texts;
};

OpTextDeclaration declaration(OpText text) {
  switch (text) {
    case OpText::name:
      return {"op_node_name", &profile::Ops::name};
    case OpText::id:
      return {"op_node_id", &profile::Ops::id};
    case OpText::direction:
      return {"direction", &profile::Ops::direction};
    case OpText::type:
      return {"op_node_type", &profile::Ops::type};
    case OpText::data_type:
      return {"data_type", &profile::Ops::data_type};
    case OpText::stack_trace:
      break;
  }
  return {"stack_trace", &profile::Ops::stack_trace};
}

}  // namespace

Cell aggregation_id(const Profile& profile, const aggregate::Aggregation& aggregation) {
  if (!aggregation.selection.filters.empty() || profile.source.by_tensor_core_rules) return {};
  const aggregate::IterationRange& range = aggregation.selection.range;
  for (const profile::StoredAggregation& stored : profile.stored_aggregations) {
    if (stored.first_iteration == range.first && stored.last_iteration == range.last &&
        stored.key_op == aggregation.selection.cut.key_op &&
        same_iterations(aggregation.iteration_table->iterations.rows, stored.iterations)) {
      return stored.id;
    }
  }
  return {};
}

bool Input::has_op(OpIndex op) const {
  return arguments.ops.empty() ||
         std::find(arguments.ops.begin(), arguments.ops.end(), op) != arguments.ops.end();
}

aggregate::IterationRange Input::iterations() const {
  if (!arguments.iteration) return aggregation.selection.range;
  return {*arguments.iteration, *arguments.iteration};
}

Column aggregation_id_column(const Input& input) {
  return constant("aggr_id", aggregation_id(input.profile, input.aggregation));
}

Column domain_column(const Input& input) {
  return column("domain_name", [&profile = input.profile](std::size_t) {
    return std::string_view(profile.system.domain);
  });
}

Table table_of_domain(const Input& input, std::size_t rows) {
  Table table;
  table.row_count = rows;
  table.columns.push_back(aggregation_id_column(input));
  table.columns.push_back(domain_column(input));
  return table;
}

Column constant(ColumnId id, Cell value) {
  return column(id, [value = std::move(value)](std::size_t) { return value; });
}

Column op_column(const Input& input, OpText text, std::function<OpIndex(std::size_t row)> op) {
  const auto [id, member] = declaration(text);
  const profile::Ops::Column<StringId>& texts = input.profile.ops.*member;
  return column(id, [&profile = input.profile, &texts, op = std::move(op)](std::size_t row) {
    return profile.text(texts[op(row)]);
  });
}

Column eligibility_column(const Input& input, std::function<OpIndex(std::size_t row)> op) {
  return column("tc_eligible", [&profile = input.profile, op = std::move(op)](std::size_t row) {
    const OpIndex of_row = op(row);
    return profile::tells_eligibility(profile, of_row) ? Cell(profile.is_eligible(of_row)) : Cell();
  });
}

}  // namespace dlview::report::view
