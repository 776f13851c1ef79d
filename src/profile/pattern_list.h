// PatternList: a list of regular expressions (RE2), searched in order; the first match counts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <re2/re2.h>
#include <re2/set.h>
#include <string_view>
#include <vector>

namespace dlview::profile {

class PatternList {
 public:
  // Compiles the members `pattern` of the rows, which must be valid expressions.
  template <typename Rows>
  explicit PatternList(const Rows& rows) : all_(quiet(), re2::RE2::UNANCHORED) {
    for (const auto& row : rows) {
      patterns_.emplace_back(piece(row.pattern));
      all_.Add(piece(row.pattern), nullptr);
    }
    all_.Compile();
  }

  // Returns the number of the first row that matches, or the number of rows if none does. Looks for
  // all patterns in one pass over the text.
  std::size_t find_first(std::string_view text) const {
    std::vector<int> matches;
    re2::RE2::Set::ErrorInfo error{};
    if (all_.Match(piece(text), &matches, &error)) {
      return static_cast<std::size_t>(*std::ranges::min_element(matches));
    }
    return error.kind == re2::RE2::Set::kNoError ? patterns_.size() : find_one_by_one(text);
  }

  // The same in a pass for each pattern, for texts for which one pass takes too much memory.
  std::size_t find_one_by_one(std::string_view text) const {
    std::size_t row = 0;
    while (row < patterns_.size() && !re2::RE2::PartialMatch(piece(text), patterns_[row])) ++row;
    return row;
  }

 private:
  static re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }
  static re2::RE2::Options quiet() {
    re2::RE2::Options options;
    options.set_log_errors(false);
    return options;
  }

  std::deque<re2::RE2> patterns_;
  re2::RE2::Set all_;
};

}  // namespace dlview::profile
