#include "base/nearest_text.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace dlview::base {
namespace {

// How many letters have to be added, taken away or replaced (Levenshtein).
std::size_t typing_errors(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);  // from the letters of `from` so far
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t replaced = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t same = replaced + (from[i] == to[j] ? 0 : 1);
      replaced = row[j + 1];
      row[j + 1] = std::min({same, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// The words of a name: "exposed_communication" is "communication" and "exposed".
std::multiset<std::string_view> words_of(std::string_view name) {
  constexpr std::string_view kSeparators = "_-. ";
  std::multiset<std::string_view> words;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of(kSeparators), name.size());
    if (end > 0) words.insert(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return words;
}

}  // namespace

std::string_view nearest_text(const std::set<std::string_view>& texts, std::string_view wanted) {
  const std::multiset<std::string_view> words = words_of(wanted);
  for (const std::string_view text : texts) {
    if (words.size() > 1 && text != wanted && words_of(text) == words) return text;
  }
  std::string_view nearest;
  std::size_t too_many = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string_view text : texts) {
    const std::size_t errors = typing_errors(wanted, text);
    if (errors >= too_many) continue;
    too_many = errors;
    nearest = text;
  }
  return nearest;
}

}  // namespace dlview::base
