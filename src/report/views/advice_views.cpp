#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "aggregate/limits/headroom.h"
#include "aggregate/limits/limit_advice.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

Cell number_cell(const std::optional<double>& value, double factor = 1) {
  return value ? Cell(*value * factor) : Cell();
}

Cell op_cell(const profile::Profile& profile,
             profile::Ops::Column<profile::StringId> profile::Ops::*texts, profile::OpIndex op) {
  return op == profile::kNoRow ? Cell() : Cell(profile.text((profile.ops.*texts)[op]));
}

}  // namespace

Table tc_headroom(const Input& input) {
  using aggregate::HeadroomRow;
  const profile::Profile& profile = input.profile;
  const auto rows = std::make_shared<const std::vector<HeadroomRow>>(
      aggregate::tensor_core_headroom(profile, input.aggregation, *limit_index(input)));
  Table table;
  const auto add = column_adder(table, rows);
  add("op_node_name",
      [&profile](const HeadroomRow& row) { return op_cell(profile, &profile::Ops::name, row.op); });
  add("math_type", [](const HeadroomRow& row) {
    return row.type ? Cell(aggregate::to_text(*row.type)) : Cell();
  });
  add("limit_time", [](const HeadroomRow& row) { return row.time_ns; });
  add("flops", [](const HeadroomRow& row) { return number_cell(row.flops); });
  add("best_rate", [](const HeadroomRow& row) { return number_cell(row.best_rate, 1e-12); });
  add("headroom", [](const HeadroomRow& row) { return number_cell(row.gain_ns); });
  add("limit_note", [](const HeadroomRow& row) { return row.note; });
  add("op_node_id",
      [&profile](const HeadroomRow& row) { return op_cell(profile, &profile::Ops::id, row.op); });
  return table;
}

Table advice(const Input& input) {
  using aggregate::LimitAdvice;
  const profile::Profile& profile = input.profile;
  const auto rows = std::make_shared<const std::vector<LimitAdvice>>(
      aggregate::limit_advice(profile, input.aggregation, *limit_index(input)));
  Table table;
  const auto add = column_adder(table, rows);
  add("op_node_name",
      [&profile](const LimitAdvice& row) { return op_cell(profile, &profile::Ops::name, row.op); });
  add("limit", [](const LimitAdvice& row) { return aggregate::to_text(row.limit); });
  add("advice_kind", [](const LimitAdvice& row) { return aggregate::to_text(row.kind); });
  add("advice", [](const LimitAdvice& row) { return std::string_view(row.advice); });
  add("evidence", [](const LimitAdvice& row) { return std::string_view(row.evidence); });
  add("limit_time", [](const LimitAdvice& row) { return row.time_ns; });
  add("save_at_most", [](const LimitAdvice& row) { return number_cell(row.save_ns); });
  add("op_node_id",
      [&profile](const LimitAdvice& row) { return op_cell(profile, &profile::Ops::id, row.op); });
  return table;
}

}  // namespace dlview::report::view
