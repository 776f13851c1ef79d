#include "ranks/rank_set.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dlview::ranks {
namespace {

std::optional<int64_t> rank_in(std::string_view text) {
  int64_t rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  // One more fits, too.
  return is_number && rank >= 0 && rank < INT64_MAX ? std::optional(rank) : std::nullopt;
}

}  // namespace

RankSet::RankSet(const std::vector<int64_t>& ranks) {
  for (const int64_t rank : ranks) add(rank, rank);
}

void RankSet::add(int64_t first, int64_t last) {
  auto place = std::ranges::lower_bound(spans_, first, {}, [](const auto& span) {
    return span.second + 1;  // that touches it
  });
  while (place != spans_.end() && place->first <= last + 1) {
    first = std::min(first, place->first);
    last = std::max(last, place->second);
    place = spans_.erase(place);
  }
  spans_.insert(place, {first, last});
}

bool RankSet::contains(int64_t rank) const {
  const auto span =
      std::ranges::lower_bound(spans_, rank, {}, &std::pair<int64_t, int64_t>::second);
  return span != spans_.end() && span->first <= rank;
}

RankSet RankSet::without(const RankSet& other) const {
  RankSet rest;
  for (auto [first, last] : spans_) {
    for (const auto& [taken_first, taken_last] : other.spans_) {
      if (taken_last < first || taken_first > last) continue;
      if (first < taken_first) rest.add(first, taken_first - 1);
      first = taken_last + 1;
    }
    if (first <= last) rest.add(first, last);
  }
  return rest;
}

std::string RankSet::text() const {
  std::vector<std::string> texts;
  for (const auto& [first, last] : spans_) {
    texts.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}:{}", first, last));
  }
  return fmt::format("{}", fmt::join(texts, ","));
}

std::string RankSet::brief() const {
  constexpr std::size_t kMostSpans = 4;
  std::vector<std::string> texts;
  for (const auto& [first, last] : spans_) {
    if (texts.size() == kMostSpans) {
      texts.emplace_back("…");
      break;
    }
    texts.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}–{}", first, last));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

base::Result<RankSet> parse_rank_set(std::string_view text) {
  RankSet set;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t colon = std::min(item.find(':'), item.size());
    const std::optional<int64_t> first = rank_in(item.substr(0, colon));
    const std::optional<int64_t> last =
        colon == item.size() ? first : rank_in(item.substr(colon + 1));
    if (!first || !last || *last < *first) {
      return base::Error{fmt::format("Invalid --only-ranks: \"{}\"", item), "",
                         "Write ranks and spans of ranks: --only-ranks 0:31,40"};
    }
    set.add(*first, *last);
  }
  return set;
}

}  // namespace dlview::ranks
