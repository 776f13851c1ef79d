// PatternList: a list of regular expressions (RE2), searched in order; the first match counts.
#pragma once

#include <cstddef>
#include <deque>
#include <re2/re2.h>
#include <string_view>

namespace dlview::profile {

class PatternList {
 public:
  // Compiles the members `pattern` of the rows, which must be valid expressions.
  template <typename Rows>
  explicit PatternList(const Rows& rows) {
    for (const auto& row : rows) patterns_.emplace_back(piece(row.pattern));
  }

  // Returns the number of the first row that matches, or the number of rows if none does.
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
