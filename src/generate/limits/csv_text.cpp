#include "generate/limits/csv_text.h"

#include <cmath>

#include <fmt/format.h>

namespace dlview::generate::limits {
namespace {

constexpr std::size_t kFlushBytes = 1 << 18;

struct Marks {
  std::string_view group, decimal;
};

Marks marks_of(CsvLocale locale) {
  switch (locale) {
    case CsvLocale::c:
      return {"", "."};
    case CsvLocale::en:
      return {",", "."};
    case CsvLocale::de:
      return {".", ","};
    case CsvLocale::fr:
      return {"\u202f", ","};
    case CsvLocale::ch:
      return {"'", "."};
  }
  return {};
}

// Of valid UTF-8 within the basic plane.
std::string utf16_of(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    unsigned unit = byte(i);
    std::size_t length = 1;
    if (unit >= 0xe0) {
      unit = (unit & 0x0f) << 12 | (byte(i + 1) & 0x3fu) << 6 | (byte(i + 2) & 0x3fu);
      length = 3;
    } else if (unit >= 0xc0) {
      unit = (unit & 0x1f) << 6 | (byte(i + 1) & 0x3fu);
      length = 2;
    }
    result += static_cast<char>(unit & 0xff);
    result += static_cast<char>(unit >> 8);
    i += length;
  }
  return result;
}

}  // namespace

CsvText::CsvText(std::ostream& out, const CsvQuirks& quirks)
    : out_(out), utf16_(quirks.utf16), line_end_(quirks.crlf ? "\r\n" : "\n") {
  if (quirks.utf16 || quirks.bom) text_ = "\ufeff";
}

CsvText& CsvText::cell(std::string_view text) {
  if (is_in_row_) text_ += ',';
  is_in_row_ = true;
  text_ += '"';
  for (const char c : text) {
    if (c == '"') text_ += '"';
    text_ += c;
  }
  text_ += '"';
  return *this;
}

CsvText& CsvText::empty_cell() {
  if (is_in_row_) text_ += ',';
  is_in_row_ = true;
  return *this;
}

void CsvText::end_row() {
  is_in_row_ = false;
  text_ += line_end_;
  if (text_.size() >= kFlushBytes) flush();
}

void CsvText::line(std::string_view text) {
  text_ += text;
  end_row();
}

void CsvText::flush() {
  const std::string encoded = utf16_ ? utf16_of(text_) : std::string();
  const std::string& written = utf16_ ? encoded : text_;
  out_.write(written.data(), static_cast<std::streamsize>(written.size()));
  text_.clear();
}

void CsvText::finish() {
  flush();
}

std::string number_text(double value, int decimals, bool keeps_zeros, CsvLocale locale) {
  const bool is_whole = value == std::floor(value) && !keeps_zeros;
  std::string digits = fmt::format("{:.{}f}", std::abs(value), is_whole ? 0 : decimals);
  const Marks marks = marks_of(locale);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  std::string result = value < 0 ? "-" : "";
  for (std::size_t i = 0; i < point; ++i) {
    if (i > 0 && (point - i) % 3 == 0) result += marks.group;
    result += digits[i];
  }
  if (point < digits.size()) {
    result += marks.decimal;
    result += digits.substr(point + 1);
  }
  return result;
}

}  // namespace dlview::generate::limits
