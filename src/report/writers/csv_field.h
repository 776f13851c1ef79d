// A text as one field of CSV (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace dlview::report {

// At the end of `line`: the text in quotes, its own quotes doubled.
inline void append_quoted(std::string& line, std::string_view text) {
  line += '"';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

// The same, in quotes only where they are needed.
inline void append_csv_field(std::string& line, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += text;
  } else {
    append_quoted(line, text);
  }
}

}  // namespace dlview::report
