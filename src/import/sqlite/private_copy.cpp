#include "import/sqlite/private_copy.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/units.h"
#include "import/errors.h"

namespace dlview::import::sqlite {
namespace {

namespace fs = std::filesystem;

// Above the size of the files: SQLite's index of the -wal, and room for others to go on.
constexpr int64_t kSpareBytes = 16 << 20;

std::vector<fs::path> cache_folders() {
  std::vector<fs::path> folders;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) {
    folders.push_back(fs::path(cache) / "dlview");
  } else if (home != nullptr && fs::path(home).is_absolute()) {
    folders.push_back(fs::path(home) / ".cache" / "dlview");
  }
  std::error_code none;
  const fs::path temporary = fs::temp_directory_path(none);
  if (!none) folders.push_back(temporary);
  return folders;
}

// A fresh folder that only this user can read, inside the first place with enough space.
base::Result<fs::path> make_folder(const fs::path& path, int64_t needed_bytes) {
  std::string tried;
  bool is_space_missing = false;
  for (const fs::path& parent : cache_folders()) {
    std::error_code failure;
    fs::create_directories(parent, failure);
    const fs::space_info space = fs::space(parent, failure);
    tried += tried.empty() ? "" : ", ";
    if (failure) {
      tried += quoted(parent) + " cannot be used (" + failure.message() + ")";
      continue;
    }
    if (space.available < static_cast<uintmax_t>(needed_bytes)) {
      is_space_missing = true;
      tried += quoted(parent) + " has " +
               base::format_bytes(static_cast<int64_t>(space.available)) + " free";
      continue;
    }
    std::string pattern = (parent / "copy-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) return fs::path(pattern);
    tried += quoted(parent) + " cannot be written (" + std::generic_category().message(errno) + ")";
  }
  const std::string need = quoted(path) +
                           " has a -wal or -journal file beside it, so it is read from a private "
                           "copy of " +
                           base::format_bytes(needed_bytes) + "; " + tried + ".";
  if (!is_space_missing) {
    return base::Error{"The private copy cannot be made", need,
                       "Set XDG_CACHE_HOME to a folder that may be written."};
  }
  return base::Error{"Not enough space for a private copy", need,
                     "Free some space, or set XDG_CACHE_HOME to a folder on a disk that has more."};
}

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

  base::Result<fs::path> folder = make_folder(path, bytes + kSpareBytes);
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

PrivateCopy::PrivateCopy(PrivateCopy&& other) noexcept
    : folder_(std::exchange(other.folder_, fs::path())) {}

PrivateCopy& PrivateCopy::operator=(PrivateCopy&& other) noexcept {
  std::swap(folder_, other.folder_);
  return *this;
}

PrivateCopy::~PrivateCopy() {
  if (folder_.empty()) return;
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace dlview::import::sqlite
