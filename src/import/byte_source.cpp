#include "import/byte_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <limits>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/descriptor.h"
#include "base/units.h"
#include "import/errors.h"
#include "import/gzip_start.h"
#include "import/opening_limits.h"
#include "import/sqlite/content.h"

namespace dlview::import {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostUnpacked = 64'000'000'000;
constexpr int64_t kUnpackedAnyhow = 1'000'000'000;
constexpr int64_t kMostRatio = 200;
constexpr std::size_t kPackedBytesAtOnce = std::size_t{1} << 18;
// What a damaged file unpacks to depends on it: ISA-L drops a part of what it cannot give at once.
constexpr std::size_t kUnpackedBytesAtOnce = std::size_t{1} << 18;
constexpr std::size_t kPlainBytesAtOnce = std::size_t{1} << 20;  // between tests for a cancel

base::Descriptor open_to_read(const fs::path& path) {
  return base::Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

// As many bytes as there are; -1 and errno where they cannot be read.
ssize_t read_fully(int descriptor, std::span<char> block) {
  std::size_t done = 0;
  while (done < block.size()) {
    const ssize_t got = ::read(descriptor, block.data() + done, block.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(done);
}

base::Error cannot_read(const fs::path& path, int code) {
  return {"The file cannot be read", quoted(path) + ": " + std::generic_category().message(code),
          "Check the disk or the network drive that holds it, then open it again"};
}

base::Error damaged(const fs::path& path) {
  return {"The compressed file is damaged", quoted(path) + " cannot be unpacked completely",
          "Copy the file again. The transfer or the capture may have stopped early"};
}

base::Error unpacks_to_too_much(const fs::path& path, int64_t packed, int64_t limit) {
  return {"The compressed file is too large",
          fmt::format("{} is {} and unpacks to more than {}", quoted(path),
                      base::format_bytes(packed), base::format_bytes(limit)),
          "The file may be damaged or malicious. If you trust it, raise the limits tenfold with "
          "DLVIEW_LIMITS=10, or remove them with DLVIEW_LIMITS=off"};
}

std::string read_first(const fs::path& path) {
  const base::Descriptor file = open_to_read(path);
  if (!file) return {};
  std::string head(ByteSource::kHeadBytes, '\0');
  head.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read_fully(file.get(), head))));
  return head;
}

}  // namespace

std::string ByteSource::read_head(const fs::path& path) {
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) return {};
  const std::string first = read_first(path);
  return begins_as_gzip(first) ? unpack_start(first, kUnpackedHeadBytes) : first;
}

base::Result<ByteSource> ByteSource::open(const fs::path& path, base::Progress& progress) {
  ByteSource source;
  source.path_ = path;
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (fs::is_directory(status)) {
    source.kind_ = Kind::folder;
    return source;
  }
  if (fs::is_regular_file(status)) {
    source.stamp_ = sqlite::stamps_of(path)[0];
    source.head_ = read_first(path);
  }
  if (source.head_.empty() || sqlite::begins_as_sqlite(source.head_)) {
    base::Result<sqlite::Database> database = sqlite::open_read_only(path, progress);
    if (!database) return std::move(database).error();
    source.kind_ = Kind::database;
    source.database_.emplace(std::move(*database));
  } else if (begins_as_gzip(source.head_)) {
    source.kind_ = Kind::gzip;
    source.head_ = unpack_start(source.head_, kUnpackedHeadBytes);
  }
  return source;
}

bool ByteSource::has_changed() const {
  if (database_) return database_->file().has_changed();
  return kind_ != Kind::folder && sqlite::stamps_of(path_)[0] != stamp_;
}

struct ByteStream::State {
  fs::path path;
  base::Descriptor file;
  base::Progress* progress = nullptr;
  bool is_packed = false, has_ended = false, is_damaged = false;
  WhenDamaged when_damaged = WhenDamaged::error;
  int64_t file_bytes = 0, file_bytes_read = 0, unpacked_bytes = 0, most_unpacked_bytes = 0;
  std::shared_ptr<std::atomic<int64_t>> all_unpacked_bytes;  // for ByteSource::unpacked_bytes()
  inflate_state unpacker{};
  std::array<char, kPackedBytesAtOnce> packed{};
  std::array<char, kUnpackedBytesAtOnce> unpacked{};
  std::string_view waiting;  // in `unpacked`: for the next block

