// The registry of file formats: one folder and one line in importers.cpp for each.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "base/progress.h"
#include "base/result.h"
#include "import/byte_source.h"
#include "profile/profile.h"

namespace dlview::import {

struct Importer {
  std::string_view name;  // of the format
  // Looks at the head of the file, or at the tables of a database, and reads no rows.
  bool (*accepts)(const ByteSource& source);
  // For a source that it accepts. May throw base::Stopped.
  base::Result<profile::Profile> (*load)(const ByteSource& source, base::Progress& progress);
  // Whether the opening limits apply to load(); false if it runs another program.
  bool has_limits = true;
  // Called when a file comes out of the cache of columns, whichever importer had read it; may be
  // null.
  void (*came_from_cache)(const std::filesystem::path& path) = nullptr;
};

// In the order in which they are tried; the first that accepts a source loads it.
std::span<const Importer> importers();

}  // namespace dlview::import
