#include "report/query/text_pattern.h"

#include <re2/re2.h>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace dlview::report {
namespace {

re2::RE2::Options options(bool literal) {
  re2::RE2::Options options;
  options.set_case_sensitive(false);
  options.set_literal(literal);
  options.set_never_capture(true);
  options.set_log_errors(false);
  return options;
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

// RE2 says "missing ): (ab" and that "(ab" is at fault.
base::Error bad_expression(std::string_view text, const re2::RE2& pattern) {
  std::string fault = pattern.error();
  const std::string& place = pattern.error_arg();
  const std::string suffix = ": " + place;
  if (fault.ends_with(suffix)) fault.resize(fault.size() - suffix.size());
  const std::size_t position = pattern.pattern().find(place);
  return {"Invalid regular expression",
          fmt::format("/{}/: {}, at character {}: {}", text, fault,
                      position == std::string::npos ? 1 : position + 1, place),
          "Correct it, or omit the slashes to search for the text itself"};
}

}  // namespace

base::Result<TextPattern> TextPattern::parse(std::string_view text) {
  if (text.size() < 3 || !text.starts_with('/') || !text.ends_with('/')) return literal(text);
  const std::string_view expression = text.substr(1, text.size() - 2);
  auto pattern = std::make_shared<const re2::RE2>(piece(expression), options(false));
  if (!pattern->ok()) return bad_expression(expression, *pattern);
  return TextPattern(std::move(pattern));
}

base::Result<TextPattern> TextPattern::literal(std::string_view text) {
  auto pattern = std::make_shared<const re2::RE2>(piece(text), options(true));
  if (pattern->ok()) return TextPattern(std::move(pattern));
  return base::Error{"Invalid search text", pattern->error(), "Type it again as UTF-8"};
}

bool TextPattern::is_in(std::string_view text) const {
  return re2::RE2::PartialMatch(piece(text), *pattern_);
}

}  // namespace dlview::report
