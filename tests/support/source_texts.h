// The texts of C++ sources: string literals, and comments.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dlview::testing {

struct SourceText {
  std::size_t line = 0;  // of its first character, from 1
  std::string text;      // escapes as written: "\\n"
};

struct SourceTexts {
  // Adjacent literals are one text. Characters and #include paths are none.
  std::vector<SourceText> literals;
  // A block of lines that begin with // is one text, its lines joined by spaces.
  std::vector<SourceText> comments;
};

SourceTexts texts_of_source(std::string_view source);

}  // namespace dlview::testing
