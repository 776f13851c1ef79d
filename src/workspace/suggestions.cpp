#include "workspace/suggestions.h"

#include <algorithm>
#include <cctype>
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

}  // namespace

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
