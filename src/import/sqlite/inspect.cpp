#include "import/sqlite/inspect.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/descriptor.h"
#include "import/errors.h"
#include "import/sqlite/content.h"

namespace dlview::import::sqlite {
namespace {

namespace fs = std::filesystem;

base::Descriptor open_to_read(const fs::path& path) {
  return base::Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

fs::path beside(const fs::path& database, const char* suffix) {
  fs::path path = database;
  path += suffix;
  return path;
}

base::Error cannot_open(const fs::path& path, int code) {
  if (code == EACCES || code == EPERM) {
    return {"No permission to read the file", quoted(path) + " is not readable by this user",
            "Ask its owner for permission (\"chmod +r\" for the file, \"chmod +rx\" for its "
            "folders), or open a copy of your own"};
  }
  if (code == ENOENT || code == ENOTDIR || code == ELOOP) {
    return {"The file does not exist", quoted(path) + " was not found",
            "Check the spelling and the folder. DLProf writes dlprof_dldb.sqlite to the folder in "
            "which it starts; nsys export writes REPORT.sqlite next to REPORT.nsys-rep"};
  }
  return {"The file cannot be read", quoted(path) + ": " + std::generic_category().message(code),
          "Check the disk or the network drive that holds it, then open it again"};
}

std::string read_first(int descriptor, std::size_t count) {
  std::string bytes(count, '\0');
  const ssize_t got = pread(descriptor, bytes.data(), count, 0);
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

// The bytes of a database that SQLite locks; they lie beyond a gigabyte, in small files too.
constexpr off_t kPendingByte = 0x40000000;
constexpr off_t kSharedStart = kPendingByte + 2;
constexpr off_t kSharedBytes = 510;

// Whether another process holds the lock under which SQLite changes the file's pages. A mere
// reservation does not count: then all changes are still in a journal or in memory.
bool is_being_written(int descriptor) {
  for (const auto& [start, length] :
       {std::pair<off_t, off_t>{kPendingByte, 1}, {kSharedStart, kSharedBytes}}) {
    struct flock lock {};
    lock.l_type = F_RDLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    if (fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type == F_WRLCK) return true;
  }
  return false;
}

uint32_t big_endian(std::string_view bytes, std::size_t offset, std::size_t count) {
  uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  }
  return value;
}

// The size that the header states; 0 when it states none (written by an SQLite before 3.7).
int64_t stated_bytes(std::string_view header) {
  const uint32_t page_field = big_endian(header, 16, 2);
  const int64_t page_bytes = page_field == 1 ? 65536 : page_field;
  const bool is_valid = big_endian(header, 24, 4) == big_endian(header, 92, 4);
  return is_valid ? page_bytes * big_endian(header, 28, 4) : 0;
}

base::Error truncated(const fs::path& path, int64_t bytes, const std::string& expected) {
  return {"The file is truncated",
          quoted(path) + " has " + std::to_string(bytes) + " bytes; " + expected,
          "Copy it again from where it was recorded. The disk was full, or the transfer or the "
          "capture stopped early"};
}

// A rollback journal matters only if it begins with a byte other than 0: SQLite clears the header
// of a journal that is done.
bool is_hot_journal(const fs::path& journal) {
  const base::Descriptor file = open_to_read(journal);
  if (!file) return true;  // opening it will say why
  const std::string first = read_first(file.get(), 1);
  return !first.empty() && first[0] != '\0';
}

std::vector<fs::path> find_companions(const fs::path& database) {
  const Stamps stamps = stamps_of(database);
  std::vector<fs::path> found;
  if (stamps[1].bytes > 0) found.push_back(beside(database, "-wal"));
  const fs::path journal = beside(database, "-journal");
  if (stamps[2].bytes > 0 && is_hot_journal(journal)) found.push_back(journal);
  return found;
}

}  // namespace

Stamps stamps_of(const fs::path& database) {
  Stamps stamps;
  const fs::path paths[] = {database, beside(database, "-wal"), beside(database, "-journal")};
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    struct stat facts {};
    if (stat(paths[i].c_str(), &facts) != 0) continue;
    stamps[i] = {facts.st_size, facts.st_mtim.tv_sec * 1'000'000'000 + facts.st_mtim.tv_nsec,
                 facts.st_ino};
  }
  return stamps;
}

int64_t total_bytes(const Stamps& stamps) {
  int64_t bytes = 0;
  for (const FileStamp& file : stamps) bytes += std::max<int64_t>(0, file.bytes);
  return bytes;
}

base::Result<Inspection> inspect(const fs::path& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return cannot_open(path, errno);
  if (S_ISDIR(facts.st_mode)) {
    return base::Error{"This is a folder, not a file", quoted(path) + " is a folder",
                       "Open a file in it: DLProf's database is usually dlprof_dldb.sqlite, an "
                       "export of Nsight Systems has the name of its report, and PyTorch "
                       "traces end in .json or .json.gz"};
  }
  if (!S_ISREG(facts.st_mode)) {
    return base::Error{"This is not a regular file", quoted(path) + " is a device, pipe or socket",
                       "Save the database to a file on disk and open that"};
  }
  const base::Descriptor file = open_to_read(path);
  if (!file) return cannot_open(path, errno);
  if (facts.st_size == 0) {
    return base::Error{"The file is empty", quoted(path) + " has 0 bytes",
                       "The capture failed or has not ended. Record or copy it again"};
  }
  const std::string first = read_first(file.get(), kFirstBytes);
  if (!begins_as_sqlite(first)) return not_a_database(path, first);
  if (first.size() < 100) {
    return truncated(path, facts.st_size, "the header of an SQLite database alone has 100");
  }
  if (is_being_written(file.get())) {
    return base::Error{"The file is being written",
                       quoted(path) + " is locked by a program that is changing it",
                       "Wait until that program has finished, then open it again"};
  }

  std::error_code failure;
  Inspection inspection{fs::canonical(path, failure), facts.st_size, {}};
  if (failure) return cannot_open(path, failure.value());
  inspection.companions = find_companions(inspection.database);
  const int64_t stated = stated_bytes(first);
  if (inspection.companions.empty() && stated > facts.st_size) {
    return truncated(path, facts.st_size, "its header states " + std::to_string(stated));
  }
  return inspection;
}

}  // namespace dlview::import::sqlite
