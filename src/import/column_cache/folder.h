// The folder of the cache files: of this user alone, bounded in size, oldest used out first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "import/cache_folders.h"

namespace dlview::import::column_cache {

struct Limits {
  int64_t most_bytes = int64_t{20} << 30;  // of all cache files and exports together
  double spare_share = 0.1;                // of the disk, that stays free
};

// Made if need be; empty when there is none that could be used.
std::filesystem::path cache_folder();

// The latest used first.
std::vector<CacheFile> cache_files(const std::filesystem::path& folder);

// Removes the longest unused of these files and of the exports of Nsight Systems reports, but not
// `spared`, until another one of that size fits; false when it never does.
bool make_room(const std::filesystem::path& folder, int64_t bytes, const Limits& limits,
               const std::filesystem::path& spared = {});

// Removes what writers left that were killed.
void remove_abandoned(const std::filesystem::path& folder);

}  // namespace dlview::import::column_cache
