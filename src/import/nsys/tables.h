// Reads the tables of an export by column name. Any table and any column may be missing, as they
// are in real files: what is missing leaves its destination empty.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <variant>

#include "base/parallel.h"
#include "base/progress.h"
#include "base/result.h"
#include "import/capture/trace_rows.h"
#include "import/nsys/constant_columns.h"
#include "import/nsys/texts.h"
#include "import/nsys/threads.h"
#include "import/quality_log.h"
#include "import/sqlite/database.h"
#include "import/sqlite/row_ranges.h"
#include "profile/builder.h"
#include "profile/column.h"
#include "profile/column_slots.h"
#include "profile/trace.h"

namespace dlview::import::nsys {

inline constexpr capture::TableNames kTables = {
    .kernels = "CUPTI_ACTIVITY_KIND_KERNEL",
    .graph_launches = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
    .memcpys = "CUPTI_ACTIVITY_KIND_MEMCPY",
    .memsets = "CUPTI_ACTIVITY_KIND_MEMSET",
    .syncs = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
    .api_calls = "CUPTI_ACTIVITY_KIND_RUNTIME",
    .ranges = "NVTX_EVENTS",
    .gpus = "TARGET_INFO_GPU",
};

// State that a load passes from table to table.
struct Context {
  Context(const sqlite::Database& from, base::Progress& job) : database(from), progress(job) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const sqlite::Database& database;
  base::Progress& progress;
  profile::ProfileBuilder builder;
  QualityLog quality;
  capture::LeftOutRows left_out;
  KnownThreads known_threads;
  Texts texts{database, builder, quality};
  ConstantColumns constants;
  int64_t origin_ns = 0;  // the start of the session, in the times of the file
};

inline constexpr int64_t kRowsBetweenReports = 4096;  // of progress

// `number` counts the rows of the table from 1.
using UseRow = std::function<void(const sqlite::Statement& row, int64_t number)>;

// Calls `use` for every row in the file's order; a column that the table lacks reads as NULL. Does
// nothing when there is no such table. Fails when the file is damaged and on cancel.
base::Status for_each_row(Context& context, const char* table, std::span<const char* const> columns,
                          const UseRow& use);

// Where the values of a column go. Integers that do not fit are saturated.
struct StringIdsColumn {  // ids of StringIds
  profile::Column<profile::StringId>* values;
};
struct TextColumn {  // texts themselves
  profile::Column<profile::StringId>* values;
};
using Destination = std::variant<profile::Column<int64_t>*, profile::Column<int32_t>*,
                                 profile::Column<int16_t>*, StringIdsColumn, TextColumn>;

struct ColumnSpec {
  const char* name;
  Destination values;
};

// The times that a table has.
enum class Times : uint8_t {
  spans,
  open_spans,  // the end may be NULL
  instants,    // a start only
  none
};

struct EventTable {
  const char* name;
  const char* stage;  // "Reading kernels"
  Times times = Times::spans;
};

// Reads the times, from the start of the session, and `columns` of every row, on all cores. A
// row whose times cannot be used is left out and noted; NULL in another column is kNoValue, -1 or
// kNoText. What the file does not have leaves its destination as it is.
base::Status read_events(Context& context, const EventTable& table,
                         profile::Column<int64_t>& start_ns, profile::Column<int64_t>& end_ns,
                         std::span<const ColumnSpec> columns);
base::Status read_instants(Context& context, const EventTable& table,
                           profile::Column<int64_t>& time_ns, std::span<const ColumnSpec> columns);
base::Status read_rows(Context& context, const EventTable& table,
                       std::span<const ColumnSpec> columns);

// Converts the numbers of a column to kinds.
template <typename Kind, typename Number, typename KindOf>
profile::Column<Kind> converted(const profile::Column<Number>& numbers, const KindOf& kind_of) {
  profile::ColumnSlots<Kind> kinds(numbers.size());
  base::parallel_for(numbers.size(), capture::kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) *kinds.at(row) = kind_of(numbers[row]);
  });
  return std::move(kinds).finish(numbers.size());
}

}  // namespace dlview::import::nsys
