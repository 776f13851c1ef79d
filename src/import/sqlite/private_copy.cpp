#include "import/sqlite/private_copy.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "import/errors.h"

namespace dlview::import::sqlite {
namespace {

namespace fs = std::filesystem;

// Above the size of the files: SQLite's index of the -wal, and room for others to go on.
constexpr int64_t kSpareBytes = 16 << 20;

base::Status copy_file(const fs::path& from, const fs::path& to, const fs::path& path,
                       base::Progress& progress) {
  std::ifstream in(from, std::ios::binary);
  if (!in) {
    return base::Error{"No permission to read the file",
                       quoted(from) + " holds a part of " + quoted(path) +
                           " and cannot be opened: " + std::generic_category().message(errno) + ".",
                       "Let its owner permit it, or let the program that wrote it close it."};
  }
  std::ofstream out(to, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 20);
  while (in && out) {
    if (progress.cancelled()) return cancelled(path);
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    out.write(block.data(), in.gcount());
    progress.add_done(in.gcount());
  }
  out.close();
  if (in.eof() && out) return base::Success{};
  return base::Error{"The private copy cannot be made",
                     quoted(from) + " could not be copied to " + quoted(to) + ".",
                     "Check both disks, or set XDG_CACHE_HOME to a folder on another one."};
}

std::string suffix_of(const fs::path& companion, const fs::path& database) {
  return companion.string().substr(database.string().size());
}

}  // namespace

base::Result<PrivateCopy> PrivateCopy::make(const fs::path& path, const Inspection& original,
                                            base::Progress& progress) {
  const Stamps before = stamps_of(original.database);
  int64_t bytes = 0;
  for (const FileStamp& stamp : before) bytes += std::max<int64_t>(stamp.bytes, 0);

  base::Result<CopyFolder> folder = CopyFolder::make(path, bytes + kSpareBytes);
  if (!folder) return std::move(folder).error();
  PrivateCopy copy(std::move(*folder));

  progress.begin_stage("Making a private copy", bytes);
  std::vector<fs::path> files = original.companions;
  files.push_back(original.database);
  for (const fs::path& file : files) {
    fs::path target = copy.database();
    target += suffix_of(file, original.database);
    const base::Status status = copy_file(file, target, path, progress);
    if (!status) return status.error();
  }
  if (stamps_of(original.database) != before) {
    return base::Error{"The file is being written",
                       quoted(path) + " changed while it was being copied.",
                       "Wait until the program that writes it has finished, then open it again."};
  }
  return copy;
}

}  // namespace dlview::import::sqlite
