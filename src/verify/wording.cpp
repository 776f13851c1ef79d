#include "verify/wording.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

namespace dlview::verify {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kAround = ".,;:()\"'";  // that stands around a word

bool is_upper(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_link(std::string_view word) {
  return word.find("://") != std::string_view::npos;
}

bool is_name(std::string_view word) {
  if (word == "Dataloader" || word == "Other") return true;
  const bool is_setting =
      word.starts_with("--") || word.find_first_of("_.") != std::string_view::npos;
  return is_setting || std::ranges::count_if(word, is_upper) >= 2;
}

struct Content {
  std::vector<std::string_view> numbers;
  std::set<std::string_view> names;
  bool operator==(const Content&) const = default;
};

Content content_of(std::string_view text) {
  Content content;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    if (text.empty()) return content;
    std::string_view word = text.substr(0, text.find_first_of(kSpace));
    text.remove_prefix(word.size());
    word.remove_prefix(std::min(word.find_first_not_of(kAround), word.size()));
    word = word.substr(0, word.find_last_not_of(kAround) + 1);
    if (word.empty() || is_link(word)) continue;
    if (is_digit(word.front())) {
      content.numbers.push_back(word);
    } else if (is_name(word)) {
      content.names.insert(word);
    }
  }
}

}  // namespace

bool has_content(std::string_view text) {
  const Content content = content_of(text);
  return !content.numbers.empty() || !content.names.empty();
}

bool have_same_content(std::string_view stored, std::string_view recomputed) {
  return content_of(stored) == content_of(recomputed);
}

}  // namespace dlview::verify
