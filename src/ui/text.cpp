#include "ui/text.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"

namespace dlview::ui {
namespace {

constexpr std::string_view kEllipsis = "…";

// Byte offsets at which characters begin, and the end.
std::vector<std::size_t> character_starts(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0u) != 0x80u) starts.push_back(i);
  }
  starts.push_back(text.size());
  return starts;
}

std::string shortened(std::string_view text, const std::vector<std::size_t>& starts,
                      std::size_t kept, CutAt where) {
  const std::size_t count = starts.size() - 1;
  const std::size_t head = where == CutAt::front    ? 0
                           : where == CutAt::middle ? (kept + 1) / 2
                                                    : kept;
  const std::size_t tail = kept - head;
  std::string result(text.substr(0, starts[head]));
  result += kEllipsis;
  result += text.substr(starts[count - tail]);
  return result;
}

// The last place behind "/", "::" or a blank in the first `end` bytes; `end` itself when there is
// none.
std::size_t break_before(std::string_view name, std::size_t end) {
  for (std::size_t i = end; i > 1; --i) {
    if (name[i - 1] == '/' || name[i - 1] == ' ') return i;
    if (name[i - 1] == ':' && name[i - 2] == ':') return i;
  }
  return end;
}

// How many bytes of the name go into its first line; at least one character.
std::size_t line_length(std::string_view name, float width, const MeasureText& measure) {
  if (measure(name) <= width) return name.size();
  const std::vector<std::size_t> starts = character_starts(name);
  std::size_t fits = 1;
  std::size_t too_many = starts.size() - 1;
  while (too_many - fits > 1) {
    const std::size_t kept = (fits + too_many) / 2;
    (measure(name.substr(0, starts[kept])) <= width ? fits : too_many) = kept;
  }
  return break_before(name, starts[fits]);
}

// The part of the text that fits and begins a few characters before its byte `place`, or with as
// many whole parts of the path as fit; the rest is cut at `where`.
std::string cut_around(std::string_view text, std::size_t place, float width, CutAt where,
                       const MeasureText& measure) {
  constexpr std::size_t kBefore = 3;
  const std::vector<std::size_t> starts = character_starts(text);
  const auto at =
      static_cast<std::size_t>(std::ranges::upper_bound(starts, place) - starts.begin());
  std::size_t begin = at > kBefore + 1 ? starts[at - 1 - kBefore] : 0;
  for (std::size_t slash = begin; begin > 0 && slash != std::string_view::npos && slash > 0;) {
    slash = text.rfind('/', slash - 1);
    if (slash == std::string_view::npos) break;
    if (measure(std::string(kEllipsis) + std::string(text.substr(slash))) > width) break;
    begin = slash;
  }
  const std::string rest =
      (begin > 0 ? std::string(kEllipsis) : "") + std::string(text.substr(begin));
  return cut_text(rest, width, where, measure);
}

// The first byte in which the texts differ; they do.
std::size_t first_difference(const std::vector<std::string_view>& texts) {
  std::size_t common = texts.front().size();
  for (const std::string_view text : texts) {
    const auto [a, b] = std::ranges::mismatch(texts.front(), text);
    common = std::min(common, static_cast<std::size_t>(a - texts.front().begin()));
  }
  return common;
}

using ShownTexts = std::map<std::string_view, std::string>;  // by the whole text

// Cuts `texts`, all different, until no two of them look the same.
void cut_apart(const std::vector<std::string_view>& texts, float width, CutAt where,
               const MeasureText& measure, ShownTexts& shown) {
  const std::size_t place = first_difference(texts);
  std::map<std::string, std::vector<std::string_view>> alike;
  for (const std::string_view text : texts) {
    shown[text] = cut_around(text, place, width, where, measure);
    alike[shown[text]].push_back(text);
  }
  if (alike.size() == 1) return;  // there is no room
  for (const auto& [cut, same] : alike) {
    if (same.size() > 1) cut_apart(same, width, where, measure, shown);
  }
}

std::size_t distinct_of(const ShownTexts& shown) {
  std::set<std::string_view> distinct;
  for (const auto& [text, cut] : shown) distinct.insert(cut);
  return distinct.size();
}

}  // namespace

std::string cut_text(std::string_view text, float width, CutAt where, const MeasureText& measure) {
  if (measure(text) <= width) return std::string(text);
  const std::vector<std::size_t> starts = character_starts(text);
  std::size_t fits = 0;
  std::size_t too_many = starts.size() - 1;
  while (too_many - fits > 1) {
    const std::size_t kept = (fits + too_many) / 2;
    (measure(shortened(text, starts, kept, where)) <= width ? fits : too_many) = kept;
  }
  return shortened(text, starts, fits, where);
}

std::vector<std::string> cut_texts(const std::vector<std::string_view>& texts, float width,
                                   CutAt where, const MeasureText& measure) {
  ShownTexts shown;
  std::map<std::string, std::vector<std::string_view>> alike;
  for (const std::string_view text : std::set(texts.begin(), texts.end())) {
    shown[text] = cut_text(text, width, where, measure);
    alike[shown[text]].push_back(text);
  }
  for (const auto& [cut, same] : alike) {
    if (same.size() == 1) continue;
    std::set<std::string> distinct;
    for (const std::string_view text : same) {
      shown[text] = cut_text(text, width, CutAt::middle, measure);
      distinct.insert(shown[text]);
    }
    if (distinct.size() < same.size()) cut_apart(same, width, CutAt::end, measure, shown);
  }
  std::vector<std::string> result;
  for (const std::string_view text : texts) result.push_back(shown[text]);
  return result;
}

