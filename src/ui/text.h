// Text that has to fit: cutting long names where they do not differ, and finding links in prose.
// Pure; widths come from the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dlview::ui {

using MeasureText = std::function<float(std::string_view)>;

// Where the ellipsis goes. Paths differ at their end, kernel names in their middle and at both
// ends; of a sentence the beginning says most.
enum class CutAt { front, middle, end };

// `text` itself when it fits into `width`, else the longest shortening with "…" that does (at least
// "…"). UTF-8 characters stay whole.
std::string cut_text(std::string_view text, float width, CutAt where, const MeasureText& measure);

// All texts cut like that, in their order. Different texts that would look the same are cut in the
// middle, else around the first place in which they differ, as far as the width allows.
std::vector<std::string> cut_texts(const std::vector<std::string_view>& texts, float width,
                                   CutAt where, const MeasureText& measure);

// Different texts that the same cut would make look the same, each from around the first place in
// which they differ to its end, as far as the width allows.
std::vector<std::string> cut_alike(const std::vector<std::string_view>& texts, float width,
                                   const MeasureText& measure);

// A name in lines that fit into `width`, broken behind "/", "::" and blanks, else anywhere; of
// more than `most_lines` the middle ones give way to one line of "…". At least three are kept.
std::vector<std::string> wrap_name(std::string_view name, float width, std::size_t most_lines,
                                   const MeasureText& measure);

// All lines of a text with newlines, each broken like a name.
std::vector<std::string> wrap_lines(std::string_view text, float width, const MeasureText& measure);

// Prose in lines that fit into `width`, broken at newlines and at spaces, but not before "%"; a
// word longer than a line is broken like a name.
std::vector<std::string> wrap_prose(std::string_view text, float width, const MeasureText& measure);

// The same in at most `most_lines` lines: the last one takes the rest, cut at its end.
std::vector<std::string> wrap_prose(std::string_view text, float width, std::size_t most_lines,
                                    const MeasureText& measure);

// A sentence in which a name is shortened in its middle until the sentence fits into `most_lines`
// lines: what is said of the name stays whole. At least `least_name` of the name is kept.
std::vector<std::string> wrap_around_name(std::string_view sentence, std::string_view name,
                                          float width, std::size_t most_lines, float least_name,
                                          const MeasureText& measure);

// A run of prose; `url` is set where it is a link.
struct TextSpan {
  std::string text, url;
  bool operator==(const TextSpan&) const = default;
};

// Splits at http:// and https:// addresses; a full stop or comma behind one is not part of it.
std::vector<TextSpan> find_links(std::string_view text);

}  // namespace dlview::ui
