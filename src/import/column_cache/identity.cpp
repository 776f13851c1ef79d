#include "import/column_cache/identity.h"

#include <fstream>
#include <xxhash.h>

#include <fmt/format.h>

#include "import/sqlite/inspect.h"

namespace dlview::import::column_cache {
namespace {

// With the counters of changes to the file and to its schema.
constexpr std::size_t kHeaderBytes = 100;

}  // namespace

std::optional<Identity> identity_of(const std::filesystem::path& path) {
  const base::Result<sqlite::Inspection> found = sqlite::inspect(path);
  if (!found || !found->companions.empty()) return std::nullopt;
  const sqlite::FileStamp stamp = sqlite::stamps_of(found->database)[0];
  std::string header(kHeaderBytes, '\0');
  std::ifstream in(found->database, std::ios::binary);
  if (!in.read(header.data(), kHeaderBytes)) return std::nullopt;

  // The name under which a file is opened names the profile.
  const std::string stem = path.stem().string();
  const std::string place = found->database.string() + '\n' + stem;
  return Identity{
      fmt::format("{}-{:016x}.columns", stem.substr(0, 100),
                  XXH3_64bits(place.data(), place.size())),
      fmt::format("{}\n{} {} {}\n{}", place, stamp.bytes, stamp.modified_ns, stamp.inode, header)};
}

}  // namespace dlview::import::column_cache
