#include "report/writers/file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

namespace dlview::report {
namespace {

namespace fs = std::filesystem;

base::Error cannot_write(const fs::path& path, const std::string& reason) {
  return {"A file cannot be written", fmt::format("{}: {}", path.string(), reason),
          "Check the folder's permissions and the free space, or choose another folder"};
}

// A new, empty file beside `path` under a name that nothing had.
base::Result<fs::path> create_beside(const fs::path& path) {
  for (int attempt = 0;; ++attempt) {
    fs::path unfinished =
        path.parent_path() / fmt::format(".{}.{}-{}", path.filename().string(), getpid(), attempt);
    const int descriptor = open(unfinished.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      close(descriptor);
      return unfinished;
    }
    if (errno != EEXIST) return cannot_write(path, std::strerror(errno));
  }
}

}  // namespace

base::Status write_file(const fs::path& path, const std::function<void(std::ostream& out)>& write) {
  const base::Result<fs::path> created = create_beside(path);
  if (!created) return created.error();
  const fs::path& unfinished = *created;
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  write(out);
  out.close();
  std::error_code error;
  if (!out) {
    fs::remove(unfinished, error);
    return cannot_write(path, "not all of it could be written");
  }
  fs::rename(unfinished, path, error);
  if (!error) return base::Success{};
  const std::string reason = error.message();
  fs::remove(unfinished, error);
  return cannot_write(path, reason);
}

}  // namespace dlview::report
