#include "base/unfinished_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace dlview::base {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const fs::path& target, const std::string& reason) {
  return {"A file cannot be written", fmt::format("{}: {}", target.string(), reason),
          "Check the folder's permissions and the free space, or choose another folder."};
}

}  // namespace

UnfinishedFile::UnfinishedFile(fs::path target, fs::path path)
    : target_(std::move(target)), path_(std::move(path)) {}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : target_(std::move(other.target_)), path_(std::exchange(other.path_, {})) {}

UnfinishedFile::~UnfinishedFile() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove(path_, ignored);
}

// The name does not contain the target's, which may be as long as names can be.
Result<UnfinishedFile> UnfinishedFile::create(const fs::path& target) {
  for (int attempt = 0;; ++attempt) {
    fs::path path =
        target.parent_path() / fmt::format(".dlview-unfinished-{}-{}", getpid(), attempt);
    const int descriptor = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      close(descriptor);
      return UnfinishedFile(target, std::move(path));
    }
    if (errno != EEXIST) return cannot_write(target, std::strerror(errno));
  }
}

Status UnfinishedFile::finish() {
  std::error_code error;
  fs::rename(path_, target_, error);
  if (error) return cannot_write(target_, error.message());
  path_.clear();
  return Success{};
}

Error UnfinishedFile::error(const std::string& reason) const {
  return cannot_write(target_, reason);
}

}  // namespace dlview::base
