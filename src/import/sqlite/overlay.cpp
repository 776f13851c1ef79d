#include "import/sqlite/overlay.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/descriptor.h"
#include "import/cache_folders.h"
#include "import/errors.h"

namespace dlview::import::sqlite {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kBlockBytes = 4096;

// Reads as many bytes as there are, at most `count`; -1 on an error.
int64_t read_at(int descriptor, char* to, int64_t count, int64_t offset) {
  int64_t done = 0;
  while (done < count) {
    const ssize_t got =
        pread(descriptor, to + done, static_cast<std::size_t>(count - done), offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += got;
  }
  return done;
}

bool write_at(int descriptor, const char* from, int64_t count, int64_t offset) {
  int64_t done = 0;
  while (done < count) {
    const ssize_t put =
        pwrite(descriptor, from + done, static_cast<std::size_t>(count - done), offset + done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += put;
  }
  return true;
}

// A file without a name; not ok where no folder allows one.
base::Descriptor make_unnamed_file() {
  for (const fs::path& folder : cache_folders()) {
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    base::Descriptor unnamed(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (unnamed) return unnamed;
    std::string name = (folder / "dlview-overlay-XXXXXX").string();
    base::Descriptor named(mkostemp(name.data(), O_CLOEXEC));
    if (!named) continue;
    unlink(name.c_str());
    return named;
  }
  return base::Descriptor();
}

}  // namespace

// One of the user's files and what was written over it. The caller holds the Overlay's mutex.
class Layer {
 public:
  Layer() = default;
  Layer(base::Descriptor original, int64_t bytes)
      : original_(std::move(original)), bytes_(bytes), original_bytes_(bytes), exists_(true) {}

  bool exists() const { return exists_; }
  int64_t bytes() const { return bytes_; }
  void create() { exists_ = true; }
  void remove() {
    truncate(0);
    exists_ = false;
  }

  // Fills what lies behind the end with zeros, as SQLite wants it.
  int read(char* to, int64_t count, int64_t offset) const;
  int write(const char* from, int64_t count, int64_t offset);
  void truncate(int64_t bytes);

 private:
  // The bytes of a block, zeros behind the end; false when they cannot be read.
  bool read_block(int64_t block, char* to) const;
  int write_block(int64_t block, const char* from);

  base::Descriptor original_;
  int64_t bytes_ = 0;
  int64_t original_bytes_ = 0;  // the rest was cut off
  bool exists_ = false;
  base::Descriptor written_;
  std::unordered_map<int64_t, int64_t> slots_;  // of written blocks, by their numbers
  int64_t next_slot_ = 0;
};

bool Layer::read_block(int64_t block, char* to) const {
  const auto slot = slots_.find(block);
  if (slot != slots_.end()) {
    return read_at(written_.get(), to, kBlockBytes, slot->second * kBlockBytes) == kBlockBytes;
  }
  const int64_t offset = block * kBlockBytes;
  const int64_t count = std::clamp<int64_t>(original_bytes_ - offset, 0, kBlockBytes);
  const int64_t got = count == 0 ? 0 : read_at(original_.get(), to, count, offset);
  if (got < 0) return false;
  std::memset(to + got, 0, static_cast<std::size_t>(kBlockBytes - got));
  return true;
}

int Layer::write_block(int64_t block, const char* from) {
  if (!written_) written_ = make_unnamed_file();
  if (!written_) return SQLITE_FULL;
  const auto slot = slots_.try_emplace(block, next_slot_);
  if (slot.second) ++next_slot_;
  return write_at(written_.get(), from, kBlockBytes, slot.first->second * kBlockBytes)
             ? SQLITE_OK
             : SQLITE_FULL;
}

int Layer::read(char* to, int64_t count, int64_t offset) const {
  const int64_t available = std::clamp<int64_t>(bytes_ - offset, 0, count);
  std::memset(to + available, 0, static_cast<std::size_t>(count - available));
  if (slots_.empty() && offset + available <= original_bytes_) {
    const int64_t got = read_at(original_.get(), to, available, offset);
    if (got < 0) return SQLITE_IOERR_READ;
    std::memset(to + got, 0, static_cast<std::size_t>(available - got));
  } else {
    std::array<char, kBlockBytes> bytes;
    for (int64_t done = 0; done < available;) {
      const int64_t at = (offset + done) % kBlockBytes;
      const int64_t part = std::min(kBlockBytes - at, available - done);
      if (!read_block((offset + done) / kBlockBytes, bytes.data())) return SQLITE_IOERR_READ;
      std::memcpy(to + done, bytes.data() + at, static_cast<std::size_t>(part));
      done += part;
    }
  }
  return available == count ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int Layer::write(const char* from, int64_t count, int64_t offset) {
  std::array<char, kBlockBytes> bytes;
  for (int64_t done = 0; done < count;) {
    const int64_t block = (offset + done) / kBlockBytes;
    const int64_t at = (offset + done) % kBlockBytes;
    const int64_t part = std::min(kBlockBytes - at, count - done);
    if (part < kBlockBytes && !read_block(block, bytes.data())) return SQLITE_IOERR_READ;
    std::memcpy(bytes.data() + at, from + done, static_cast<std::size_t>(part));
    if (const int code = write_block(block, bytes.data()); code != SQLITE_OK) return code;
    done += part;
  }
  bytes_ = std::max(bytes_, offset + count);
  return SQLITE_OK;
}

void Layer::truncate(int64_t bytes) {
  bytes_ = std::min(bytes_, bytes);
  original_bytes_ = std::min(original_bytes_, bytes);
  std::erase_if(slots_, [bytes](const auto& slot) { return slot.first * kBlockBytes >= bytes; });
  const int64_t rest = bytes % kBlockBytes;
  if (!slots_.contains(bytes / kBlockBytes)) return;
  std::array<char, kBlockBytes> last;
  if (!read_block(bytes / kBlockBytes, last.data())) return;
  std::memset(last.data() + rest, 0, static_cast<std::size_t>(kBlockBytes - rest));
  static_cast<void>(write_block(bytes / kBlockBytes, last.data()));
}

struct Part {
  std::string path;
  Layer layer;
};

// What the functions of SQLite's VFS work on.
struct Overlay::Vfs {
  explicit Vfs(const base::Progress& progress_of_opening);
  ~Vfs() { sqlite3_vfs_unregister(&vfs); }

  Layer* layer_at(const char* name) {
    const auto found = std::ranges::find(parts, std::string_view(name), &Part::path);
    return found == parts.end() ? nullptr : &found->layer;
  }

  const base::Progress& progress;
  std::string vfs_name;
  sqlite3_vfs* system = sqlite3_vfs_find(nullptr);
  sqlite3_vfs vfs{};
  std::mutex mutex;           // guards the layers
  std::array<Part, 3> parts;  // the database, its -wal, its -journal
};

namespace {

struct OpenFile {
  sqlite3_file base;
  Overlay::Vfs* overlay;
  Layer* layer;
};

OpenFile& open_file(sqlite3_file* file) {
  return *reinterpret_cast<OpenFile*>(file);
}

Overlay::Vfs& overlay_of(sqlite3_vfs* vfs) {
  return *static_cast<Overlay::Vfs*>(vfs->pAppData);
}

// The functions below are SQLite's interface: https://www.sqlite.org/c3ref/io_methods.html
int close_file(sqlite3_file*) {
  return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* to, int count, sqlite3_int64 offset) {
  const OpenFile& open = open_file(file);
  if (open.overlay->progress.canceled()) return SQLITE_INTERRUPT;
  const std::lock_guard lock(open.overlay->mutex);
  return open.layer->read(static_cast<char*>(to), count, offset);
}

int write_file(sqlite3_file* file, const void* from, int count, sqlite3_int64 offset) {
  const OpenFile& open = open_file(file);
  if (open.overlay->progress.canceled()) return SQLITE_INTERRUPT;
  const std::lock_guard lock(open.overlay->mutex);
  return open.layer->write(static_cast<const char*>(from), count, offset);
}

int truncate_file(sqlite3_file* file, sqlite3_int64 bytes) {
  const std::lock_guard lock(open_file(file).overlay->mutex);
  open_file(file).layer->truncate(bytes);
  return SQLITE_OK;
}

int sync_file(sqlite3_file*, int) {
  return SQLITE_OK;
}

int file_size(sqlite3_file* file, sqlite3_int64* bytes) {
  const std::lock_guard lock(open_file(file).overlay->mutex);
  *bytes = open_file(file).layer->bytes();
  return SQLITE_OK;
}

int lock_file(sqlite3_file*, int) {
  return SQLITE_OK;
}

int check_reserved_lock(sqlite3_file*, int* is_reserved) {
  *is_reserved = 0;
  return SQLITE_OK;
}

int control_file(sqlite3_file*, int, void*) {
  return SQLITE_NOTFOUND;
}

int sector_size(sqlite3_file*) {
  return kBlockBytes;
}

int characteristics(sqlite3_file*) {
  return 0;
}

constexpr sqlite3_io_methods kMethods = {
    .iVersion = 1,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock_file,
    .xUnlock = lock_file,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = control_file,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = nullptr,
    .xShmLock = nullptr,
    .xShmBarrier = nullptr,
    .xShmUnmap = nullptr,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int open_path(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  Overlay::Vfs& overlay = overlay_of(vfs);
  // A temporary file of SQLite's own, which the system's VFS makes and removes at once.
  if (name == nullptr) return overlay.system->xOpen(overlay.system, name, file, flags, out_flags);
  file->pMethods = nullptr;
  const std::lock_guard lock(overlay.mutex);
  Layer* const layer = overlay.layer_at(name);
  if (layer == nullptr || (!layer->exists() && (flags & SQLITE_OPEN_CREATE) == 0)) {
    return SQLITE_CANTOPEN;
  }
  layer->create();
  open_file(file) = {{&kMethods}, &overlay, layer};
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

// "Removes" the journal once it is rolled back; whatever else is named stays.
int delete_path(sqlite3_vfs* vfs, const char* name, int) {
  Overlay::Vfs& overlay = overlay_of(vfs);
  const std::lock_guard lock(overlay.mutex);
  Layer* const layer = overlay.layer_at(name);
  if (layer == nullptr) return SQLITE_IOERR_DELETE;
  layer->remove();
  return SQLITE_OK;
}

int access_path(sqlite3_vfs* vfs, const char* name, int, int* result) {
  Overlay::Vfs& overlay = overlay_of(vfs);
  const std::lock_guard lock(overlay.mutex);
  const Layer* const layer = overlay.layer_at(name);
  *result = layer != nullptr && layer->exists() ? 1 : 0;
  return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* name, int room, char* out) {
  sqlite3_snprintf(room, out, "%s", name);
  return std::strlen(name) < static_cast<std::size_t>(room) ? SQLITE_OK : SQLITE_CANTOPEN;
}

int randomness(sqlite3_vfs* vfs, int count, char* out) {
  sqlite3_vfs* const system = overlay_of(vfs).system;
  return system->xRandomness(system, count, out);
}

int sleep_for(sqlite3_vfs* vfs, int microseconds) {
  sqlite3_vfs* const system = overlay_of(vfs).system;
  return system->xSleep(system, microseconds);
}

int current_time(sqlite3_vfs* vfs, double* out) {
  sqlite3_vfs* const system = overlay_of(vfs).system;
  return system->xCurrentTime(system, out);
}

int last_error(sqlite3_vfs*, int, char*) {
  return 0;
}

// Of the last bytes of a rollback journal:
// https://www.sqlite.org/fileformat2.html#the_rollback_journal documents no super-journals; pager.c
// does, at readSuperJournal().
bool names_super_journal(const Layer& journal) {
  constexpr std::array<char, 8> kEndOfName = {'\xd9', '\xd5', '\x05', '\xf9',
                                              '\x20', '\xa1', '\x63', '\xd7'};
  constexpr int64_t kTrailerBytes = 16;
  std::array<char, 8> last{};
  if (journal.bytes() < kTrailerBytes) return false;
  const int code = journal.read(last.data(), last.size(), journal.bytes() - kEndOfName.size());
  return code == SQLITE_OK && last == kEndOfName;
}

}  // namespace

Overlay::Vfs::Vfs(const base::Progress& progress_of_opening) : progress(progress_of_opening) {
  static std::atomic<int> count{0};
  vfs_name = fmt::format("dlview-overlay-{}", ++count);
  vfs.iVersion = 1;
  vfs.szOsFile = std::max<int>(sizeof(OpenFile), system->szOsFile);
  vfs.mxPathname = system->mxPathname;
  vfs.zName = vfs_name.c_str();
  vfs.pAppData = this;
  vfs.xOpen = open_path;
  vfs.xDelete = delete_path;
  vfs.xAccess = access_path;
  vfs.xFullPathname = full_path;
  vfs.xRandomness = randomness;
  vfs.xSleep = sleep_for;
  vfs.xCurrentTime = current_time;
  vfs.xGetLastError = last_error;
}

base::Result<Overlay> Overlay::make(const fs::path& path, const Inspection& original,
                                    const base::Progress& progress) {
  auto vfs = std::make_unique<Vfs>(progress);
  const std::string database = original.database.string();
  vfs->parts[0].path = database;
  vfs->parts[1].path = database + "-wal";
  vfs->parts[2].path = database + "-journal";
  for (Part& part : vfs->parts) {
    const bool is_wanted =
        part.path == database ||
        std::ranges::find(original.companions, fs::path(part.path)) != original.companions.end();
    if (!is_wanted) continue;
    base::Descriptor file(open(part.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat facts {};
    if (!file || fstat(file.get(), &facts) != 0) {
      return base::Error{
          "No permission to read the file",
          fmt::format("{} holds a part of {} and cannot be opened: {}", import::quoted(part.path),
                      quoted(path), std::generic_category().message(errno)),
          "Ask its owner for read permission, or close the program that writes it"};
    }
    if (!S_ISREG(facts.st_mode)) {
      return base::Error{"This is not a regular file",
                         import::quoted(part.path) + " is a device, pipe or socket",
                         "Move it away if it does not belong to the database"};
    }
    part.layer = Layer(std::move(file), facts.st_size);
  }
  if (names_super_journal(vfs->parts[2].layer)) {
    return base::Error{
        "The journal names another file",
        fmt::format("{} belongs to a transaction over several databases",
                    import::quoted(vfs->parts[2].path)),
        "Open the database once with the program that wrote it, which ends the transaction; then "
        "open it here. If you do not know where the file comes from, don't open it"};
  }
  if (sqlite3_vfs_register(&vfs->vfs, 0) != SQLITE_OK) {
    return sqlite_error(path, SQLITE_NOMEM, sqlite3_errstr(SQLITE_NOMEM));
  }
  return Overlay(std::move(vfs));
}

Overlay::Overlay(std::unique_ptr<Vfs> vfs) : vfs_(std::move(vfs)) {}
Overlay::Overlay(Overlay&& other) noexcept = default;
Overlay& Overlay::operator=(Overlay&& other) noexcept = default;
Overlay::~Overlay() = default;

const char* Overlay::vfs_name() const {
  return vfs_->vfs_name.c_str();
}

}  // namespace dlview::import::sqlite
