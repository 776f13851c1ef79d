// The text of a budget file, as far as toml++ need not read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dlview::report::budget {

// Line and column of a byte of a text file, both from 1.
struct Place {
  int64_t line = 0, column = 0;
  bool operator==(const Place&) const = default;
};

struct TomlProblem {
  std::string title, advice;
  Place place;
};
// Finds bytes that are not UTF-8 and what toml++ 3.3 must not see; nullopt = nothing. It has
// undefined behavior for characters beyond ASCII where it looks for whitespace: outside of texts,
// in texts that directly follow a value, and at the beginning of lines within a text. Tables in
// tables may be as deep as a thread's stack is not. What is left is TOML without inline tables,
// texts of several lines and quoted keys after a dot, which no budget file needs.
std::optional<TomlProblem> find_toml_problem(std::string_view text);

// Without blanks and tabs around it.
std::string_view trimmed_of(std::string_view text);
// The line of a text with this number, from 1, without blanks around it.
std::string_view line_of(std::string_view text, int64_t number);
// The line of a [budget] in one bracket; nothing if there is none. Needs a text without a problem:
// its texts have one line each, so that none can contain it.
std::optional<int64_t> line_of_single_table(std::string_view text);
// How to correct a line that is no TOML: most often it has a text without quotes.
std::string advice_on_line(std::string_view line);

// In double quotes.
std::string toml_string(std::string_view text);

}  // namespace dlview::report::budget
