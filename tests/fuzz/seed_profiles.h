// Small generated profiles from which inputs are made: the same in every run of every build.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "import/column_cache/identity.h"
#include "profile/profile.h"

namespace dlview::fuzz {

// A generated database of each schema, three iterations each.
struct SeedDatabase {
  std::string_view name;  // "nsys2023"
  std::string bytes;
};
constexpr std::size_t kSeedDatabases = 5;
// Made by the first call.
const std::array<SeedDatabase, kSeedDatabases>& seed_databases();

// As it opens, but for the name of its file, which is the same in every run.
profile::Profile open_seed(const SeedDatabase& seed);

// What the cache files of the seeds are stored under and with.
const import::column_cache::Identity& seed_identity();
constexpr const char* kSeedBeside = "beside";

}  // namespace dlview::fuzz
