#include "import/column_cache/mapped_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parallel.h"

namespace dlview::import::column_cache {
namespace {

constexpr std::size_t kBytesOfRead = std::size_t{4} << 20;

// The addresses of one mapping; `begin` is 0 while the slot is free.
struct Slot {
  std::atomic<std::uintptr_t> begin{0}, end{0};
};

// More files than a process has open at once.
std::array<Slot, 64> slots;
struct sigaction earlier_action;

std::uintptr_t page_size() {
  static const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return size;
}

// A page that the file has lost, and all behind it, become zeros: the checksums tell that later.
// Any other address faults again, with the action that was set before.
void fill_with_zeros(int signal, siginfo_t* info, void*) {
  const int error = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (const Slot& slot : slots) {
    const std::uintptr_t end = slot.end;
    if (address < slot.begin || address >= end) continue;
    const std::uintptr_t page = address - address % page_size();
    void* const filled = mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    errno = error;
    if (filled != MAP_FAILED) return;
  }
  sigaction(signal, &earlier_action, nullptr);
}

void handle_bus_errors() {
  static const bool is_set = [] {
    page_size();
    struct sigaction action {};
    action.sa_sigaction = fill_with_zeros;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGBUS, &action, &earlier_action) == 0;
  }();
  static_cast<void>(is_set);
}

// Claims a slot for a mapping; false when all are taken.
bool guard(const std::byte* begin, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  for (Slot& slot : slots) {
    std::uintptr_t free = 0;
    if (!slot.begin.compare_exchange_strong(free, first)) continue;
    slot.end = first + bytes;
    return true;
  }
  return false;
}

void release(const std::byte* begin) {
  for (Slot& slot : slots) {
    if (slot.begin != reinterpret_cast<std::uintptr_t>(begin)) continue;
    slot.end = 0;
    slot.begin = 0;
    return;
  }
}

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_size() - 1) / page_size() * page_size();
}

bool read_whole(int descriptor, std::span<std::byte> into, std::size_t offset) {
  while (!into.empty()) {
    const ssize_t count = pread(descriptor, into.data(), into.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path,
                                                   std::size_t least_bytes) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return nullptr;
  struct stat facts {};
  const bool is_usable = fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) &&
                         facts.st_uid == geteuid() &&
                         facts.st_size >= static_cast<off_t>(least_bytes) && facts.st_size > 0;
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* const place =
      is_usable ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
  if (place == MAP_FAILED) {
    close(descriptor);
    return nullptr;
  }
  auto* const begin = static_cast<std::byte*>(place);
  handle_bus_errors();
  if (!guard(begin, whole_pages(size))) {
    munmap(place, size);
    close(descriptor);
    return nullptr;
  }
  return std::shared_ptr<const MappedFile>(new MappedFile(descriptor, begin, size));
}

MappedFile::~MappedFile() {
  release(begin_);
  munmap(begin_, size_);
  close(descriptor_);
}

MappedFile::Copy::Copy(const MappedFile& file) : file_(file) {
  const std::size_t room = whole_pages(file.size_);
  void* const place =
      mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return;
  madvise(place, room, MADV_HUGEPAGE);
  begin_ = static_cast<std::byte*>(place);
}

MappedFile::Copy::Copy(const MappedFile& file, const std::stop_token& stop) : Copy(file) {
  if (!begin_) return;
  std::atomic<bool> is_whole{true};
  const std::size_t reads = (file.size_ + kBytesOfRead - 1) / kBytesOfRead;
  base::parallel_for(reads, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && is_whole; ++i) {
      const std::size_t offset = i * kBytesOfRead;
      const std::size_t bytes = std::min(kBytesOfRead, file.size_ - offset);
      if (stop.stop_requested() ||
          !read_whole(file.descriptor_, {begin_ + offset, bytes}, offset)) {
        is_whole = false;
      }
    }
  });
  if (!is_whole) {
    munmap(begin_, whole_pages(file.size_));
    begin_ = nullptr;
  }
}

MappedFile::Copy::~Copy() {
  if (begin_) munmap(begin_, whole_pages(file_.size_));
}

std::span<const std::byte> MappedFile::Copy::bytes() const {
  return {begin_, begin_ ? file_.size_ : 0};
}

bool MappedFile::Copy::take_place() {
  const std::size_t room = whole_pages(file_.size_);
  if (!begin_ || mprotect(begin_, room, PROT_READ) != 0) return false;
  if (mremap(begin_, room, room, MREMAP_MAYMOVE | MREMAP_FIXED, file_.begin_) == MAP_FAILED) {
    return false;
  }
  begin_ = nullptr;
  return true;
}

}  // namespace dlview::import::column_cache
