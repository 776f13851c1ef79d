#include "import/column_cache/store.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <unistd.h>
#include <vector>
#include <xxhash.h>

#include "base/unfinished_file.h"
#include "import/column_cache/archive.h"
#include "import/column_cache/checksum.h"
#include "import/column_cache/format.h"
#include "import/column_cache/source_stamp.h"

namespace dlview::import::column_cache {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{4} << 20;
// So that the last wait for the disk is short.
constexpr std::size_t kBytesBetweenSyncs = std::size_t{64} << 20;

// A limit on the size of files shall be an error of write(), not the end of the program.
class WithoutSizeSignal {
 public:
  WithoutSizeSignal() {
    sigset_t size;
    sigemptyset(&size);
    sigaddset(&size, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &size, &before_);
  }
  ~WithoutSizeSignal() {
    sigset_t size;
    sigemptyset(&size);
    sigaddset(&size, SIGXFSZ);
    const timespec at_once{};
    while (sigtimedwait(&size, nullptr, &at_once) > 0) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSizeSignal(const WithoutSizeSignal&) = delete;
  WithoutSizeSignal& operator=(const WithoutSizeSignal&) = delete;

 private:
  sigset_t before_;
};

// The file while it is written; the first failure stays.
class Output {
 public:
  Output(const std::filesystem::path& path, std::stop_token stop)
      : descriptor_(open(path.c_str(), O_WRONLY | O_CLOEXEC)), stop_(std::move(stop)) {
    if (descriptor_ < 0 || flock(descriptor_, LOCK_EX | LOCK_NB) != 0) error_ = errno;
  }
  ~Output() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Returns the checksum of the bytes.
  uint64_t write(std::span<const std::byte> bytes, uint64_t offset);
  void sync() {
    if (error_ == 0 && fdatasync(descriptor_) != 0) error_ = errno;
  }
  // Of errno; ECANCELED when it was stopped.
  int error() const { return error_; }

 private:
  void write_block(std::span<const std::byte> block, uint64_t offset);

  int descriptor_;
  std::stop_token stop_;
  int error_ = 0;
  std::size_t since_sync_ = 0;
};

uint64_t Output::write(std::span<const std::byte> bytes, uint64_t offset) {
  Checksum checksum;
  while (!bytes.empty() && error_ == 0) {
    const std::span<const std::byte> block = bytes.first(std::min(kBlockBytes, bytes.size()));
    checksum.add(block);
    write_block(block, offset);
    bytes = bytes.subspan(block.size());
    offset += block.size();
  }
  return checksum.value();
}

void Output::write_block(std::span<const std::byte> block, uint64_t offset) {
  since_sync_ += block.size();
  while (!block.empty() && error_ == 0) {
    if (stop_.stop_requested()) {
      error_ = ECANCELED;
      return;
    }
    const ssize_t written =
        pwrite(descriptor_, block.data(), block.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      error_ = written < 0 ? errno : EIO;
      return;
    }
    block = block.subspan(static_cast<std::size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  if (since_sync_ < kBytesBetweenSyncs) return;
  since_sync_ = 0;
  sync();
}

uint64_t aligned(uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

// Where everything goes; checksums are not known yet.
Header lay_out(const Writer& profile, std::vector<Entry>& directory) {
  Header header;
  uint64_t offset = kHeaderRoom;
  for (const Writer::Column& column : profile.columns()) {
    directory.push_back(
        {offset, column.bytes.size() / column.bytes_of_value, column.bytes_of_value, 0});
    offset = aligned(offset + column.bytes.size());
  }
  header.source_stamp = source_stamp();
  header.columns = directory.size();
  header.layout = layout_hash();
  header.directory_offset = offset;
  header.facts_offset = offset + directory.size() * sizeof(Entry);
  header.facts_bytes = profile.facts().size();
  header.file_bytes = header.facts_offset + header.facts_bytes;
  return header;
}

}  // namespace

base::Status store(const profile::Profile& profile, const Identity& identity,
                   const std::filesystem::path& folder, const Limits& limits,
                   const std::stop_token& stop, const std::string& beside) {
  Writer writer;
  writer(identity.state);
  writer(beside);
  writer(profile);
  std::vector<Entry> directory;
  Header header = lay_out(writer, directory);

  remove_abandoned(folder);
  base::Result<base::UnfinishedFile> file = base::UnfinishedFile::create(folder / identity.name);
  if (!file) return std::move(file).error();
  if (!make_room(folder, static_cast<int64_t>(header.file_bytes), limits)) {
    return file->error("not enough disk space");
  }
  const WithoutSizeSignal without_size_signal;
  Output output(file->path(), stop);
  for (std::size_t i = 0; i < directory.size(); ++i) {
    directory[i].checksum = output.write(writer.columns()[i].bytes, directory[i].offset);
  }
  const auto entries = std::as_bytes(std::span(directory));
  const auto facts = std::as_bytes(std::span(writer.facts()));
  output.write(entries, header.directory_offset);
  output.write(facts, header.facts_offset);
  header.checksum = checksum_of(header, entries, facts);
  output.write(std::as_bytes(std::span(&header, 1)), 0);
  output.sync();
  if (output.error() != 0) return file->error(std::strerror(output.error()));
  return file->finish();
}

}  // namespace dlview::import::column_cache
