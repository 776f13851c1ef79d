#include "fuzz/seed_profiles.h"

#include <optional>
#include <utility>

#include "base/progress.h"
#include "fuzz/fuzz.h"
#include "generate/dlprof.h"
#include "generate/nsys.h"
#include "import/open.h"

namespace dlview::fuzz {
namespace {

using generate::Framework;
using generate::NsysSchema;

// `schema`: of an export; none = a DLProf database.
SeedDatabase make(std::string_view name, Framework framework, std::optional<NsysSchema> schema) {
  const std::filesystem::path path = folder() / "seed.sqlite";
  const generate::DemoOptions options{
      .iterations = 3, .kernels = 150, .gpus = 1, .framework = framework};
  base::Progress progress;
  const base::Status made = schema ? generate::generate_nsys(path, options, *schema, progress)
                                   : generate::generate_dlprof(path, options, progress);
  require(made.ok(), "a seed cannot be generated", made ? "" : base::to_text(made.error()));
  SeedDatabase seed{name, contents_of(path)};
  std::filesystem::remove(path);
  return seed;
}

}  // namespace

const std::array<SeedDatabase, kSeedDatabases>& seed_databases() {
  static const std::array<SeedDatabase, kSeedDatabases> seeds{
      make("dlprof", Framework::pytorch, std::nullopt),
      make("dlprof_tensorflow", Framework::tensorflow, std::nullopt),
      make("nsys2021", Framework::pytorch, NsysSchema::v2021),
      make("nsys2023", Framework::pytorch, NsysSchema::v2023),
      make("nsys2026", Framework::tensorflow, NsysSchema::v2026)};
  return seeds;
}

profile::Profile open_seed(const SeedDatabase& seed) {
  const std::filesystem::path path = folder() / "seed.sqlite";
  write(path, seed.bytes);
  base::Progress progress;
  base::Result<profile::Profile> profile = import::open_profile(path, progress);
  require(profile.ok(), "a seed cannot be opened", seed.name);
  profile->source.path = "seed.sqlite";
  std::filesystem::remove(path);
  return std::move(*profile);
}

const import::column_cache::Identity& seed_identity() {
  static const import::column_cache::Identity identity{"seed.columns", "seed"};
  return identity;
}

}  // namespace dlview::fuzz
