#include "ui/palette/fuzzy.h"

#include <algorithm>
#include <cctype>

namespace dlview::ui {
namespace {

constexpr int kWhole = 400, kAtWordStart = 300, kInside = 200, kScattered = 100;
constexpr int kGapCost = 3;

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

bool is_word_start(std::string_view text, std::size_t at) {
  return at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0;
}

std::size_t find_ignoring_case(std::string_view text, std::string_view word, std::size_t from) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(from);
  const auto found = std::search(begin, text.end(), word.begin(), word.end(), same);
  return found == text.end() ? std::string_view::npos
                             : static_cast<std::size_t>(found - text.begin());
}

std::optional<int> scattered_score(std::string_view word, std::string_view text) {
  int gaps = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const std::size_t found = find_ignoring_case(text, word.substr(i, 1), at);
    if (found == std::string_view::npos) return std::nullopt;
    if (i > 0 && found > at) ++gaps;
    at = found + 1;
  }
  return std::max(0, kScattered - kGapCost * gaps);
}

std::optional<int> word_score(std::string_view word, std::string_view text) {
  const std::size_t first = find_ignoring_case(text, word, 0);
  if (first == std::string_view::npos) return scattered_score(word, text);
  if (word.size() == text.size()) return kWhole;
  for (std::size_t at = first; at != std::string_view::npos;
       at = find_ignoring_case(text, word, at + 1)) {
    if (is_word_start(text, at)) return kAtWordStart;
  }
  return kInside;
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view query, std::string_view text) {
  int score = 0;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find(' '), query.size());
    if (end > 0) {
      const std::optional<int> word = word_score(query.substr(0, end), text);
      if (!word) return std::nullopt;
      score += *word;
    }
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return 1000 * score - static_cast<int>(std::min<std::size_t>(text.size(), 999));
}

}  // namespace dlview::ui
