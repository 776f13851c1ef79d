// The aggregated tables of a DLProf database as plain values, with surrogate ids replaced by their
// texts and numbers. Only `verify` reads them; the program computes its own numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "base/value_table.h"
#include "import/sqlite/database.h"

namespace dlview::import::dlprof {

// Called with one row's values, which are valid during the call only.
using UseValues = std::function<void(const std::vector<base::Value>& row)>;

// An open database; tables and columns that an older one does not have are left out everywhere.
class StoredTables {
 public:
  // `progress` must outlive the object: what it reads ends early, as "Canceled", once that is
  // canceled.
  static base::Result<StoredTables> open(const std::filesystem::path& path,
                                         base::Progress& progress);

  // Returns the ids of all aggregations in the file, also of those that the loader had to skip.
  base::Result<std::vector<int64_t>> aggregation_ids() const;

  // One ValueTable for each aggregated table but kernel_iteration_node, in a fixed order, with the
  // rows of one aggregation.
  base::Result<std::vector<base::ValueTable>> read(int64_t aggregation_id) const;

  // kernel_iteration_node has a row for each kernel, too many to keep: here its name, columns and
  // keys without rows (no columns: no such table), then its rows, in order of read_only_kernel_id.
  base::ValueTable kernel_iterations() const;
  base::Status for_each_kernel_iteration(int64_t aggregation_id, const UseValues& use) const;

  // Whether somebody wrote to the file since open(): then what was read may be a mixture.
  bool has_changed() const { return database_.file().has_changed(); }

  // For the loader, so that a file is opened once.
  const sqlite::Database& database() const { return database_; }

 private:
  explicit StoredTables(sqlite::Database database) : database_(std::move(database)) {}

  sqlite::Database database_;
};

}  // namespace dlview::import::dlprof
