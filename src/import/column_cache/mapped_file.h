// Maps a cache file for reading, and survives when the file shrinks or changes while it is mapped.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>

namespace dlview::import::column_cache {

class MappedFile {
 public:
  // Null unless `path` is a regular file of this user with at least `least_bytes`.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path,
                                                std::size_t least_bytes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Stay at the same address for as long as the object lives. Pages that the file has lost read as
  // zeros.
  std::span<const std::byte> bytes() const { return {begin_, size_}; }

  // A private copy of the file that takes the place of its pages once it has been checked.
  class Copy {
   public:
    // Reads the whole file; bytes() is empty when it has shrunk, memory is short or `stop` was set.
    Copy(const MappedFile& file, const std::stop_token& stop);
    ~Copy();
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;

    std::span<const std::byte> bytes() const;
    // From then on bytes() of the file no longer depends on the disk. Readers on other threads
    // never see a page missing. False when the system refuses: the file stays mapped.
    bool take_place();

   private:
    explicit Copy(const MappedFile& file);  // takes memory, or none

    const MappedFile& file_;
    std::byte* begin_ = nullptr;
  };

 private:
  MappedFile(int descriptor, std::byte* begin, std::size_t size)
      : descriptor_(descriptor), begin_(begin), size_(size) {}

  int descriptor_;
  std::byte* begin_;
  std::size_t size_;
};

}  // namespace dlview::import::column_cache
