#include "import/opening_limits.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <pthread.h>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/parse.h"
#include "base/sanitizers.h"
#include "base/units.h"
#include "import/byte_source.h"
#include "import/errors.h"
#include "import/sqlite/inspect.h"

namespace dlview::import {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLeastTime{5'000};
constexpr double kMsPerByte = 30'000.0 / 1e9;
constexpr int64_t kLeastMemory = int64_t{512} << 20;
constexpr int64_t kMemoryPerByte = 4;
constexpr int kSlowerWithSanitizers = 10;
// Well below the time in which a canceled job has to end.
constexpr milliseconds kWatchInterval{50};

const pthread_t kMainThread = pthread_self();  // initialized before main()

milliseconds time_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return milliseconds(time.tv_sec * 1000 + time.tv_nsec / 1'000'000);
}

// Returns 0 where the system does not say.
int64_t memory_in_use() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  long long resident = 0, of_files = 0;
  const bool is_read = std::fscanf(file, "%*d %lld %lld", &resident, &of_files) == 2;
  std::fclose(file);
  return is_read ? (resident - of_files) * sysconf(_SC_PAGESIZE) : 0;
}

base::Error beyond_limit(const char* title, std::string detail) {
  return {title, std::move(detail),
          "The file may be damaged or malicious. If you trust it, raise the limits tenfold with "
          "DLVIEW_LIMITS=10, or remove them with DLVIEW_LIMITS=off"};
}

// Of a database with its -wal and -journal, which lie beside the file that a link leads to.
int64_t bytes_on_disk(const std::filesystem::path& path) {
  std::error_code failure;
  const std::filesystem::path database = std::filesystem::canonical(path, failure);
  return sqlite::total_bytes(sqlite::stamps_of(failure ? path : database));
}

// Of a report of nsys, its export is larger than what lies at the path.
int64_t bytes_of(const profile::SourceInfo& source) {
  return std::max(
      {source.file_bytes, bytes_on_disk(source.path), recorded_unpacked_bytes(source.path)});
}

}  // namespace

std::optional<double> OpeningLimits::factor() {
  const char* const text = std::getenv("DLVIEW_LIMITS");
  const std::string_view wanted = text == nullptr ? "" : text;
  if (wanted == "off") return std::nullopt;
  return std::clamp(static_cast<double>(base::parse_natural(wanted).value_or(1)), 1.0, 1e6);
}

std::optional<OpeningLimits> OpeningLimits::of_file(int64_t bytes) {
  const std::optional<double> factor = OpeningLimits::factor();
  if (!factor) return std::nullopt;
  const auto size = static_cast<double>(bytes);
  OpeningLimits limits;
  limits.time = milliseconds(static_cast<int64_t>(
      *factor * (static_cast<double>(kLeastTime.count()) + kMsPerByte * size)));
  limits.memory_bytes = static_cast<int64_t>(std::min(
      *factor * (static_cast<double>(kLeastMemory) + static_cast<double>(kMemoryPerByte) * size),
      4e18));
  if (base::kHasSanitizer) {
    limits.time *= kSlowerWithSanitizers;
    limits.memory_bytes = std::numeric_limits<int64_t>::max();
  }
  return limits;
}

LimitsWatch::LimitsWatch(const std::filesystem::path& path, base::Progress& progress)
    : LimitsWatch(path, bytes_on_disk(path), OpeningLimits::of_file(bytes_on_disk(path)),
                  progress) {}

LimitsWatch::LimitsWatch(const profile::SourceInfo& source, base::Progress& progress)
    : LimitsWatch(source.path, bytes_of(source),
                  source.file_bytes > 0 ? OpeningLimits::of_file(bytes_of(source)) : std::nullopt,
                  progress) {}

LimitsWatch::LimitsWatch(const std::filesystem::path& path, int64_t bytes,
                         const std::optional<OpeningLimits>& limits, base::Progress& progress)
    : path_(path),
      bytes_(bytes),
      limits_(limits.value_or(OpeningLimits{})),
      is_main_thread_(pthread_equal(pthread_self(), kMainThread) != 0),
      begin_(std::chrono::steady_clock::now()),
      begin_processors_(processor_time()),
      begin_memory_(memory_in_use()),
      progress_(progress) {
  make_errors();
  if (limits) thread_ = std::thread([this] { watch(); });
}

void LimitsWatch::make_errors() {
  const std::string file = fmt::format("{} ({})", quoted(path_), base::format_bytes(bytes_));
  too_long_ = beyond_limit("The file takes too long to open",
                           fmt::format("{} needs more than {:.1f} s of work, the limit for its "
                                       "size",
                                       file, static_cast<double>(limits_.time.count()) / 1000));
  too_large_ = beyond_limit("The file takes too much memory",
                            fmt::format("{} needs more than {} of memory, the limit for its size",
                                        file, base::format_bytes(limits_.memory_bytes)));
}

void LimitsWatch::follow(std::shared_ptr<const std::atomic<int64_t>> bytes) {
  const std::lock_guard lock(mutex_);
  followed_ = std::move(bytes);
}

LimitsWatch::~LimitsWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

// Of all threads but the main one, which draws the window while another opens the file.
milliseconds LimitsWatch::processor_time() const {
  const milliseconds all = time_of(CLOCK_PROCESS_CPUTIME_ID);
  clockid_t main_clock{};
  if (is_main_thread_ || pthread_getcpuclockid(kMainThread, &main_clock) != 0) return all;
  return all - time_of(main_clock);
}

void LimitsWatch::watch() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kWatchInterval, [this] { return has_ended_; })) {
    if (followed_ && followed_->load(std::memory_order_relaxed) > bytes_) {
      bytes_ = followed_->load(std::memory_order_relaxed);
      limits_ = OpeningLimits::of_file(bytes_).value_or(limits_);
      make_errors();
    }
    const auto passed =
        std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin_);
    if (std::min(passed, processor_time() - begin_processors_) > limits_.time) {
      return progress_.stop(std::move(too_long_));
    }
    if (memory_in_use() - begin_memory_ > limits_.memory_bytes) {
      return progress_.stop(std::move(too_large_));
    }
  }
}

}  // namespace dlview::import
