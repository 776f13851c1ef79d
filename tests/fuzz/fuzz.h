// What the fuzzers share. A fuzzer is a file NAME_fuzzer.cpp with LLVMFuzzerTestOneInput: libFuzzer
// calls it with inputs of its own, replay_main.cpp with those of a folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace dlview::fuzz {

// Prints both texts and aborts when the condition does not hold: libFuzzer then keeps the input,
// and run.py shows the first text.
void require(bool holds, std::string_view what, std::string_view detail = {});

// Takes values off an input from its beginning. An input that is used up yields zeros and "".
class Input {
 public:
  Input(const uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  bool is_empty() const { return rest_.empty(); }
  uint8_t byte();
  bool flag() { return byte() % 2 == 1; }
  // 8 bytes, the lowest first.
  int64_t number();
  // From 0 to count - 1; of one byte, so count is at most 256 and not 0.
  std::size_t below(std::size_t count) { return byte() % count; }
  // A length of one byte, then the text.
  std::string_view text();
  // All that is left.
  std::string_view rest();

 private:
  std::string_view take(std::size_t bytes);
  std::string_view rest_;
};

// One folder for each process, below TMPDIR, which should be in memory (/dev/shm). Removed at exit;
// what a crash leaves is up to the caller (run.py).
const std::filesystem::path& folder();

// Replaces the contents of a file.
void write(const std::filesystem::path& path, std::string_view bytes);
std::string contents_of(const std::filesystem::path& path);

// Runs parallel loops on the calling thread: threads cost more than inputs of some kilobytes take.
void use_one_thread();

}  // namespace dlview::fuzz

extern "C" {
int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);  // NOLINT: libFuzzer's names
int LLVMFuzzerInitialize(int* count, char*** arguments);            // NOLINT
}
