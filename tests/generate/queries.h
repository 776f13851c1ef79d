// Reads generated databases back with plain SQL.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace dlview::testing {

using TextRows = std::vector<std::vector<std::string>>;

// All rows as text, NULL as "NULL". A failing statement fails the test.
inline TextRows query(const std::filesystem::path& path, const std::string& sql) {
  TextRows rows;
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
      << sql << ": " << sqlite3_errmsg(database);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    std::vector<std::string> row;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
      row.emplace_back(text == nullptr ? "NULL" : text);
    }
    rows.push_back(std::move(row));
  }
  EXPECT_EQ(sqlite3_finalize(statement), SQLITE_OK) << sql << ": " << sqlite3_errmsg(database);
  sqlite3_close(database);
  return rows;
}

inline std::vector<std::string> first_column(const std::filesystem::path& path,
                                             const std::string& sql) {
  std::vector<std::string> values;
  for (const auto& row : query(path, sql)) values.push_back(row.front());
  return values;
}

}  // namespace dlview::testing
