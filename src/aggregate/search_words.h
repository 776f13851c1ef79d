// SearchWords: whether texts have every word that was typed, whatever the case.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace dlview::aggregate {

class SearchWords {
 public:
  explicit SearchWords(std::string_view search);
  // Each word in one of them.
  bool are_in(std::initializer_list<std::string_view> texts) const;

 private:
  std::vector<std::string> words_;  // lower case
};

}  // namespace dlview::aggregate
