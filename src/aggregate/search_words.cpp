#include "aggregate/search_words.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace dlview::aggregate {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

SearchWords::SearchWords(std::string_view search) {
  std::istringstream stream{lower_case(search)};
  for (std::string word; stream >> word;) words_.push_back(word);
}

bool SearchWords::are_in(std::initializer_list<std::string_view> texts) const {
  std::string all;
  for (const std::string_view text : texts) all += lower_case(text) + '\n';
  return std::ranges::all_of(
      words_, [&](const std::string& word) { return all.find(word) != std::string::npos; });
}

}  // namespace dlview::aggregate
