#include "import/dlprof/recognize.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "import/dlprof/errors.h"
#include "import/errors.h"

namespace dlview::import::dlprof {
namespace {

using Version = std::pair<int, int>;  // major, minor; what follows them does not count
constexpr Version kOldest{1, 3}, kNewest{1, 8};

std::optional<Version> parse(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  Version version;
  const char* const end = text.data() + text.size();
  const auto [dot, major_error] = std::from_chars(text.data(), end, version.first);
  if (major_error != std::errc() || dot == end || *dot != '.') return std::nullopt;
  const auto [rest, minor_error] = std::from_chars(dot + 1, end, version.second);
  if (minor_error != std::errc() || (rest != end && *rest != '.')) return std::nullopt;
  return version;
}

}  // namespace

bool recognize(const sqlite::Database& database) {
  return database.has_table("read_only_ops") || database.has_table("read_only_system_config") ||
         (database.has_column("db_version", "current_version") &&
          database.has_column("db_version", "original_version"));
}

base::Result<Versions> read_versions(const sqlite::Database& database) {
  for (const char* column : {"current_version", "original_version"}) {
    if (!database.has_table("db_version")) return lacks_table(database, "db_version");
    if (!database.has_column("db_version", column)) {
      return lacks_column(database, "db_version", column);
    }
  }
  base::Result<sqlite::Statement> rows = database.prepare(
      "SELECT current_version, original_version FROM db_version ORDER BY rowid LIMIT 1");
  if (!rows) return std::move(rows).error();
  Versions versions;
  if (rows->next()) versions = {std::string(rows->text(0)), std::string(rows->text(1))};
  DLVIEW_TRY(rows->status());

  const std::optional<Version> current = parse(versions.current);
  const std::optional<Version> original = parse(versions.original);
  const std::string name = quoted(database.path());
  if (!current || !original) {
    return base::Error{"The version of the database cannot be read",
                       name + " states the versions \"" + versions.current + "\" (current) and \"" +
                           versions.original + "\" (original); expected text such as 1.8.0",
                       kRecordAgain};
  }
  if (*original < kOldest) {
    return base::Error{
        "The version of DLProf is too old",
        name + " was made by DLProf " + versions.original + "; dlview reads 1.3 to 1.8",
        kRecordAgain};
  }
  if (*current > kNewest) {
    return base::Error{"The version of DLProf is too new",
                       name + " has version " + versions.current + "; dlview reads 1.3 to 1.8",
                       "Install a newer dlview, or record the run with DLProf 1.8"};
  }
  return versions;
}

}  // namespace dlview::import::dlprof