  base::Result<std::size_t> read_plain(std::span<char> block);
  base::Result<std::size_t> read_packed(std::span<char> block);
  // Unpacks the next bytes, at most kUnpackedBytesAtOnce, for which `target` has room.
  base::Result<std::size_t> unpack(char* target);
  // Refills the empty input buffer; false at the end of the file.
  base::Result<bool> read_more();
  base::Result<bool> skip_zeros();
  // Makes the unpacker ready for a part of the file, from its gzip header, at next_in.
  void begin_part();
  // For what was unpacked before.
  base::Result<std::size_t> end_as_damaged(std::size_t bytes);
};

void ByteStream::Delete::operator()(State* state) const {
  delete state;
}

base::Result<ByteStream> ByteStream::open(const ByteSource& source, base::Progress& progress,
                                          std::optional<int64_t> most_unpacked_bytes,
                                          WhenDamaged when_damaged) {
  std::unique_ptr<State, Delete> state(new State);
  state->path = source.path();
  state->progress = &progress;
  state->file = open_to_read(source.path());
  if (!state->file) return cannot_read(source.path(), errno);
  state->when_damaged = when_damaged;
  state->file_bytes = sqlite::stamps_of(source.path())[0].bytes;
  if (source.kind() == ByteSource::Kind::gzip) {
    state->begin_part();
    state->is_packed = true;
    state->all_unpacked_bytes = source.unpacked_bytes();
    state->most_unpacked_bytes =
        most_unpacked_bytes.value_or(import::most_unpacked_bytes(state->file_bytes));
  }
  return ByteStream(std::move(state));
}

base::Result<std::size_t> ByteStream::read(std::span<char> block) {
  if (state_->progress->canceled()) return canceled(state_->path);
  return state_->is_packed ? state_->read_packed(block) : state_->read_plain(block);
}

bool ByteStream::is_damaged() const {
  return state_->is_damaged;
}

int64_t ByteStream::file_bytes() const {
  return state_->file_bytes;
}

int64_t ByteStream::file_bytes_read() const {
  return state_->file_bytes_read;
}

base::Result<std::size_t> ByteStream::State::end_as_damaged(std::size_t bytes) {
  if (when_damaged == WhenDamaged::error) return damaged(path);
  has_ended = is_damaged = true;
  return bytes;
}

base::Result<std::size_t> ByteStream::State::read_plain(std::span<char> block) {
  std::size_t done = 0;
  while (done < block.size()) {
    if (progress->canceled()) return canceled(path);
    const std::span<char> piece =
        block.subspan(done, std::min(kPlainBytesAtOnce, block.size() - done));
    const ssize_t got = read_fully(file.get(), piece);
    if (got < 0) return cannot_read(path, errno);
    file_bytes_read += got;
    done += static_cast<std::size_t>(got);
    if (static_cast<std::size_t>(got) < piece.size()) break;
  }
  return done;
}

base::Result<bool> ByteStream::State::read_more() {
  if (progress->canceled()) return canceled(path);
  const ssize_t got = read_fully(file.get(), packed);
  if (got < 0) return cannot_read(path, errno);
  unpacker.next_in = reinterpret_cast<uint8_t*>(packed.data());
  unpacker.avail_in = static_cast<uint32_t>(got);
  file_bytes_read += got;
  return got > 0;
}

base::Result<bool> ByteStream::State::skip_zeros() {
  for (;;) {
    while (unpacker.avail_in > 0 && *unpacker.next_in == 0) {
      ++unpacker.next_in;
      --unpacker.avail_in;
    }
    if (unpacker.avail_in > 0) return true;
    const base::Result<bool> is_more = read_more();
    if (!is_more || !*is_more) return is_more;
  }
}

void ByteStream::State::begin_part() {
  uint8_t* const next_in = unpacker.next_in;
  const uint32_t avail_in = unpacker.avail_in;
  isal_inflate_init(&unpacker);
  unpacker.crc_flag = ISAL_GZIP;
  unpacker.next_in = next_in;
  unpacker.avail_in = avail_in;
}

