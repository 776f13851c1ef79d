#include <algorithm>
#include <string>
#include <utility>

#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::Unit;
using profile::Profile;
using profile::Row;
using profile::StringId;

bool same_iterations(const std::vector<aggregate::Iteration>& iterations,
                     const std::vector<profile::StoredAggregation::Iteration>& stored) {
  return std::equal(iterations.begin(), iterations.end(), stored.begin(), stored.end(),
                    [](const aggregate::Iteration& a, const auto& b) {
                      return a.start_ns == b.start_ns && a.stop_ns == b.stop_ns;
                    });
}

struct OpTextDeclaration {
  const char *id, *title;
  bool is_word;
  profile::Column<StringId> profile::Ops::*texts;
};

OpTextDeclaration declaration(OpText text) {
  switch (text) {
    case OpText::name:
      return {"op_node_name", "Op Name", false, &profile::Ops::name};
    case OpText::id:
      return {"op_node_id", "Op ID", false, &profile::Ops::id};
    case OpText::direction:
      return {"direction", "Direction", true, &profile::Ops::direction};
    case OpText::type:
      return {"op_node_type", "Op Type", false, &profile::Ops::type};
    case OpText::data_type:
      return {"data_type", "Data Type", true, &profile::Ops::data_type};
    case OpText::stack_trace:
      break;
  }
  return {"stack_trace", "Stack Trace", false, &profile::Ops::stack_trace};
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

bool Input::has_op(Row op) const {
  return arguments.ops.empty() ||
         std::find(arguments.ops.begin(), arguments.ops.end(), op) != arguments.ops.end();
}

aggregate::IterationRange Input::iterations() const {
  if (!arguments.iteration) return aggregation.selection.range;
  return {*arguments.iteration, *arguments.iteration};
}

Column aggregation_id_column(const Input& input) {
  const Cell id = aggregation_id(input.profile, input.aggregation);
  return ascending(
      integer_column("aggr_id", "Aggregation", Unit::none, [id](std::size_t) { return id; }));
}

Column domain_column(const Input& input) {
  return word_column("domain_name", "Domain", [&profile = input.profile](std::size_t) {
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

Column ascending(Column column) {
  column.first_sort = SortDirection::ascending;
  return column;
}

Column constant_count(std::string_view id, std::string_view title, int64_t value) {
  return integer_column(std::string(id), std::string(title), Unit::count,
                        [value](std::size_t) { return value; });
}

Column constant_time(std::string_view id, std::string_view title, int64_t value_ns) {
  return integer_column(std::string(id), std::string(title), Unit::ns,
                        [value_ns](std::size_t) { return value_ns; });
}

Column constant_percent(std::string_view id, std::string_view title, double value) {
  return real_column(std::string(id), std::string(title), Unit::percent,
                     [value](std::size_t) { return value; });
}

Column op_column(const Input& input, OpText text, std::function<Row(std::size_t row)> op) {
  const auto [id, title, is_word, member] = declaration(text);
  const profile::Column<StringId>& texts = input.profile.ops.*member;
  const auto cell = [&profile = input.profile, &texts, op = std::move(op)](std::size_t row) {
    return profile.text(texts[op(row)]);
  };
  return is_word ? word_column(id, title, cell) : text_column(id, title, cell);
}

}  // namespace dlview::report::view
