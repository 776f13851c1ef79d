#include "import/column_cache/identity.h"

#include <fstream>
#include <system_error>
#include <xxhash.h>

#include <fmt/format.h>

#include "import/sqlite/content.h"
#include "import/sqlite/inspect.h"

namespace dlview::import::column_cache {
namespace {

// Those of a database hold the counters of changes to it and to its schema.
constexpr std::size_t kHeaderBytes = 100;

std::string read_header(const std::filesystem::path& path) {
  std::string header(kHeaderBytes, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(header.data(), kHeaderBytes);
  header.resize(static_cast<std::size_t>(in.gcount()));
  return header;
}

}  // namespace

std::optional<Identity> identity_of(const std::filesystem::path& path) {
  std::error_code failure;
  const std::filesystem::path file = std::filesystem::canonical(path, failure);
  if (failure || !std::filesystem::is_regular_file(file, failure)) return std::nullopt;
  const std::string header = read_header(file);
  if (sqlite::begins_as_sqlite(header)) {
    const base::Result<sqlite::Inspection> found = sqlite::inspect(file);
    if (!found || !found->companions.empty()) return std::nullopt;
  }
  const sqlite::FileStamp stamp = sqlite::stamps_of(file)[0];

  // The name under which a file is opened names the profile.
  const std::string stem = path.stem().string();
  const std::string place = file.string() + '\n' + stem;
  return Identity{
      fmt::format("{}-{:016x}.columns", stem.substr(0, 100),
                  XXH3_64bits(place.data(), place.size())),
      fmt::format("{}\n{} {} {}\n{}", place, stamp.bytes, stamp.modified_ns, stamp.inode, header)};
}

}  // namespace dlview::import::column_cache
