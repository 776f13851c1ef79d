// Reads CSV (RFC 4180) record by record: quoted cells may hold commas, doubled quotes and newlines;
// a record ends with "\n" or "\r\n".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlview::verify {

class CsvReader {
 public:
  // The text must outlive the reader.
  explicit CsvReader(std::string_view text) : rest_(text) {}

  // Fills `cells` with the next record; false at the end. An empty line is a record with one empty
  // cell. A quote that is never closed ends with the text.
  bool next(std::vector<std::string>& cells);

 private:
  std::string cell();
  void append_quoted(std::string& text);

  std::string_view rest_;
};

}  // namespace dlview::verify
