#include "import/column_cache/restore.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "base/parallel.h"
#include "import/column_cache/archive.h"
#include "import/column_cache/checksum.h"
#include "import/column_cache/plausible.h"
#include "import/column_cache/source_stamp.h"

namespace dlview::import::column_cache {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBytesBetweenLooks = std::size_t{4} << 20;

struct Parts {
  std::span<const Entry> directory;
  std::span<const std::byte> facts;
};

// Nothing when it is not a whole file of this program's.
std::optional<Parts> parts_of(std::span<const std::byte> file) {
  Header header;
  std::memcpy(&header, file.data(), sizeof(Header));
  const bool is_known = header.magic == kMagic && header.byte_order == kByteOrder &&
                        header.format_version == kFormatVersion &&
                        header.source_stamp == source_stamp() && header.layout == layout_hash() &&
                        header.file_bytes == file.size();
  if (header.columns > file.size() / sizeof(Entry)) return std::nullopt;
  const uint64_t entries = header.columns * sizeof(Entry);
  if (!is_known || header.directory_offset % kAlignment != 0 ||
      header.directory_offset > file.size() || entries > file.size() - header.directory_offset ||
      header.facts_offset != header.directory_offset + entries ||
      header.facts_bytes != file.size() - header.facts_offset) {
    return std::nullopt;
  }
  const auto directory = file.subspan(header.directory_offset, entries);
  const auto facts = file.subspan(header.facts_offset);
  if (checksum_of(header, directory, facts) != header.checksum) return std::nullopt;
  return Parts{
      {reinterpret_cast<const Entry*>(directory.data()), static_cast<std::size_t>(header.columns)},
      facts};
}

std::string_view text_of(std::span<const std::byte> facts) {
  return {reinterpret_cast<const char*>(facts.data()), facts.size()};
}

}  // namespace

bool StoredColumns::are_sound(const std::stop_token& stop) const {
  MappedFile::Copy copy(*file_, stop);
  const std::span<const std::byte> file = copy.bytes();
  // The directory is read from the copy too: the mapped one may have changed since it was checked.
  const std::optional<Parts> parts = file.empty() ? std::nullopt : parts_of(file);
  std::atomic<bool> sound{parts && parts->directory.size() == directory_.size()};
  const auto check = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Entry& entry = parts->directory[i];
      Checksum checksum;
      auto bytes = file.subspan(entry.offset, entry.values * entry.bytes_of_value);
      while (!bytes.empty()) {
        if (stop.stop_requested() || !sound) return;
        const auto block = bytes.first(std::min(kBytesBetweenLooks, bytes.size()));
        checksum.add(block);
        bytes = bytes.subspan(block.size());
      }
      if (checksum.value() != entry.checksum) sound = false;
    }
  };
  if (sound) base::parallel_for(directory_.size(), 1, check);
  if (stop.stop_requested()) return true;
  std::error_code ignored;
  if (sound) {
    copy.take_place();
  } else {
    fs::remove(path_, ignored);
  }
  return sound;
}

std::optional<Restored> restore(const Identity& identity, const fs::path& folder) {
  const fs::path path = folder / identity.name;
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path, kHeaderRoom);
  if (!file) return std::nullopt;
  std::error_code ignored;
  if (const std::optional<Parts> parts = parts_of(file->bytes())) {
    Reader reader(file, file->bytes(), parts->directory, text_of(parts->facts));
    std::string state, beside;
    profile::Profile profile;
    reader(state);
    reader(beside);
    reader(profile);
    if (reader.is_complete() && state == identity.state && is_plausible(profile)) {
      fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
      return Restored{std::move(profile), std::move(beside), {path, file, parts->directory}};
    }
  }
  fs::remove(path, ignored);
  return std::nullopt;
}

fs::path source_of(const fs::path& cache_file) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(cache_file, kHeaderRoom);
  const std::optional<Parts> parts = file ? parts_of(file->bytes()) : std::nullopt;
  if (!parts) return {};
  Reader reader(file, file->bytes(), parts->directory, text_of(parts->facts));
  std::string state;
  reader(state);
  return state.substr(0, state.find('\n'));
}

}  // namespace dlview::import::column_cache