std::vector<std::string> cut_alike(const std::vector<std::string_view>& texts, float width,
                                   const MeasureText& measure) {
  ShownTexts with_end, without;
  cut_apart(texts, width, CutAt::middle, measure, with_end);
  if (distinct_of(with_end) < texts.size()) {
    cut_apart(texts, width, CutAt::end, measure, without);
  }
  const ShownTexts& shown = distinct_of(without) > distinct_of(with_end) ? without : with_end;
  std::vector<std::string> result;
  for (const std::string_view text : texts) result.push_back(shown.at(text));
  return result;
}

std::vector<std::string> wrap_name(std::string_view name, float width, std::size_t most_lines,
                                   const MeasureText& measure) {
  std::vector<std::string> lines;
  while (!name.empty()) {
    const std::size_t length = line_length(name, width, measure);
    lines.emplace_back(name.substr(0, length));
    name.remove_prefix(length);
  }
  if (lines.size() <= most_lines) return lines;
  const std::size_t kept = std::max<std::size_t>(most_lines, 3) - 1;
  const auto head = static_cast<std::ptrdiff_t>((kept + 1) / 2);
  const auto tail = static_cast<std::ptrdiff_t>(kept / 2);
  std::vector<std::string> shown(lines.begin(), lines.begin() + head);
  shown.emplace_back(kEllipsis);
  shown.insert(shown.end(), lines.end() - tail, lines.end());
  return shown;
}

std::vector<std::string> wrap_lines(std::string_view text, float width,
                                    const MeasureText& measure) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const auto parts = wrap_name(text.substr(begin, end - begin), width, SIZE_MAX, measure);
    lines.insert(lines.end(), parts.begin(), parts.end());
    begin = end + 1;
  }
  return lines;
}

std::vector<std::string> wrap_prose(std::string_view text, float width,
                                    const MeasureText& measure) {
  std::vector<std::string> lines{""};
  while (!text.empty()) {
    std::size_t end = text.find_first_of(" \n");
    if (text.substr(std::min(end, text.size())).starts_with(" %")) {
      end = text.find_first_of(" \n", end + 1);
    }
    const std::string_view word = text.substr(0, end);
    const std::string longer =
        lines.back().empty() ? std::string(word) : fmt::format("{} {}", lines.back(), word);
    if (measure(longer) <= width) {
      lines.back() = longer;
    } else {
      if (lines.back().empty()) lines.pop_back();
      const auto parts = wrap_name(word, width, SIZE_MAX, measure);
      lines.insert(lines.end(), parts.begin(), parts.end());
    }
    if (end == std::string_view::npos) break;
    if (text[end] == '\n') lines.emplace_back();
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<std::string> wrap_prose(std::string_view text, float width, std::size_t most_lines,
                                    const MeasureText& measure) {
  std::vector<std::string> lines = wrap_prose(text, width, measure);
  if (lines.size() <= most_lines) return lines;
  std::string rest = std::move(lines[most_lines - 1]);
  for (std::size_t i = most_lines; i < lines.size(); ++i) rest += ' ' + lines[i];
  lines.resize(most_lines);
  lines.back() = cut_text(rest, width, CutAt::end, measure);
  return lines;
}

std::vector<std::string> wrap_around_name(std::string_view sentence, std::string_view name,
                                          float width, std::size_t most_lines, float least_name,
                                          const MeasureText& measure) {
  std::vector<std::string> lines = wrap_prose(sentence, width, measure);
  const std::size_t place = name.empty() ? std::string_view::npos : sentence.find(name);
  if (lines.size() <= most_lines || place == std::string_view::npos) {
    return wrap_prose(sentence, width, most_lines, measure);
  }
  constexpr float kShorter = 0.9f;
  const std::string_view head = sentence.substr(0, place);
  const std::string_view tail = sentence.substr(place + name.size());
  std::string shorter(sentence);
  for (float room = std::min(measure(name), width) * kShorter; room >= least_name;
       room *= kShorter) {
    shorter = fmt::format("{}{}{}", head, cut_text(name, room, CutAt::middle, measure), tail);
    lines = wrap_prose(shorter, width, measure);
    if (lines.size() <= most_lines) return lines;
  }
  return wrap_prose(shorter, width, most_lines, measure);
}

std::vector<TextSpan> find_links(std::string_view text) {
  std::vector<TextSpan> spans;
  std::size_t plain_from = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    if (!rest.starts_with("http://") && !rest.starts_with("https://")) {
      ++i;
      continue;
    }
    std::size_t length = std::min(rest.find_first_of(" \t\n\"<>"), rest.size());
    while (length > 0 && std::string_view(".,;:)").find(rest[length - 1]) != std::string_view::npos)
      --length;
    if (i > plain_from) spans.push_back({std::string(text.substr(plain_from, i - plain_from)), ""});
    const std::string url(rest.substr(0, length));
    spans.push_back({url, url});
    i += length;
    plain_from = i;
  }
  if (plain_from < text.size()) spans.push_back({std::string(text.substr(plain_from)), ""});
  return spans;
}

}  // namespace dlview::ui
