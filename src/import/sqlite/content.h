// Detects, from the first bytes, what a file is that is not an SQLite database.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace dlview::import::sqlite {

// How many first bytes the functions below want to see; fewer if the file is shorter.
inline constexpr std::size_t kFirstBytes = 4096;

bool begins_as_sqlite(std::string_view first_bytes);
bool is_text(std::string_view first_bytes);

// By its extension.
bool is_named_as_nsys_report(const std::filesystem::path& path);

// Returns an Error that names the kind of file (text of several kinds, compressed, other) and what
// to do with it. Decompresses the first part of a gzip file for that.
base::Error not_a_database(const std::filesystem::path& path, std::string_view first_bytes);

}  // namespace dlview::import::sqlite
