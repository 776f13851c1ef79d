// What most names of a column have in common, and cutting names there. Pure; widths come from the
// caller.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ui/text.h"

namespace dlview::ui {

// Bytes at either end of a name that are looked at: more than any cell shows.
inline constexpr std::size_t kLongestEnd = 1000;

// The words that at least 60% of the different names contain. They give way first where a name does
// not fit, so that what tells rows apart stays visible.
class CommonWords {
 public:
  CommonWords() = default;
  // The cost grows with the names; of each the first and the last kilobyte count.
  explicit CommonWords(const std::vector<std::string>& names);

  bool empty() const { return shares_.empty(); }
  // `text` itself where it fits, else "…/layer3/0/…/conv2": without as many common words as it
  // takes, the most common ones first. What still does not fit is cut at `where`.
  std::string cut(std::string_view text, float width, CutAt where,
                  const MeasureText& measure) const;

 private:
  float share_of(std::string_view word) const;

  // The part of the names that contain the word.
  std::unordered_map<std::string, float> shares_;
};

}  // namespace dlview::ui
