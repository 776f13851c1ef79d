// RowCheck: what may be used of a row of an event table: its op instance, GPU and times. What may
// not is noted.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/intervals.h"
#include "import/dlprof/devices.h"
#include "import/dlprof/ops.h"
#include "import/dlprof/tables.h"
#include "import/quality_log.h"
#include "import/sqlite/table_rows.h"
#include "profile/rows.h"

namespace dlview::import::dlprof {

// The checked part that all events have.
struct ApiFields {
  profile::Row instance = 0;
  base::Interval call;
};

// The checked part that kernels, copies and memsets have.
struct GpuFields {
  profile::Row instance = 0, device = 0;
  base::Interval call, gpu;
};

// Notes that a row's time, of columns `start` and `stop`, is not used.
void note_times(const TableSpec& table, int64_t id, std::string_view reason,
                base::Interval interval, int start, int stop, QualityLog& notes);

// Checks the rows of one range, with its own notes; all must outlive it.
class RowCheck {
 public:
  RowCheck(const TableSpec& table, const OpLookup& ops, const DeviceRows& devices,
           QualityLog& notes)
      : table_(table), ops_(ops), devices_(devices), notes_(notes) {}

  std::optional<ApiFields> api_fields(const sqlite::TableRows& row) const;
  std::optional<GpuFields> gpu_fields(const sqlite::TableRows& row) const;
  // Notes why the row is not used, quoting the value of one column.
  void reject(const sqlite::TableRows& row, std::string_view reason, int column) const;
  QualityLog& notes() const { return notes_; }

 private:
  std::optional<profile::Row> instance(const sqlite::TableRows& row) const;
  std::optional<base::Interval> times(const sqlite::TableRows& row, int start, int stop) const;

  const TableSpec& table_;
  const OpLookup& ops_;
  const DeviceRows& devices_;
  QualityLog& notes_;
};

}  // namespace dlview::import::dlprof
