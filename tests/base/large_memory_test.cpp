#include "base/large_memory.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <random>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/seeds.h"

#ifndef __has_feature
#define __has_feature(feature) 0  // GCC
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define DLVIEW_TESTS_POISON
#endif
#if defined(DLVIEW_TESTS_POISON) || defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define DLVIEW_TESTS_SANITIZED
#endif

namespace dlview::base {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

// Memory of a PageAllocator.
class Block {
 public:
  Block() : memory_(nullptr, Free{0}) {}
  explicit Block(std::size_t bytes)
      : memory_(PageAllocator<char>().allocate(bytes), Free{bytes}), bytes_(bytes) {}

  char* begin() const { return memory_.get(); }
  uintptr_t place() const { return reinterpret_cast<uintptr_t>(memory_.get()); }
  std::size_t size() const { return bytes_; }

 private:
  struct Free {
    std::size_t bytes;
    void operator()(char* memory) const { PageAllocator<char>().deallocate(memory, bytes); }
  };
  std::unique_ptr<char, Free> memory_;
  std::size_t bytes_ = 0;
};

TEST(KeptMemory, SplitsAKeptBlock) {
  const KeptMemory kept;
  Block large(64 * kMegabyte);
  const uintptr_t begin = large.place();
  large = Block();
  const Block first(30 * kMegabyte), second(34 * kMegabyte);
  for (const Block* block : {&first, &second}) {
    EXPECT_GE(block->place(), begin);
    EXPECT_LT(block->place(), begin + 64 * kMegabyte);
  }
}

TEST(KeptMemory, JoinsNeighborsInAnyOrder) {
  for (const std::vector<int>& order : {std::vector{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}}) {
    const KeptMemory kept;
    Block large(96 * kMegabyte);
    const uintptr_t begin = large.place();
    large = Block();
    std::vector<Block> parts;
    for (int i = 0; i < 3; ++i) parts.emplace_back(32 * kMegabyte);
    for (const int part : order) parts[part] = Block();
    EXPECT_EQ(Block(96 * kMegabyte).place(), begin);
  }
}

TEST(KeptMemory, GoesToTheSystemWithTheLastKeeper) {
  const auto mapped_pages = [] {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages;
  };
  const std::size_t before = mapped_pages();
  {
    const KeptMemory kept;
    Block(512 * kMegabyte);
    EXPECT_GE(mapped_pages(), before + 400 * kMegabyte / 4096);
  }
  EXPECT_LT(mapped_pages(), before + 400 * kMegabyte / 4096);
}

struct alignas(64) CacheLine {
  char bytes[64];
};

TEST(PageAllocator, UsesHugePagesFromFourMegabytes) {
  for (const std::size_t bytes : {2 * kMegabyte, 4 * kMegabyte, 9 * kMegabyte}) {
    const LargeVector<CacheLine> lines(bytes / sizeof(CacheLine));
    const auto begin = reinterpret_cast<uintptr_t>(lines.data());
    EXPECT_EQ(begin % alignof(CacheLine), 0U);
    if (bytes >= kLargeBytes) {
      EXPECT_EQ(begin % kHugePage, 0U);
    }
  }
}

TEST(PageAllocator, LeavesOtherMemoryToOperatorNew) {
  const KeptMemory kept;
  Block large(64 * kMegabyte);
  const uintptr_t begin = large.place();
  large = Block();
  const auto other = std::make_unique_for_overwrite<char[]>(32 * kMegabyte);
  const auto place = reinterpret_cast<uintptr_t>(other.get());
  EXPECT_TRUE(place < begin || place >= begin + 64 * kMegabyte);
}

TEST(PageAllocator, KeepsValuesWhenAVectorGrows) {
  const KeptMemory kept;
  LargeVector<uint32_t> values;
  for (uint32_t i = 0; i < 3'000'000; ++i) values.push_back(i);
  for (uint32_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], i);
}

TEST(PageAllocator, ThrowsWhenThereIsNoSuchMemory) {
  PageAllocator<uint64_t> allocator;
  EXPECT_THROW(static_cast<void>(allocator.allocate(SIZE_MAX / 4)), std::bad_array_new_length);
  EXPECT_THROW(static_cast<void>(allocator.allocate(SIZE_MAX / 8)), std::bad_alloc);
}

#ifdef DLVIEW_TESTS_POISON
// Of memory before and behind a block, and of blocks that were given back.
TEST(LargeMemoryDeathTest, ReportsTouchingWhatIsNotAllocated) {
  PageAllocator<char> allocator;
  const std::size_t bytes = 5 * kMegabyte;
  char* const block = allocator.allocate(bytes);
  block[bytes - 1] = 1;
  EXPECT_DEATH(block[bytes] = 1, "use-after-poison");
  {
    const KeptMemory kept;
    allocator.deallocate(block, bytes);
    EXPECT_DEATH(block[0] = 1, "use-after-poison");
    char* const shorter = allocator.allocate(bytes - 8);
    EXPECT_EQ(shorter, block);
    shorter[bytes - 9] = 1;
    EXPECT_DEATH(shorter[bytes - 8] = 1, "use-after-poison");
    allocator.deallocate(shorter, bytes - 8);
  }
  // What is mapped there next is not poisoned.
  char* const next = allocator.allocate(bytes + kMegabyte);
  for (std::size_t i = 0; i < bytes + kMegabyte; i += 4096) next[i] = 1;
  allocator.deallocate(next, bytes + kMegabyte);
}
#endif

#ifndef DLVIEW_TESTS_SANITIZED  // these need more address space than is left here
TEST(KeptMemory, GoesToTheSystemWhenMemoryRunsOut) {
  const auto try_it = [] {
    const KeptMemory kept;
    Block(256 * kMegabyte);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t room = pages * 4096 + 64 * kMegabyte;
    const rlimit limit{room, room};
    setrlimit(RLIMIT_AS, &limit);
    const Block large(300 * kMegabyte);
    std::exit(large.place() != 0 ? 0 : 1);
  };
  EXPECT_EXIT(try_it(), ::testing::ExitedWithCode(0), "");
}
#endif

// The first byte of each page, and the last.
template <typename Use>
void for_some_bytes(const Block& block, const Use& use) {
  for (std::size_t i = 0; i < block.size(); i += 4096) use(block.begin()[i]);
  if (block.size() > 0) use(block.begin()[block.size() - 1]);
}

// Blocks get the pages of smaller and of larger ones.
TEST(KeptMemory, GivesNoByteToTwoBlocks) {
  const auto take_and_give = [](unsigned seed) {
    std::mt19937 random(seed);
    struct Filled {
      Block memory;
      char fill = 0;
    };
    std::vector<Filled> blocks(6);
    for (uint64_t i = 0; i < testing::seeds(500); ++i) {
      Filled& block = blocks[random() % blocks.size()];
      for_some_bytes(block.memory, [&block](char byte) { ASSERT_EQ(byte, block.fill); });
      block.memory = Block();
      block.memory = Block(kMegabyte + random() % (40 * kMegabyte));
      block.fill = static_cast<char>(random());
      for_some_bytes(block.memory, [&block](char& byte) { byte = block.fill; });
    }
  };
  const KeptMemory kept;
  std::thread other(take_and_give, 1U);
  take_and_give(2U);
  {
    const KeptMemory of_a_part;  // ends before the others
  }
  other.join();
}

}  // namespace
}  // namespace dlview::base
