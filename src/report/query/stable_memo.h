// StableMemo: caches results for texts by their address. Only for texts that neither move nor
// change while it exists, such as a profile's; a long table has few different ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dlview::report {

template <typename T>
class StableMemo {
 public:
  // compute(text), or what it gave before. A text may be forgotten when another takes its place.
  template <typename Compute>
  T operator()(std::string_view text, const Compute& compute) {
    Entry& entry = entries_[slot(text)];
    if (!entry.is_known || entry.data != text.data() || entry.size != text.size()) {
      entry = {true, text.data(), text.size(), compute(text)};
    }
    return entry.value;
  }

 private:
  struct Entry {
    bool is_known = false;
    const char* data = nullptr;
    std::size_t size = 0;
    T value{};
  };
  static constexpr std::size_t kEntries = 1024;

  static std::size_t slot(std::string_view text) {
    const auto mixed =
        (reinterpret_cast<uintptr_t>(text.data()) + text.size()) * uint64_t{0x9E3779B97F4A7C15};
    return static_cast<std::size_t>(mixed >> 54);  // 10 bits
  }

  std::array<Entry, kEntries> entries_{};
};

}  // namespace dlview::report