base::Result<std::size_t> ByteStream::State::read_packed(std::span<char> block) {
  std::size_t done = 0;
  const auto give = [&](std::size_t bytes) {
    done += bytes;
    all_unpacked_bytes->fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  };
  while (done < block.size()) {
    if (!waiting.empty()) {
      const std::size_t bytes = std::min(waiting.size(), block.size() - done);
      std::memcpy(block.data() + done, waiting.data(), bytes);
      waiting.remove_prefix(bytes);
      give(bytes);
      continue;
    }
    if (has_ended) break;
    const bool has_room = block.size() - done >= kUnpackedBytesAtOnce;
    char* const target = has_room ? block.data() + done : unpacked.data();
    const base::Result<std::size_t> bytes = unpack(target);
    if (!bytes) return bytes.error();
    if (has_room) {
      give(*bytes);
    } else {
      waiting = {target, *bytes};
    }
  }
  return done;
}

base::Result<std::size_t> ByteStream::State::unpack(char* target) {
  bool is_cut = false;
  if (unpacker.avail_in == 0) {
    const base::Result<bool> is_more = read_more();
    if (!is_more) return is_more.error();
    is_cut = !*is_more;  // in the middle of a part
  }
  // Bytes that were read before may still unpack to some.
  unpacker.next_out = reinterpret_cast<uint8_t*>(target);
  unpacker.avail_out = static_cast<uint32_t>(kUnpackedBytesAtOnce);
  const int status = isal_inflate(&unpacker);
  const std::size_t bytes = kUnpackedBytesAtOnce - unpacker.avail_out;
  unpacked_bytes += static_cast<int64_t>(bytes);
  if (unpacked_bytes > most_unpacked_bytes) {
    return unpacks_to_too_much(path, file_bytes, most_unpacked_bytes);
  }
  if (status != ISAL_DECOMP_OK) return end_as_damaged(bytes);
  if (unpacker.block_state == ISAL_BLOCK_FINISH) {
    // Of a part: others may follow, or zeros that fill a block.
    const base::Result<bool> is_more = skip_zeros();
    if (!is_more) return is_more.error();
    has_ended = !*is_more;
    if (!has_ended) begin_part();
  } else if (is_cut && bytes == 0) {
    return end_as_damaged(bytes);
  }
  return bytes;
}

int64_t most_unpacked_bytes(int64_t packed_bytes) {
  const std::optional<double> factor = OpeningLimits::factor();
  if (!factor) return std::numeric_limits<int64_t>::max();
  const int64_t by_ratio = std::max(kUnpackedAnyhow, kMostRatio * packed_bytes);
  return static_cast<int64_t>(*factor * static_cast<double>(std::min(kMostUnpacked, by_ratio)));
}

int64_t recorded_unpacked_bytes(const fs::path& path) {
  constexpr std::size_t kSizeBytes = 4, kLeastGzipBytes = 18;
  constexpr int64_t kMayExceed32Bits = int64_t{64} << 20, kLeastRatio = 8;
  const base::Descriptor file = open_to_read(path);
  std::array<char, kLeastGzipBytes> first{};
  if (!file || read_fully(file.get(), first) != static_cast<ssize_t>(first.size())) return 0;
  if (!begins_as_gzip({first.data(), first.size()})) return 0;
  const off_t packed = lseek(file.get(), 0, SEEK_END);
  std::array<unsigned char, kSizeBytes> last{};
  if (pread(file.get(), last.data(), last.size(), packed - off_t{kSizeBytes}) !=
      static_cast<ssize_t>(last.size())) {
    return 0;
  }
  int64_t bytes = 0;
  for (std::size_t i = kSizeBytes; i-- > 0;) bytes = bytes << 8 | last[i];
  if (packed >= kMayExceed32Bits) {
    while (bytes < kLeastRatio * packed) bytes += int64_t{1} << 32;
  }
  return std::min(bytes, most_unpacked_bytes(packed));
}

}  // namespace dlview::import
