#include "base/large_memory.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/seeds.h"

namespace dlview::base {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

std::unique_ptr<char[]> block_of(std::size_t bytes) {
  return std::make_unique_for_overwrite<char[]>(bytes);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

TEST(KeptMemory, GivesSeveralBlocksTheRoomOfALargerOne) {
  const KeptMemory kept;
  auto large = block_of(64 * kMegabyte);
  const auto begin = reinterpret_cast<uintptr_t>(large.get());
  large.reset();
  const auto first = block_of(30 * kMegabyte), second = block_of(34 * kMegabyte);
  for (const auto& block : {first.get(), second.get()}) {
    const auto place = reinterpret_cast<uintptr_t>(block);
    EXPECT_GE(place, begin);
    EXPECT_LT(place, begin + 64 * kMegabyte);
  }
}

TEST(KeptMemory, JoinsNeighboursInWhicheverOrderTheyComeBack) {
  for (const std::vector<int>& order : {std::vector{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}}) {
    const KeptMemory kept;
    auto large = block_of(96 * kMegabyte);
    const auto begin = reinterpret_cast<uintptr_t>(large.get());
    large.reset();
    std::unique_ptr<char[]> parts[3];
    for (auto& part : parts) part = block_of(32 * kMegabyte);
    for (const int part : order) parts[part].reset();
    const auto again = block_of(96 * kMegabyte);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(again.get()), begin);
  }
}

struct alignas(64) CacheLine {
  char bytes[64];
};

TEST(LargeMemory, IsOfWholeHugePagesForWhatIsAlignedToo) {
  for (const std::size_t bytes : {2 * kMegabyte, 4 * kMegabyte, 9 * kMegabyte}) {
    std::vector<CacheLine> lines(bytes / sizeof(CacheLine));
    const auto begin = reinterpret_cast<uintptr_t>(lines.data());
    EXPECT_EQ(begin % alignof(CacheLine), 0U);
    if (bytes >= 4 * kMegabyte) {
      EXPECT_EQ(begin % (2 * kMegabyte), 0U);
    }
  }
  const KeptMemory kept;
  uintptr_t before = 0;
  for (int i = 0; i < 2; ++i) {
    const std::vector<CacheLine> lines(8 * kMegabyte / sizeof(CacheLine));
    const auto begin = reinterpret_cast<uintptr_t>(lines.data());
    EXPECT_TRUE(before == 0 || begin == before);
    before = begin;
  }
}

TEST(KeptMemory, GoesBackToTheSystemWhenMemoryRunsOut) {
  const auto try_it = [] {
    const KeptMemory kept;
    block_of(256 * kMegabyte).reset();
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t room = pages * 4096 + 64 * kMegabyte;
    const rlimit limit{room, room};
    setrlimit(RLIMIT_AS, &limit);
    const auto large = block_of(300 * kMegabyte);
    std::exit(large != nullptr ? 0 : 1);
  };
  EXPECT_EXIT(try_it(), ::testing::ExitedWithCode(0), "");
}

#endif

// The first byte of each page, and the last.
template <typename Use>
void for_some_bytes(char* memory, std::size_t bytes, const Use& use) {
  for (std::size_t i = 0; i < bytes; i += 4096) use(memory[i]);
  if (bytes > 0) use(memory[bytes - 1]);
}

// Of memory that is used no other block may have a byte. Blocks are given the pages of smaller and
// of larger ones.
TEST(KeptMemory, IsEachByteOfOneBlockAtATime) {
  const auto take_and_give = [](unsigned seed) {
    std::mt19937 random(seed);
    struct Block {
      std::unique_ptr<char[]> memory;
      std::size_t bytes = 0;
      char fill = 0;
    };
    std::vector<Block> blocks(6);
    for (uint64_t i = 0; i < testing::seeds(500); ++i) {
      Block& block = blocks[random() % blocks.size()];
      for_some_bytes(block.memory.get(), block.bytes,
                     [&block](char byte) { ASSERT_EQ(byte, block.fill); });
      block.memory.reset();
      block.bytes = kMegabyte + random() % (40 * kMegabyte);
      block.fill = static_cast<char>(random());
      block.memory = block_of(block.bytes);
      for_some_bytes(block.memory.get(), block.bytes, [&block](char& byte) { byte = block.fill; });
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
