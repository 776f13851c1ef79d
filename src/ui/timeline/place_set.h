// PlaceSet: some of the places of a line, a bit for each, so that those of any stretch are counted,
// and the next one found, without looking at its events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlview::ui::timeline {

class PlaceSet {
 public:
  static constexpr std::size_t kWord = 64;  // places

  PlaceSet() = default;
  explicit PlaceSet(std::size_t size) : size_(size), words_((size + kWord - 1) / kWord) {}

  std::size_t size() const { return size_; }
  std::size_t word_count() const { return words_.size(); }
  // Places 64 word to 64 word + 63, the lowest bit first; different words on any threads. Then
  // finish(), before anything below is asked.
  void set_word(std::size_t word, uint64_t bits) { words_[word] = bits; }
  void finish();

  std::size_t count() const { return count_; }
  bool contains(std::size_t place) const {
    return (words_[place / kWord] >> place % kWord & 1) != 0;
  }
  // In [0, behind), and in [first, behind).
  std::size_t count_before(std::size_t behind) const;
  std::size_t count_in(std::size_t first, std::size_t behind) const {
    return count_before(behind) - count_before(first);
  }
  // The first one at `from` or behind, and the last one before `behind`; size() = none.
  std::size_t first_from(std::size_t from) const;
  std::size_t last_before(std::size_t behind) const;

 private:
  // Counted from 1; there are as many.
  std::size_t nth(std::size_t number) const;

  std::size_t size_ = 0, count_ = 0;
  std::vector<uint64_t> words_;
  std::vector<uint32_t> before_;  // each word
};

}  // namespace dlview::ui::timeline
