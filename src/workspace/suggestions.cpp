#include "workspace/suggestions.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

namespace dlview::workspace {
namespace {

constexpr std::size_t kMaxSuggestions = 5;

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

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

}  // namespace

std::string_view nearest_text(const std::set<std::string_view>& texts, std::string_view wanted) {
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

std::string similar_texts(const std::set<std::string_view>& texts, std::string_view wanted) {
  std::vector<std::string_view> found;
  for (const std::string_view text : texts) {
    if (found.size() == kMaxSuggestions) break;
    if (contains_ignoring_case(text, wanted)) found.push_back(text);
  }
  return fmt::format("{}", fmt::join(found, " or "));
}

std::string first_texts(const std::set<std::string_view>& texts) {
  std::vector<std::string_view> first;
  for (const std::string_view text : texts) {
    if (first.size() == kMaxSuggestions) break;
    first.push_back(text);
  }
  const std::size_t more = texts.size() - first.size();
  return fmt::format("{}{}", fmt::join(first, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace dlview::workspace
