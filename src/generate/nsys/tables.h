// The tables of an export: which columns they have in which year, and the rows put into them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "generate/nsys.h"
#include "generate/sqlite_file.h"
#include "profile/profile.h"

namespace dlview::generate::nsys {

struct ColumnSpec {
  const char* declaration;
  NsysSchema since = NsysSchema::v2021;
};

struct TableSpec {
  const char* name;
  std::span<const ColumnSpec> columns;
  NsysSchema first = NsysSchema::v2021, last = NsysSchema::v2026;
};

// Creates a table with the columns of one year. In a year without the table rows go nowhere.
class Table {
 public:
  using Value = Insert::Value;

  Table(SqliteFile& file, NsysSchema schema, const TableSpec& spec);

  // One value for each column of the spec, in its order, whatever the year; columns at the end for
  // which there is none are NULL.
  void add(std::initializer_list<Value> values);

 private:
  std::vector<bool> is_present_;
  std::vector<Value> row_;
  std::optional<Insert> insert_;
};

// The table StringIds: each text once.
class StringIds {
 public:
  StringIds(SqliteFile& file, NsysSchema schema);
  int64_t id(std::string_view text);
  // Looks up each text of a table once; always the same table.
  int64_t id(const profile::StringTable& strings, profile::StringId text);

 private:
  Table table_;
  std::map<std::string, int64_t, std::less<>> ids_;
  std::vector<int64_t> id_of_string_;  // of the table; -1 until it is used
};

// State shared by all writers.
struct Export {
  Export(SqliteFile& to, NsysSchema year) : file(to), schema(year), strings(to, year) {}

  SqliteFile& file;
  NsysSchema schema;
  StringIds strings;
};

// A process or thread with the bits of its virtual machine.
inline constexpr int64_t kVirtualMachine = int64_t{1} << 48;
inline int64_t global_process(const profile::Thread& thread) {
  return kVirtualMachine + (thread.process_id << 24);
}
inline int64_t global_thread(const profile::Thread& thread) {
  return global_process(thread) + thread.thread_id;
}

}  // namespace dlview::generate::nsys
