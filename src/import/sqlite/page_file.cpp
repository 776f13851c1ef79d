#include "import/sqlite/page_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <unistd.h>

namespace dlview::import::sqlite {
namespace {

// Of the header of a database, https://www.sqlite.org/fileformat2.html
constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kPageBytesAt = 16, kReservedAt = 20, kEncodingAt = 56;
constexpr std::size_t kLeastPageBytes = 512, kMostPageBytes = 65536, kLeastUsableBytes = 480;
constexpr uint8_t kUtf8 = 1;

bool read_at(int descriptor, std::span<uint8_t> to, uint64_t offset) {
  while (!to.empty()) {
    const ssize_t bytes = pread(descriptor, to.data(), to.size(), static_cast<off_t>(offset));
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return false;
    to = to.subspan(static_cast<std::size_t>(bytes));
    offset += static_cast<uint64_t>(bytes);
  }
  return true;
}

}  // namespace

std::optional<PageFile> PageFile::open(const ReadableFile& file) {
  if (file.has_companions()) return std::nullopt;
  PageFile pages;
  pages.descriptor_ = std::make_shared<const base::Descriptor>(
      ::open(file.database().c_str(), O_RDONLY | O_CLOEXEC));
  std::array<uint8_t, kHeaderBytes> header{};
  if (!read_at(pages.descriptor_->get(), header, 0)) return std::nullopt;

  const std::size_t page_bytes = header[kPageBytesAt] << 8U | header[kPageBytesAt + 1];
  pages.page_bytes_ = page_bytes == 1 ? kMostPageBytes : page_bytes;  // 65536 has no room there
  if (pages.page_bytes_ < kLeastPageBytes || !std::has_single_bit(pages.page_bytes_)) {
    return std::nullopt;
  }
  pages.usable_bytes_ = pages.page_bytes_ - header[kReservedAt];
  const uint64_t count = static_cast<uint64_t>(file.bytes()) / pages.page_bytes_;
  pages.page_count_ =
      static_cast<uint32_t>(std::min<uint64_t>(count, std::numeric_limits<uint32_t>::max()));
  const bool is_utf8 = header[kEncodingAt + 3] == kUtf8;
  if (!is_utf8 || pages.usable_bytes_ < kLeastUsableBytes) return std::nullopt;
  return pages;
}

bool PageFile::read(uint32_t first, std::span<uint8_t> to) const {
  return first > 0 && read_at(descriptor_->get(), to, uint64_t{first - 1} * page_bytes_);
}

}  // namespace dlview::import::sqlite
