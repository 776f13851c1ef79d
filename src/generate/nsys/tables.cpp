#include "generate/nsys/tables.h"

#include <fmt/format.h>

namespace dlview::generate::nsys {
namespace {

constexpr ColumnSpec kStringColumns[] = {{"id INTEGER NOT NULL PRIMARY KEY"},
                                         {"value TEXT NOT NULL"}};
constexpr TableSpec kStringIds{"StringIds", kStringColumns};

}  // namespace

Table::Table(SqliteFile& file, NsysSchema schema, const TableSpec& spec) {
  if (schema < spec.first || schema > spec.last) return;
  std::string columns;
  int count = 0;
  for (const ColumnSpec& column : spec.columns) {
    is_present_.push_back(column.since <= schema);
    if (!is_present_.back()) continue;
    columns += fmt::format("{}{}", count++ == 0 ? "" : ", ", column.declaration);
  }
  file.execute(fmt::format("CREATE TABLE {}({})", spec.name, columns));
  insert_.emplace(file, spec.name, count);
}

void Table::add(std::initializer_list<Value> values) {
  if (!insert_) return;
  row_.clear();
  for (std::size_t column = 0; column < is_present_.size(); ++column) {
    if (!is_present_[column]) continue;
    row_.push_back(column < values.size() ? values.begin()[column] : Value(nullptr));
  }
  insert_->row(row_);
}

StringIds::StringIds(SqliteFile& file, NsysSchema schema) : table_(file, schema, kStringIds) {}

int64_t StringIds::id(std::string_view text) {
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  const int64_t id = std::ssize(ids_);
  ids_.emplace(text, id);
  table_.add({id, text});
  return id;
}

int64_t StringIds::id(const profile::StringTable& strings, profile::StringId text) {
  id_of_string_.resize(strings.size(), -1);
  int64_t& known = id_of_string_[text];
  if (known < 0) known = id(strings[text]);
  return known;
}

}  // namespace dlview::generate::nsys
