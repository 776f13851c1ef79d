#include "report/budget/toml_text.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/utf8.h"

namespace dlview::report::budget {
namespace {

class TomlScanner {
 public:
  std::optional<TomlProblem> scan(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      if (text[i] == '\n') {
        place_ = {place_.line + 1, 0};
        dots_ = 0;
        last_ = kLineStart;
        state_ = State::outside;
        continue;
      }
      if (byte < 0x80 || byte > 0xbf) ++place_.column;  // not within a code point
      if (state_ == State::comment) continue;
      if (state_ == State::outside) {
        if (auto problem = take_outside(text.substr(i))) return problem;
      } else if (state_ == State::basic && text[i] == '\\' && i + 1 < text.size() &&
                 text[i + 1] != '\n') {
        ++i;  // an escape
        ++place_.column;
      } else if (text[i] == (state_ == State::basic ? '"' : '\'')) {
        state_ = State::outside;
      }
    }
    return std::nullopt;
  }

 private:
  enum class State : uint8_t { outside, basic, literal, comment };
  static constexpr char kLineStart = '\n';

  TomlProblem problem(std::string title, std::string advice) const {
    return {std::move(title), std::move(advice), place_};
  }

  std::optional<TomlProblem> take_outside(std::string_view rest) {
    const char c = rest.front();
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ' || c == '\t' || c == '\r') return std::nullopt;
    if (byte > 0x7e || byte < 0x20) {
      return problem("Invalid character outside of a text", "Write the text in quotes");
    }
    if (rest.starts_with("\"\"\"") || rest.starts_with("\'\'\'")) {
      return problem("Text of several lines", "Write it on one line, in one quote");
    }
    constexpr int kMostDots = 8, kMostBrackets = 8;
    const bool begins = last_ == kLineStart || last_ == '=' || last_ == '[' || last_ == ',';
    const bool is_quote = c == '"' || c == '\'';
    const bool is_stray = ((is_quote || c == '[') && !begins) || (c == '=' && brackets_ > 0) ||
                          (c == '=' && has_value_line_ == place_.line);
    if (is_stray || c == '{' || c == '}') {
      return problem(fmt::format("Unexpected {}", c), "Correct the line");
    }
    if (c == '.' && ++dots_ > kMostDots) {
      return problem("Keys are nested too deeply", "Delete the dots");
    }
    if (c == '[' && ++brackets_ > kMostBrackets) {
      return problem("Lists are nested too deeply", "Delete the brackets");
    }
    if (c == ']') --brackets_;
    if (c == '=') has_value_line_ = place_.line;
    if (is_quote) state_ = c == '"' ? State::basic : State::literal;
    if (c == '#') state_ = State::comment;
    last_ = c;
    return std::nullopt;
  }

  State state_ = State::outside;
  Place place_{1, 0};
  char last_ = kLineStart;  // of this line, without blanks; a quote if a text ended
  int dots_ = 0, brackets_ = 0;
  int64_t has_value_line_ = 0;  // the line of the last =
};

std::optional<TomlProblem> find_invalid_utf8(std::string_view text) {
  for (Place place{1, 1}; !text.empty();) {
    const std::size_t length = base::utf8_length(text);
    if (length == 0) return TomlProblem{"Invalid UTF-8", "Save the file as UTF-8", place};
    const bool ends_line = text.front() == '\n';
    place = ends_line ? Place{place.line + 1, 1} : Place{place.line, place.column + 1};
    text.remove_prefix(length);
  }
  return std::nullopt;
}

}  // namespace

std::optional<TomlProblem> find_toml_problem(std::string_view text) {
  if (auto problem = find_invalid_utf8(text)) return problem;
  return TomlScanner().scan(text);
}

std::string_view trimmed_of(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

std::string_view line_of(std::string_view text, int64_t number) {
  for (int64_t line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return "";
    text.remove_prefix(end + 1);
  }
  return trimmed_of(text.substr(0, text.find_first_of("\r\n")));
}

std::optional<int64_t> line_of_single_table(std::string_view text) {
  const auto lines = 1 + std::ranges::count(text, '\n');
  for (int64_t line = 1; line <= lines; ++line, text.remove_prefix(text.find('\n') + 1)) {
    std::string_view written = line_of(text, 1);
    written = written.substr(0, written.find('#'));
    std::string compact;
    std::ranges::copy_if(written, std::back_inserter(compact),
                         [](char c) { return c != ' ' && c != '\t'; });
    if (compact == "[budget]") return line;
    if (line == lines) break;
  }
  return std::nullopt;
}

std::string advice_on_line(std::string_view line) {
  constexpr std::size_t kLongest = 60;
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || equals == 0) return "Correct the line";
  const std::size_t key_end = line.find_last_not_of(" \t", equals - 1);
  const std::size_t value = line.find_first_not_of(" \t", equals + 1);
  if (key_end == std::string_view::npos || value == std::string_view::npos) {
    return "Write a value after the equals sign";
  }
  const std::string_view text = line.substr(value);
  if (text.find_first_of("\"'[]{}#\\") != std::string_view::npos || text.size() > kLongest) {
    return "Correct the line";
  }
  return fmt::format("Quote the value: {} = \"{}\"", line.substr(0, key_end + 1),
                     base::with_valid_utf8(text));
}

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : base::with_valid_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace dlview::report::budget
