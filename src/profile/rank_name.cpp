#include "profile/rank_name.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

#include "base/parse.h"

namespace dlview::profile {
namespace {

// Before the number of one of the processes of a run. "rank" has rules of its own.
constexpr std::string_view kProcessWords[] = {"worker", "gpu", "node", "device", "proc"};

bool is_digit(char letter) {
  return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}

// Without ".pt.trace.json.gz" and parts of it.
std::string_view stem_of_trace(std::string_view name) {
  for (const std::string_view ending : {".gz", ".json", ".trace", ".pt"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  return name;
}

// Up to `kMostDigits` digits at `begin`, where a word of a name ends behind them.
std::optional<int64_t> number_at(std::string_view name, std::size_t begin) {
  constexpr std::size_t kMostDigits = 6;
  std::size_t end = begin;
  while (end < name.size() && is_digit(name[end])) ++end;
  const bool goes_on =
      end < name.size() && std::isalpha(static_cast<unsigned char>(name[end])) != 0;
  if (end == begin || end - begin > kMostDigits || goes_on) return std::nullopt;
  return base::parse_natural(name.substr(begin, end - begin));
}

// The word that ends at `end`.
std::string_view word_before(std::string_view name, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && std::isalnum(static_cast<unsigned char>(name[begin - 1])) != 0) --begin;
  return name.substr(begin, end - begin);
}

// Behind "_" or "-".
std::optional<int64_t> number_at_end(std::string_view stem, RankAtEnd at_end) {
  std::size_t begin = stem.size();
  while (begin > 0 && is_digit(stem[begin - 1])) --begin;
  const bool is_apart = begin > 0 && (stem[begin - 1] == '_' || stem[begin - 1] == '-');
  if (!is_apart || at_end == RankAtEnd::none) return std::nullopt;
  const bool is_of_process =
      std::ranges::find(kProcessWords, word_before(stem, begin - 1)) != std::end(kProcessWords);
  return is_of_process || at_end == RankAtEnd::any ? number_at(stem, begin) : std::nullopt;
}

}  // namespace

std::optional<int64_t> rank_of_name(std::string_view file_name, RankAtEnd at_end) {
  std::string name(at_end == RankAtEnd::any ? file_name : stem_of_trace(file_name));
  std::ranges::transform(name, name.begin(),
                         [](unsigned char letter) { return std::tolower(letter); });
  constexpr std::string_view kWord = "rank";
  std::optional<int64_t> rank;
  for (std::size_t at = name.find(kWord); at != std::string::npos; at = name.find(kWord, at)) {
    const bool is_word = at == 0 || std::isalnum(static_cast<unsigned char>(name[at - 1])) == 0;
    at += kWord.size();
    const bool has_link =
        at < name.size() && std::string_view("_-=.").find(name[at]) != std::string_view::npos;
    const auto number = is_word ? number_at(name, at + (has_link ? 1 : 0)) : std::nullopt;
    if (!number) continue;
    if (rank && rank != number) return std::nullopt;
    rank = number;
  }
  if (rank || at_end != RankAtEnd::any) return rank ? rank : number_at_end(name, at_end);
  if (!host_of_name(name).empty()) return std::nullopt;
  return number_at_end(std::string_view(name).substr(0, name.find('.', 1)), at_end);
}

std::string_view host_of_name(std::string_view file_name) {
  constexpr std::string_view kEnding = ".pt.trace.json";
  const std::size_t ending = file_name.find(kEnding);
  if (ending == std::string_view::npos) return {};
  // HOST_PROCESS.TIME, with points in HOST.
  const std::string_view stem = file_name.substr(0, ending);
  const auto is_number = [](std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char letter) {
      return std::isdigit(letter) != 0;
    });
  };
  const std::size_t dot = stem.rfind('.');
  if (dot == std::string_view::npos || !is_number(stem.substr(dot + 1))) return {};
  const std::size_t line = stem.substr(0, dot).rfind('_');
  if (line == std::string_view::npos || !is_number(stem.substr(line + 1, dot - line - 1)))
    return {};
  return stem.substr(0, line);
}

}  // namespace dlview::profile
