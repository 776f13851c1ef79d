#include "import/sqlite/copy_folder.h"

#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/units.h"
#include "import/cache_folders.h"
#include "import/errors.h"

namespace dlview::import::sqlite {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNameStart = "dlview-copy-";
constexpr std::string_view kNamePattern = "dlview-copy-XXXXXX";

// Another process may take a folder that is not locked yet for an abandoned one, each time anew.
constexpr int kAttempts = 10;

int open_folder(const fs::path& folder) {
  return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Whether the path still leads to the open folder.
bool is_there(const fs::path& folder, int descriptor) {
  struct stat named {
  }, opened{};
  return lstat(folder.c_str(), &named) == 0 && fstat(descriptor, &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

// The descriptor of the locked folder, or -1 when it is being removed. A file system without locks
// gives the descriptor as well: nobody else will get the lock there.
int lock_new(const fs::path& folder) {
  const int descriptor = open_folder(folder);
  if (descriptor < 0) return -1;
  const bool is_taken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!is_taken && is_there(folder, descriptor)) return descriptor;
  close(descriptor);
  return -1;
}

struct NewFolder {
  fs::path path;
  int lock = -1;
};

// Nothing when it cannot be made; errno tells why.
std::optional<NewFolder> make_inside(const fs::path& parent) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string path = (parent / kNamePattern).string();
    if (mkdtemp(path.data()) == nullptr) return std::nullopt;
    if (const int lock = lock_new(path); lock >= 0) return NewFolder{path, lock};
  }
  errno = EBUSY;
  return std::nullopt;
}

base::Error no_folder(const fs::path& path, int64_t needed_bytes, const std::string& tried,
                      bool is_space_missing) {
  const std::string need = quoted(path) +
                           " has a -wal or -journal file beside it, so it is read from a private "
                           "copy of " +
                           base::format_bytes(needed_bytes) + "; " + tried + ".";
  if (!is_space_missing) {
    return {"The private copy cannot be made", need,
            "Set XDG_CACHE_HOME to a folder that may be written."};
  }
  return {"Not enough space for a private copy", need,
          "Free some space, or set XDG_CACHE_HOME to a folder on a disk that has more."};
}

// Only a folder of this user's; its owner, if alive, holds the lock.
void remove_if_abandoned(const fs::path& folder) {
  const int descriptor = open_folder(folder);
  if (descriptor < 0) return;
  struct stat facts {};
  const bool is_own = fstat(descriptor, &facts) == 0 && facts.st_uid == geteuid();
  if (is_own && flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  close(descriptor);
}

}  // namespace

base::Result<CopyFolder> CopyFolder::make(const fs::path& path, int64_t needed_bytes) {
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
    if (auto made = make_inside(parent)) return CopyFolder(std::move(made->path), made->lock);
    tried += quoted(parent) + " cannot be written (" + std::generic_category().message(errno) + ")";
  }
  return no_folder(path, needed_bytes, tried, is_space_missing);
}

CopyFolder::CopyFolder(fs::path path, int lock) : path_(std::move(path)), lock_(lock) {}

CopyFolder::CopyFolder(CopyFolder&& other) noexcept
    : path_(std::exchange(other.path_, fs::path())), lock_(std::exchange(other.lock_, -1)) {}

CopyFolder& CopyFolder::operator=(CopyFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

CopyFolder::~CopyFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  close(lock_);
}

void remove_abandoned_copies() {
  for (const fs::path& parent : cache_folders()) {
    std::error_code failure;
    std::vector<fs::path> copies;
    for (fs::directory_iterator entry(parent, failure), end; !failure && entry != end;
         entry.increment(failure)) {
      const std::string name = entry->path().filename().string();
      const bool is_copy = name.size() == kNamePattern.size() && name.starts_with(kNameStart);
      if (is_copy) copies.push_back(entry->path());
    }
    for (const fs::path& copy : copies) remove_if_abandoned(copy);
  }
}

}  // namespace dlview::import::sqlite
