#include "ui/table/common_words.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace dlview::ui {
namespace {

constexpr std::string_view kDots = "…";
constexpr float kLeastShare = 0.6f;
constexpr std::size_t kMostDots = 2;     // with more of them a name cannot be read
constexpr std::size_t kLongestStub = 6;  // bytes

// A word with the separators before it: "/module", "::forward".
struct NamePart {
  std::size_t begin = 0, word = 0, end = 0;
};

bool is_of_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The last one may have no word.
std::vector<NamePart> parts_of(std::string_view name) {
  std::vector<NamePart> parts;
  for (std::size_t i = 0; i < name.size();) {
    NamePart part{i, i, i};
    while (part.word < name.size() && !is_of_word(name[part.word])) ++part.word;
    part.end = part.word;
    while (part.end < name.size() && is_of_word(name[part.end])) ++part.end;
    i = part.end;
    parts.push_back(part);
  }
  return parts;
}

// UTF-8 characters stay whole.
std::size_t character_start(std::string_view text, std::size_t at) {
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0u) == 0x80u) --at;
  return at;
}

std::string without_middle(std::string_view text) {
  if (text.size() <= 2 * kLongestEnd) return std::string(text);
  std::string ends(text.substr(0, character_start(text, kLongestEnd)));
  ends += kDots;
  ends += text.substr(character_start(text, text.size() - kLongestEnd));
  return ends;
}

// One "…" where two stand next to each other.
std::string once(std::string text) {
  for (std::size_t at = 0; (at = text.find(kDots, at)) != std::string::npos; at += kDots.size()) {
    while (std::string_view(text).substr(at + kDots.size()).starts_with(kDots)) {
      text.erase(at, kDots.size());
    }
  }
  return text;
}

std::size_t dots_in(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(kDots, at)) != text.npos; at += kDots.size()) ++count;
  return count;
}

// "…/conv1" of "…ck…/conv1": what is left of a word says nothing.
std::string without_stub(std::string text) {
  const std::size_t second = text.starts_with(kDots) ? text.find(kDots, kDots.size()) : text.npos;
  return second <= kDots.size() + kLongestStub ? text.substr(second) : text;
}

std::string with_dots(std::string_view name, const std::vector<NamePart>& parts,
                      const std::vector<bool>& drops) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!drops[i]) {
      text += name.substr(parts[i].begin, parts[i].end - parts[i].begin);
    } else if (!text.ends_with(kDots)) {
      text += kDots;
    }
  }
  return text;
}

}  // namespace

CommonWords::CommonWords(const std::vector<std::string>& names) {
  const std::set<std::string_view> different(names.begin(), names.end());
  if (different.size() < 2) return;
  std::unordered_map<std::string, std::size_t> counts;
  for (const std::string_view name : different) {
    const std::string ends = without_middle(name);
    std::set<std::string_view> words;
    for (const NamePart& part : parts_of(ends)) {
      words.insert(std::string_view(ends).substr(part.word, part.end - part.word));
    }
    for (const std::string_view word : words) ++counts[std::string(word)];
  }
  for (const auto& [word, count] : counts) {
    const float share = static_cast<float>(count) / static_cast<float>(different.size());
    if (share >= kLeastShare) shares_.emplace(word, share);
  }
}

float CommonWords::share_of(std::string_view word) const {
  if (word.empty()) return 1;  // separators
  const auto found = shares_.find(std::string(word));
  return found == shares_.end() ? 0 : found->second;
}

std::string CommonWords::cut(std::string_view text, float width, CutAt where,
                             const MeasureText& measure) const {
  if (text.size() <= 2 * kLongestEnd && measure(text) <= width) return std::string(text);
  const std::string name = without_middle(text);
  const std::vector<NamePart> parts = parts_of(name);
  std::vector<std::pair<float, std::size_t>> common;
  // A bracket that closes the name goes with the word before it.
  const bool has_end = parts.size() > 1 && parts.back().word == parts.back().end;
  const std::size_t words = parts.size() - (has_end ? 1 : 0);
  for (std::size_t i = 0; i < words; ++i) {
    const float share =
        share_of(std::string_view(name).substr(parts[i].word, parts[i].end - parts[i].word));
    // The last word says what it is, unless all of them end with it.
    const bool is_last = i + 1 == words;
    if (share > 0 && (share >= 1 || !is_last)) common.emplace_back(share, i);
  }
  if (shares_.empty() || common.size() == words) {
    return cut_text(name, width, where, measure);
  }
  std::ranges::stable_sort(common, std::greater<>(), &std::pair<float, std::size_t>::first);
  const auto without = [&](std::size_t count) {
    std::vector<bool> drops(parts.size());
    for (std::size_t i = 0; i < count; ++i) drops[common[i].second] = true;
    return with_dots(name, parts, drops);
  };
  std::size_t too_few = 0;
  std::size_t enough = common.size();
  while (enough - too_few > 1) {
    const std::size_t count = (too_few + enough) / 2;
    (measure(without(count)) <= width ? enough : too_few) = count;
  }
  if (common.empty()) enough = 0;
  const std::string rest = without(enough);
  if (dots_in(rest) > kMostDots) return cut_text(name, width, where, measure);
  return without_stub(once(cut_text(rest, width, where, measure)));
}

}  // namespace dlview::ui
