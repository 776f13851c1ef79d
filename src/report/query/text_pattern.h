// TextPattern: whether a text contains what a reader typed, whatever the case. RE2 searches in time
// linear in the text, whatever the expression; std::regex would overflow the stack on a long stack
// trace.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace dlview::report {

class TextPattern {
 public:
  // "/conv\d/" is a regular expression, anything else a text to be found as it is. The Error says
  // where an expression is wrong.
  static base::Result<TextPattern> parse(std::string_view text);
  // Slashes have no meaning.
  static base::Result<TextPattern> literal(std::string_view text);

  // May run on any thread.
  bool is_in(std::string_view text) const;

 private:
  explicit TextPattern(std::shared_ptr<const re2::RE2> pattern) : pattern_(std::move(pattern)) {}

  std::shared_ptr<const re2::RE2> pattern_;
};

}  // namespace dlview::report
