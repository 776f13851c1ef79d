// PageFile: the pages of a database on the disk, read without SQLite. Only for a file at rest with
// UTF-8 texts; for anything else, callers use SQLite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/descriptor.h"
#include "import/sqlite/readable_file.h"

namespace dlview::import::sqlite {

class PageFile {
 public:
  // Returns nullopt if a -wal or -journal contains a part of the contents, and for other files.
  static std::optional<PageFile> open(const ReadableFile& file);

  std::size_t page_bytes() const { return page_bytes_; }
  // Usable bytes of each page; the rest is reserved for extensions of SQLite.
  std::size_t usable_bytes() const { return usable_bytes_; }
  uint32_t page_count() const { return page_count_; }

  // Pages from `first` on, counted from 1; `to` holds as many bytes as they have. False when they
  // are not all there. Any thread may call it.
  bool read(uint32_t first, std::span<uint8_t> to) const;

 private:
  PageFile() = default;

  std::shared_ptr<const base::Descriptor> descriptor_;
  std::size_t page_bytes_ = 0, usable_bytes_ = 0;
  uint32_t page_count_ = 0;
};

}  // namespace dlview::import::sqlite
