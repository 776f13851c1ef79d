// PatternList: regular expressions (RE2) of which the first that is found in a text counts.
#pragma once

#include <cstddef>
#include <deque>
#include <re2/re2.h>
#include <string_view>

namespace dlview::profile {

class PatternList {
 public:
  // Of the rows' members `pattern`, which are valid expressions.
  template <typename Rows>
  explicit PatternList(const Rows& rows) {
    for (const auto& row : rows) patterns_.emplace_back(piece(row.pattern));
  }

  // The number of its row; that behind the last one when none is found.
  std::size_t find_first(std::string_view text) const {
    std::size_t row = 0;
    while (row < patterns_.size() && !re2::RE2::PartialMatch(piece(text), patterns_[row])) ++row;
    return row;
  }

 private:
  static re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

  std::deque<re2::RE2> patterns_;
};

}  // namespace dlview::profile
