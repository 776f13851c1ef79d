// The texts of an export on their way into the profile's string table: written out in a row, or
// named by their id in the table StringIds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/large_memory.h"
#include "base/result.h"
#include "import/id_map.h"
#include "import/quality_log.h"
#include "import/sqlite/database.h"
#include "profile/builder.h"

namespace dlview::import::nsys {

// The note for a text that is not UTF-8, of which `valid` remains.
inline constexpr const char* kNotUtf8 =
    "a text is not UTF-8; \ufffd replaces what cannot be decoded";
std::string describe_not_utf8(const std::string& valid);

class Texts {
 public:
  // All must outlive the object.
  Texts(const sqlite::Database& database, profile::ProfileBuilder& builder, QualityLog& quality)
      : database_(database), builder_(builder), quality_(quality) {}

  // Replaces every byte that is not UTF-8 by U+FFFD and notes it with `table` and `row`.
  std::string valid(std::string_view table, int64_t row, std::string_view text);
  profile::StringId intern(std::string_view table, int64_t row, std::string_view text);

  // A row of StringIds, looked up when it is first used: most of the millions of texts in a long
  // capture are symbols of call stacks. Nothing when there is no such row.
  std::optional<profile::StringId> find(int64_t id);

  // By StringId: the id in StringIds under which it was found first, or kNoValue.
  base::LargeVector<int64_t> take_ids() { return std::move(ids_); }

  // Why StringIds cannot be read to its end, if so.
  const base::Status& status() const { return status_; }

 private:
  void begin();
  void read_all();
  void know(int64_t id, profile::StringId text);

  const sqlite::Database& database_;
  profile::ProfileBuilder& builder_;
  QualityLog& quality_;
  bool has_begun_ = false;
  std::optional<sqlite::Statement> by_key_;
  IdMap<profile::StringId> known_;
  base::LargeVector<int64_t> ids_;
  base::Status status_{base::Success{}};
};

}  // namespace dlview::import::nsys
