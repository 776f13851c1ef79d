#include "import/nsys/report_file.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <system_error>

#include <fmt/format.h>

#include "import/cache_folders.h"
#include "import/child_process.h"
#include "import/errors.h"
#include "import/shell_word.h"
#include "import/sqlite/content.h"
#include "import/sqlite/inspect.h"

namespace dlview::import::nsys {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kKept{30 * 24};
constexpr std::size_t kShownBytes = 300;  // of what nsys says
constexpr std::size_t kNameBytes = 100;   // of the report's name in that of its export

std::string command_for(const fs::path& report) {
  return "nsys export --type sqlite " + shell_word(report);
}

// Changes when the report is recorded anew.
std::string export_name(const fs::path& report) {
  std::error_code failure;
  const fs::path place = fs::weakly_canonical(report, failure);
  const sqlite::FileStamp stamp = sqlite::stamps_of(report)[0];
  const std::string identity =
      fmt::format("{} {} {} {}", place.string(), stamp.bytes, stamp.modified_ns, stamp.inode);
  return fmt::format("{}-{:016x}.sqlite", report.stem().string().substr(0, kNameBytes),
                     std::hash<std::string>()(identity));
}

// A folder below the first cache folder that can be used; empty when there is none.
fs::path make_export_folder() {
  for (const fs::path& cache : cache_folders()) {
    const fs::path folder = cache / "nsys-exports";
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (!failure) fs::permissions(folder, fs::perms::owner_all, failure);
    if (!failure) return folder;
  }
  return {};
}

// When an export was used last is told by its time of access: one that changed would be taken for
// a file that is being written.
void set_used_now(const fs::path& file) {
  const timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_NOW},
                            {.tv_sec = 0, .tv_nsec = UTIME_OMIT}};
  utimensat(AT_FDCWD, file.c_str(), times, 0);
}

// Exports that nobody has opened for a while, and what a killed process left.
void remove_old(const fs::path& folder) {
  const auto oldest =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() - kKept);
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    struct stat facts {};
    if (lstat(entry->path().c_str(), &facts) != 0) continue;
    std::error_code ignored;
    if (std::max(facts.st_atime, facts.st_mtime) < oldest) fs::remove_all(entry->path(), ignored);
  }
}

// A fresh folder, removed with all that is in it.
class WorkFolder {
 public:
  explicit WorkFolder(const fs::path& parent) {
    std::string path = (parent / "unfinished-XXXXXX").string();
    if (mkdtemp(path.data()) != nullptr) path_ = path;
  }
  ~WorkFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// The end of what a program wrote, in one line.
std::string last_words(const fs::path& output) {
  std::ifstream in(output, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  for (char& c : text) c = c == '\n' || c == '\r' ? ' ' : c;
  const std::size_t end = text.find_last_not_of(' ') + 1;
  text.erase(end);
  return text.size() > kShownBytes ? "…" + text.substr(text.size() - kShownBytes) : text;
}

base::Error no_nsys(const fs::path& report) {
  return {"The report has to be exported first",
          quoted(report) +
              " is a report of Nsight Systems, and there is no nsys on the PATH that "
              "could make a database of it.",
          "Run " + command_for(report) +
              " where Nsight Systems is installed, and open the file that it writes."};
}

base::Error not_exported(const fs::path& report, const std::string& reason) {
  return {"The report cannot be exported", quoted(report) + ": " + reason,
          "Export it with the Nsight Systems that recorded it, or a newer one: " +
              command_for(report) + ". Then open the file that it writes."};
}

base::Error no_cache(const fs::path& report) {
  return {"The report cannot be exported",
          "There is no folder in which the export of " + quoted(report) + " could be kept.",
          "Set XDG_CACHE_HOME to a folder that may be written."};
}

}  // namespace

bool is_report(const fs::path& path) {
  std::error_code failure;
  if (!sqlite::is_named_as_nsys_report(path) || !fs::is_regular_file(path, failure)) return false;
  std::ifstream in(path, std::ios::binary);
  std::string first(sqlite::kFirstBytes, '\0');
  in.read(first.data(), static_cast<std::streamsize>(first.size()));
  first.resize(static_cast<std::size_t>(in.gcount()));
  return !first.empty() && !sqlite::begins_as_sqlite(first) && !sqlite::is_text(first);
}

base::Result<fs::path> export_report(const fs::path& report, base::Progress& progress) {
  const fs::path folder = make_export_folder();
  if (folder.empty()) return no_cache(report);
  const fs::path target = folder / export_name(report);
  std::error_code failure;
  if (fs::exists(target, failure)) {
    set_used_now(target);
    return target;
  }
  remove_old(folder);
  const WorkFolder work(folder);
  if (work.path().empty()) return no_cache(report);

  progress.begin_stage("Exporting the report with nsys");
  const fs::path made = work.path() / "export.sqlite", output = work.path() / "output.txt";
  const ChildProcess nsys({"nsys", "export", "--type", "sqlite", "--force-overwrite", "true",
                           "--output", made.string(), fs::absolute(report, failure).string()},
                          output);
  if (nsys.error() == ENOENT) return no_nsys(report);
  if (nsys.error() != 0) {
    return not_exported(
        report, "nsys does not start: " + std::generic_category().message(nsys.error()) + ".");
  }
  const std::optional<int> status = nsys.wait(progress);
  if (!status) return cancelled(report);
  if (*status != 0 || !fs::exists(made, failure)) {
    return not_exported(
        report, "nsys ended with " + std::to_string(*status) + " and says: " + last_words(output));
  }
  fs::rename(made, target, failure);
  if (failure) return not_exported(report, failure.message() + ".");
  return target;
}

}  // namespace dlview::import::nsys
