#include "import/column_cache/folder.h"

#include <algorithm>
#include <fcntl.h>
#include <iterator>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "import/nsys/report_file.h"

namespace dlview::import::column_cache {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".columns";
constexpr const char* kUnfinished = ".dlview-unfinished-";
// A writer locks its file a moment after it has made it.
constexpr std::chrono::minutes kTimeToLock{1};

void remove_if_abandoned(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return;
  std::error_code ignored;
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) fs::remove(path, ignored);
  close(descriptor);
}

}  // namespace

fs::path cache_folder() {
  const fs::path cache = lasting_cache_folder();
  if (cache.empty()) return {};
  const fs::path folder = cache / "columns";
  std::error_code failure;
  fs::create_directories(cache, failure);
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) return {};
  return is_private_folder(folder) ? folder : fs::path();
}

std::vector<CacheFile> cache_files(const fs::path& folder) {
  std::vector<CacheFile> files;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::error_code gone;
    const bool is_own = is_cache_name(entry->path().filename().string(), kExtension);
    if (!is_own || entry->is_symlink(gone) || !entry->is_regular_file(gone)) continue;
    const auto bytes = static_cast<int64_t>(entry->file_size(gone));
    const fs::file_time_type last_used = entry->last_write_time(gone);
    if (!gone) files.push_back({entry->path(), bytes, last_used});
  }
  std::ranges::sort(files, std::ranges::greater(), &CacheFile::last_used);
  return files;
}

bool make_room(const fs::path& folder, int64_t bytes, const Limits& limits,
               const fs::path& spared) {
  if (bytes > limits.most_bytes) return false;
  std::vector<CacheFile> files = cache_files(folder);
  std::ranges::move(nsys::report_exports(folder.parent_path()), std::back_inserter(files));
  std::ranges::sort(files, std::ranges::greater(), &CacheFile::last_used);
  int64_t all = bytes;
  for (const CacheFile& file : files) all += file.bytes;
  std::erase_if(files, [&spared](const CacheFile& file) { return file.path == spared; });
  const auto fits = [&] {
    std::error_code failure;
    const fs::space_info space = fs::space(folder, failure);
    if (failure) return false;
    const double left = static_cast<double>(space.available) - static_cast<double>(bytes);
    return all <= limits.most_bytes &&
           left >= limits.spare_share * static_cast<double>(space.capacity);
  };
  for (; !fits() && !files.empty(); files.pop_back()) {
    std::error_code ignored;
    fs::remove(files.back().path, ignored);
    all -= files.back().bytes;
  }
  return fits();
}

void remove_abandoned(const fs::path& folder) {
  const auto latest = fs::file_time_type::clock::now() - kTimeToLock;
  std::error_code failure;
  std::vector<fs::path> unfinished;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::error_code gone;
    const bool is_unfinished = entry->path().filename().string().starts_with(kUnfinished);
    if (is_unfinished && entry->last_write_time(gone) < latest && !gone) {
      unfinished.push_back(entry->path());
    }
  }
  for (const fs::path& path : unfinished) remove_if_abandoned(path);
}

}  // namespace dlview::import::column_cache
