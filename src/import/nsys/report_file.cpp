#include "import/nsys/report_file.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "base/descriptor.h"
#include "base/shell_quote.h"
#include "import/child_process.h"
#include "import/column_cache/folder.h"
#include "import/errors.h"
#include "import/open.h"
#include "import/sqlite/content.h"
#include "import/sqlite/inspect.h"

namespace dlview::import::nsys {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kKept{30 * 24};
constexpr std::string_view kExports = "nsys-exports";
constexpr std::string_view kExtension = ".sqlite";
constexpr std::string_view kWork = "unfinished-", kRandom = "XXXXXX";
// A process locks its folder a moment after it has made it.
constexpr std::chrono::minutes kTimeToLock{1};
constexpr std::size_t kShownBytes = 300;  // of what nsys says
constexpr std::size_t kNameBytes = 100;   // of the report's name in that of its export

std::string command_for(const fs::path& report) {
  return "nsys export --type sqlite " + base::shell_quoted(report.string());
}

// Changes when the report is recorded anew.
std::string export_name(const fs::path& report) {
  std::error_code failure;
  const fs::path place = fs::weakly_canonical(report, failure);
  const sqlite::FileStamp stamp = sqlite::stamps_of(report)[0];
  const std::string identity =
      fmt::format("{} {} {} {}", place.string(), stamp.bytes, stamp.modified_ns, stamp.inode);
  return fmt::format("{}-{:016x}{}", report.stem().string().substr(0, kNameBytes),
                     std::hash<std::string>()(identity), kExtension);
}

// A folder below the first cache folder that can be used; empty when there is none.
fs::path make_export_folder() {
  for (const fs::path& cache : cache_folders()) {
    const fs::path folder = cache / kExports;
    std::error_code failure;
    fs::create_directories(cache, failure);
    mkdir(folder.c_str(), S_IRWXU);
    if (is_private_folder(folder)) return folder;
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

// Removes nothing that dlview did not name.
void remove_export(const fs::path& exported) {
  const bool is_own = is_cache_name(exported.filename().string(), kExtension) &&
                      exported.parent_path().filename() == kExports;
  if (is_own) unlink(exported.c_str());
}

// Exports that nobody has opened for a while.
void remove_old() {
  const auto oldest = fs::file_time_type::clock::now() - kKept;
  for (const CacheFile& file : report_exports()) {
    if (file.last_used < oldest) remove_export(file.path);
  }
}

bool is_work_name(std::string_view name) {
  return name.starts_with(kWork) && name.size() == kWork.size() + kRandom.size();
}

// Files, never folders or what links lead to; then the folder, if nothing is left in it.
void remove_work_folder(const fs::path& path, int folder) {
  std::error_code failure;
  std::vector<std::string> names;
  const fs::path opened = "/proc/self/fd/" + std::to_string(folder);
  for (fs::directory_iterator entry(opened, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    names.push_back(entry->path().filename().string());
  }
  for (const std::string& name : names) unlinkat(folder, name.c_str(), 0);
  rmdir(path.c_str());
}

base::Descriptor open_folder(const fs::path& path) {
  return base::Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// A fresh folder, removed with the files in it. Its lock tells other processes that it is in use.
class WorkFolder {
 public:
  explicit WorkFolder(const fs::path& parent) {
    std::string path = (parent / kWork).string() + std::string(kRandom);
    if (mkdtemp(path.data()) == nullptr) return;
    folder_ = open_folder(path);
    if (!folder_) return;
    flock(folder_.get(), LOCK_EX | LOCK_NB);
    path_ = path;
  }
  ~WorkFolder() {
    if (!path_.empty()) remove_work_folder(path_, folder_.get());
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  base::Descriptor folder_;
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
              " is an Nsight Systems report, and nsys, which exports it, is not on the PATH",
          "Run " + command_for(report) +
              " where Nsight Systems is installed, and open the file that it writes"};
}

base::Error not_exported(const fs::path& report, const std::string& reason) {
  return {"The report cannot be exported", quoted(report) + ": " + reason,
          "Export it with the version of Nsight Systems that recorded it, or a newer one: " +
              command_for(report) + ". Then open the file that it writes"};
}

base::Error no_cache(const fs::path& report) {
  return {"The report cannot be exported",
          "dlview found no folder to cache the export of " + quoted(report),
          "Set XDG_CACHE_HOME to a writable folder"};
}

// What is wrong with an export, told of the report that the user opened.
base::Error told_of_report(base::Error error, const std::string& exported,
                           const std::string& report) {
  for (std::string* text : {&error.detail, &error.advice}) {
    for (std::size_t at = text->find(exported); at != std::string::npos;
         at = text->find(exported, at + report.size())) {
      text->replace(at, exported.size(), report);
    }
  }
  return error;
}

}  // namespace

bool is_report(const ByteSource& source) {
  if (source.kind() == ByteSource::Kind::folder || source.kind() == ByteSource::Kind::database ||
      !sqlite::is_named_as_nsys_report(source.path())) {
    return false;
  }
  const std::string_view first = source.head().substr(0, sqlite::kFirstBytes);
  return first.empty() || !(sqlite::is_text(first) || sqlite::begins_as_sqlite(first));
}

base::Status export_report_to(const fs::path& report, const fs::path& target,
                              base::Progress& progress) {
  std::error_code failure;
  const WorkFolder work(fs::absolute(target, failure).parent_path());
  if (work.path().empty()) {
    return not_exported(report, "no file can be created in " + quoted(target.parent_path()));
  }
  progress.begin_stage("Exporting the report with nsys");
  const fs::path made = work.path() / "export.sqlite", output = work.path() / "output.txt";
  const ChildProcess nsys({"nsys", "export", "--type", "sqlite", "--force-overwrite", "true",
                           "--output", made.string(), fs::absolute(report, failure).string()},
                          output);
  if (nsys.error() == ENOENT) return no_nsys(report);
  if (nsys.error() != 0) {
    return not_exported(report,
                        "nsys does not start: " + std::generic_category().message(nsys.error()));
  }
  const std::optional<int> status = nsys.wait(progress);
  if (!status) return canceled(report);
  if (*status != 0 || !fs::exists(made, failure)) {
    return not_exported(report,
                        "nsys exited with " + std::to_string(*status) + ": " + last_words(output));
  }
  fs::rename(made, target, failure);
  if (failure) return not_exported(report, failure.message());
  return base::Success{};
}

base::Result<fs::path> export_report(const fs::path& report, base::Progress& progress) {
  const fs::path folder = make_export_folder();
  if (folder.empty()) return no_cache(report);
  const fs::path target = folder / export_name(report);
  std::error_code failure;
  if (fs::is_regular_file(fs::symlink_status(target, failure))) {
    set_used_now(target);
    return target;
  }
  remove_old();
  remove_unfinished_exports();
  DLVIEW_TRY(export_report_to(report, target, progress));
  if (const fs::path columns = column_cache::cache_folder(); !columns.empty()) {
    column_cache::make_room(columns, 0, column_cache::Limits(), target);
  }
  return target;
}

base::Result<profile::Profile> load_report(const ByteSource& source, base::Progress& progress) {
  const fs::path& report = source.path();
  const base::Result<fs::path> exported = export_report(report, progress);
  if (!exported) return exported.error();
  base::Result<profile::Profile> profile = open_or_throw(*exported, progress);
  if (!profile) {
    if (!progress.canceled()) remove_export(*exported);  // else it may be opened another time
    return told_of_report(std::move(profile).error(), exported->string(), report.string());
  }
  profile->source.path = report.string();
  profile->system.profile_name = report.stem().string();
  return profile;
}

void keep_export(const fs::path& report) {
  if (!sqlite::is_named_as_nsys_report(report)) return;
  const std::string name = export_name(report);
  for (const fs::path& cache : cache_folders()) set_used_now(cache / kExports / name);
}

std::vector<CacheFile> report_exports(const fs::path& cache) {
  const fs::path folder = cache / kExports;
  if (!is_private_folder(folder)) return {};
  std::vector<CacheFile> files;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    struct stat facts {};
    const bool is_own = is_cache_name(entry->path().filename().string(), kExtension) &&
                        lstat(entry->path().c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
    if (!is_own) continue;
    const std::chrono::sys_seconds last_used(
        std::chrono::seconds(std::max(facts.st_atime, facts.st_mtime)));
    files.push_back({entry->path(), facts.st_size, std::chrono::file_clock::from_sys(last_used)});
  }
  return files;
}

std::vector<CacheFile> report_exports() {
  std::vector<CacheFile> files;
  for (const fs::path& cache : cache_folders()) {
    std::ranges::move(report_exports(cache), std::back_inserter(files));
  }
  return files;
}

void remove_unfinished_exports() {
  const auto latest = std::time(nullptr) - std::chrono::seconds(kTimeToLock).count();
  for (const fs::path& cache : cache_folders()) {
    const fs::path folder = cache / kExports;
    if (!is_private_folder(folder)) continue;
    std::error_code failure;
    std::vector<fs::path> unfinished;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
      if (is_work_name(entry->path().filename().string())) unfinished.push_back(entry->path());
    }
    for (const fs::path& path : unfinished) {
      const base::Descriptor work = open_folder(path);
      struct stat facts {};
      const bool is_abandoned = work && fstat(work.get(), &facts) == 0 &&
                                facts.st_uid == geteuid() && facts.st_mtime < latest &&
                                flock(work.get(), LOCK_EX | LOCK_NB) == 0;
      if (is_abandoned) remove_work_folder(path, work.get());
    }
  }
}

}  // namespace dlview::import::nsys
