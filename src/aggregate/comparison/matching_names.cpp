#include "aggregate/comparison/matching_names.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <utility>

namespace dlview::aggregate {
namespace {

bool is_separator(char c) {
  return std::string_view("./_[]-: #").find(c) != std::string_view::npos;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string without_running_numbers(std::string_view path) {
  std::string result;
  for (std::size_t at = 0; at < path.size();) {
    std::size_t end = at;
    while (end < path.size() && is_digit(path[end])) ++end;
    const bool is_running = end > at && (at == 0 || is_separator(path[at - 1])) &&
                            (end == path.size() || is_separator(path[end]) || path[end] == '\n');
    if (is_running) {
      result += '#';
    } else {
      result += path.substr(at, std::max<std::size_t>(end - at, 1));
    }
    at = std::max(end, at + 1);
  }
  return result;
}

std::string without_number_places(std::string_view path) {
  std::string result;
  for (const char c : path) {
    if (c != '#') {
      result += c;
    } else if (!result.empty() && is_separator(result.back())) {
      result.pop_back();
    }
  }
  return result;
}

std::vector<std::string> words_of(std::string_view name) {
  std::set<std::string> words;
  std::string word;
  for (const char c : name) {
    if (!is_separator(c)) {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.insert(word);
  return {words.begin(), words.end()};
}

double shared_words(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  const std::size_t all = a.size() + b.size() - both.size();
  return all == 0 ? 0 : static_cast<double>(both.size()) / static_cast<double>(all);
}

std::string kernel_family(std::string_view name) {
  static const std::set<std::string, std::less<>> kLeftOut{"ampere",
                                                           "volta",
                                                           "turing",
                                                           "hopper",
                                                           "maxwell",
                                                           "pascal",
                                                           "kepler",
                                                           "blackwell",
                                                           "nn",
                                                           "nt",
                                                           "tn",
                                                           "tt",
                                                           "f16",
                                                           "f32",
                                                           "f64",
                                                           "bf16",
                                                           "tf32",
                                                           "fp16",
                                                           "fp32",
                                                           "fp8",
                                                           "s8",
                                                           "h",
                                                           "s",
                                                           "cutlass",
                                                           "ldg4",
                                                           "ldg8",
                                                           "stages",
                                                           "stage",
                                                           "warpgroupsize",
                                                           "align",
                                                           "tilesize"};
  std::string family, word;
  int depth = 0;
  const auto end_word = [&] {
    const bool has_digit = std::ranges::any_of(word, is_digit);
    const bool is_tile =
        has_digit && std::ranges::all_of(word, [](char c) { return is_digit(c) || c == 'x'; });
    const bool is_architecture =
        word.starts_with("sm") && has_digit && std::ranges::all_of(word.substr(2), is_digit);
    const bool is_tuning =
        has_digit &&
        (word.starts_with("tilesize") || word.starts_with("stage") || word.starts_with("align") ||
         word.starts_with("warpsize") || word.starts_with("tensor"));
    if (!word.empty() && !is_tile && !is_architecture && !is_tuning && !kLeftOut.contains(word)) {
      if (!family.empty()) family += '_';
      family += word;
    }
    word.clear();
  };
  for (const char c : name) {
    if (c == '<' || c == '(') ++depth;
    if (depth == 0) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
        word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      } else {
        end_word();
      }
    }
    if ((c == '>' || c == ')') && depth > 0) --depth;
  }
  end_word();
  return family;
}

}  // namespace dlview::aggregate
