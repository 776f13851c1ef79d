#include "ui/text.h"

#include <algorithm>

#include <fmt/format.h>

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
    const std::size_t end = text.find_first_of(" \n");
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
