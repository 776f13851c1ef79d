#include "import/pytorch/json_scanner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dlview::import::pytorch {
namespace {

constexpr std::string_view kWords[] = {"true", "false",     "null", "inf",  "nan",
                                       "NaN",  "Infinity",  "N/A",  "-inf", "-nan",
                                       "-NaN", "-Infinity", "None", "True", "False"};

bool is_digit(char letter) {
  return '0' <= letter && letter <= '9';
}

// Letters of numbers and words that stand without quotes.
constexpr std::array<bool, 256> kIsBare = [] {
  std::array<bool, 256> is_bare{};
  constexpr std::string_view kLetters =
      "0123456789+-./abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (const char letter : kLetters) is_bare[static_cast<unsigned char>(letter)] = true;
  return is_bare;
}();

// The first quote or backslash; `end` without one.
inline const char* find_quote_or_backslash(const char* at, const char* end) {
#if defined(__SSE2__)
  const __m128i quotes = _mm_set1_epi8('"'), backslashes = _mm_set1_epi8('\\');
  for (; end - at >= 16; at += 16) {
    const __m128i letters = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto found = static_cast<unsigned>(_mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(letters, quotes), _mm_cmpeq_epi8(letters, backslashes))));
    if (found != 0) return at + std::countr_zero(found);
  }
#endif
  while (at != end && *at != '"' && *at != '\\') ++at;
  return at;
}

// The end of a number or word, or `end`.
inline const char* find_bare_end(const char* at, const char* end) {
#if defined(__SSE2__)
  // Numbers have letters between '-' and '9'.
  if (end - at >= 16) {
    const __m128i from_minus =
        _mm_sub_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)), _mm_set1_epi8('-'));
    const __m128i is_number =
        _mm_cmpeq_epi8(_mm_min_epu8(from_minus, _mm_set1_epi8('9' - '-')), from_minus);
    at += std::countr_one(static_cast<uint16_t>(_mm_movemask_epi8(is_number)));
  }
#endif
  while (at != end && kIsBare[static_cast<unsigned char>(*at)]) ++at;
  return at;
}

// The value of eight digits; nullopt if one of the letters is none.
inline std::optional<uint32_t> eight_digits(const char* at) {
  uint64_t letters = 0;
  std::memcpy(&letters, at, sizeof(letters));
  if constexpr (std::endian::native != std::endian::little) return std::nullopt;
  constexpr uint64_t kUpperHalves = 0xf0f0f0f0f0f0f0f0U, kZeros = 0x3030303030303030U;
  constexpr uint64_t kSixes = 0x0606060606060606U;
  if ((letters & kUpperHalves) != kZeros || ((letters + kSixes) & kUpperHalves) != kZeros) {
    return std::nullopt;
  }
  // Pairs of digits, then of numbers below 100, then of those below 10,000.
  letters -= kZeros;
  letters = letters * 10 + (letters >> 8U);
  constexpr uint64_t kEvery32 = 0x000000ff000000ffU;
  return static_cast<uint32_t>(((letters & kEvery32) * (100 + (uint64_t{1'000'000} << 32U)) +
                                (letters >> 16U & kEvery32) * (1 + (uint64_t{10'000} << 32U))) >>
                               32U);
}

std::optional<uint32_t> hex_digits(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  uint32_t value = 0;
  for (const char letter : text.substr(0, 4)) {
    const char lower = static_cast<char>(letter | 0x20);
    if (is_digit(letter)) {
      value = 16 * value + static_cast<uint32_t>(letter - '0');
    } else if ('a' <= lower && lower <= 'f') {
      value = 16 * value + static_cast<uint32_t>(lower - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

void append_utf8(std::string& text, uint32_t point) {
  const auto add = [&text](uint32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) return add(point);
  if (point < 0x800) {
    add(0xc0U | point >> 6U);
  } else {
    if (point < 0x10000) {
      add(0xe0U | point >> 12U);
    } else {
      add(0xf0U | point >> 18U);
      add(0x80U | (point >> 12U & 0x3fU));
    }
    add(0x80U | (point >> 6U & 0x3fU));
  }
  add(0x80U | (point & 0x3fU));
}

// Appends the code point of the \u escape that `rest` begins with, and returns its bytes; 0 where
// it is none. Two of them may make one code point.
std::size_t append_code_point(std::string& text, std::string_view rest) {
  const std::optional<uint32_t> first = hex_digits(rest.substr(2));
  if (!first) return 0;
  if (*first < 0xd800 || 0xdfff < *first) {
    append_utf8(text, *first);
    return 6;
  }
  if (*first >= 0xdc00 || rest.substr(6, 2) != "\\u") return 0;
  const std::optional<uint32_t> second = hex_digits(rest.substr(8));
  if (!second || *second < 0xdc00 || 0xdfff < *second) return 0;
  append_utf8(text, 0x10000 + ((*first - 0xd800) << 10U) + (*second - 0xdc00));
  return 12;
}

// What almost all numbers are: few digits, of which no more than `shift` follow the point.
std::optional<int64_t> scaled_short_decimal(std::string_view text, int shift) {
  constexpr std::size_t kMostDigits = 19;
  if (text.empty() || text.size() > kMostDigits + 2) return std::nullopt;
  const bool is_negative = text[0] == '-';
  if (is_negative) text.remove_prefix(1);
  uint64_t result = 0;  // may wrap, but is not used then
  std::size_t at = 0;
  const auto add_digits = [&] {
    while (at + 8 <= text.size()) {
      const std::optional<uint32_t> digits = eight_digits(text.data() + at);
      if (!digits) break;
      result = 100'000'000 * result + *digits;
      at += 8;
    }
    for (; at < text.size() && is_digit(text[at]); ++at) {
      result = 10 * result + static_cast<uint64_t>(text[at] - '0');
    }
  };
  add_digits();
  std::size_t digits = at;
  auto zeros = static_cast<std::size_t>(shift);
  if (at < text.size() && text[at] == '.') {
    ++at;
    add_digits();
    const std::size_t fraction = at - digits - 1;
    if (fraction > zeros) return std::nullopt;
    digits += fraction;
    zeros -= fraction;
  }
  if (at != text.size() || digits == 0 || digits + zeros > kMostDigits) return std::nullopt;
  for (; zeros > 0; --zeros) result *= 10;
  if (result > uint64_t{std::numeric_limits<int64_t>::max()}) return std::nullopt;
  return is_negative ? -static_cast<int64_t>(result) : static_cast<int64_t>(result);
}

}  // namespace

Scan JsonScanner::text(JsonValue& value) {
  if (at_ == end_) return Scan::cut;
  if (*at_ != '"') return Scan::bad;
  const char* const begin = at_ + 1;
  value.kind = JsonValue::Kind::text;
  value.has_escapes = false;
  const char* quote = find_quote_or_backslash(begin, end_);
  while (quote != end_ && *quote == '\\') {
    value.has_escapes = true;
    if (end_ - quote < 2) return Scan::cut;
    quote = find_quote_or_backslash(quote + 2, end_);
  }
  if (quote == end_) return Scan::cut;
  value.raw = {begin, static_cast<std::size_t>(quote - begin)};
  at_ = quote + 1;
  return Scan::ok;
}

Scan JsonScanner::value(JsonValue& value) {
  if (!skip_space()) return Scan::cut;
  if (*at_ == '"') return text(value);
  if (*at_ == '{' || *at_ == '[') return container(value);
  return bare(value);
}

Scan JsonScanner::bare(JsonValue& value) {
  const char* const begin = at_;
  at_ = find_bare_end(at_, end_);
  if (at_ == end_) return Scan::cut;
  value.raw = {begin, static_cast<std::size_t>(at_ - begin)};
  value.has_escapes = false;
  if (value.raw.empty()) return Scan::bad;
  const bool is_negative = value.raw[0] == '-';
  if (value.raw.size() > std::size_t{is_negative} && is_digit(value.raw[is_negative])) {
    value.kind = JsonValue::Kind::number;
    return Scan::ok;
  }
  value.kind = JsonValue::Kind::word;
  return std::ranges::find(kWords, value.raw) == std::end(kWords) ? Scan::bad : Scan::ok;
}

Scan JsonScanner::container(JsonValue& value) {
  const char* const begin = at_;
  value.kind = *at_ == '{' ? JsonValue::Kind::object : JsonValue::Kind::list;
  value.has_escapes = false;
  std::array<char, kDeepest> closers;  // NOLINT: written before it is read
  int depth = 0;
  closers[0] = *at_ == '{' ? '}' : ']';
  ++at_;
  JsonValue inner;
  for (;;) {
    if (!skip_space()) return Scan::cut;
    if (*at_ != closers[depth]) {
      if (closers[depth] == '}') {
        if (const Scan scan = text(inner); scan != Scan::ok) return scan;
        if (!skip_space()) return Scan::cut;
        if (*at_ != ':') return Scan::bad;
        ++at_;
        if (!skip_space()) return Scan::cut;
      }
      if (*at_ == '{' || *at_ == '[') {
        if (++depth == kDeepest) return Scan::bad;
        closers[depth] = *at_ == '{' ? '}' : ']';
        ++at_;
        continue;
      }
      if (const Scan scan = *at_ == '"' ? text(inner) : bare(inner); scan != Scan::ok) return scan;
      if (!skip_space()) return Scan::cut;
    }
    // After a value: what holds it goes on, or ends.
    while (*at_ == closers[depth]) {
      ++at_;
      if (depth-- == 0) {
        value.raw = {begin, static_cast<std::size_t>(at_ - begin)};
        return Scan::ok;
      }
      if (!skip_space()) return Scan::cut;
    }
    if (*at_ != ',') return Scan::bad;
    ++at_;
  }
}

std::string unescaped(std::string_view raw) {
  std::string text;
  text.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size();) {
    if (raw[at] != '\\' || at + 1 == raw.size()) {
      text += raw[at++];
      continue;
    }
    constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (const std::size_t escape = kEscapes.find(raw[at + 1]); escape != std::string_view::npos) {
      text += kMeanings[escape];
      at += 2;
      continue;
    }
    const std::size_t bytes = raw[at + 1] == 'u' ? append_code_point(text, raw.substr(at)) : 0;
    if (bytes == 0) text += raw[at];
    at += std::max<std::size_t>(bytes, 1);
  }
  return text;
}

std::string without_spaces(std::string_view list) {
  std::string text;
  text.reserve(list.size());
  bool is_in_text = false;
  for (std::size_t at = 0; at < list.size(); ++at) {
    const char letter = list[at];
    if (letter == '"') is_in_text = !is_in_text;
    if (is_in_text && letter == '\\' && at + 1 < list.size()) {
      text += letter;
      text += list[++at];
    } else if (is_in_text || !is_json_space(letter)) {
      text += letter;
    }
  }
  return text;
}

std::optional<int64_t> scaled_decimal(std::string_view text, int shift) {
  if (const std::optional<int64_t> usual = scaled_short_decimal(text, shift)) return usual;
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  int64_t point = -1, exponent = 0;  // digits in front of the point
  std::size_t digits = 0, length = 0;
  for (; length < text.size(); ++length) {
    if (text[length] == '.') {
      if (point >= 0) return std::nullopt;
      point = static_cast<int64_t>(digits);
    } else if (is_digit(text[length])) {
      ++digits;
    } else {
      break;
    }
  }
  if (digits == 0) return std::nullopt;
  if (point < 0) point = static_cast<int64_t>(digits);
  if (length < text.size()) {
    if (text[length] != 'e' && text[length] != 'E') return std::nullopt;
    std::string_view power = text.substr(length + 1);
    const bool is_small = power.starts_with('-');
    if (is_small || power.starts_with('+')) power.remove_prefix(1);
    if (power.empty()) return std::nullopt;
    for (const char letter : power) {
      if (!is_digit(letter)) return std::nullopt;
      exponent = std::min<int64_t>(1'000'000'000, 10 * exponent + (letter - '0'));
    }
    if (is_small) exponent = -exponent;
  }
  const int64_t wanted = point + exponent + shift;  // so many digits make the result
  constexpr uint64_t kLargest = std::numeric_limits<int64_t>::max();
  uint64_t result = 0;
  int64_t done = 0;
  bool rounds_up = false;
  for (const char letter : text.substr(0, length)) {
    if (letter == '.') continue;
    if (done >= wanted) {
      rounds_up = done == wanted && letter >= '5';
      break;
    }
    const auto digit = static_cast<uint64_t>(letter - '0');
    if (result > (kLargest - digit) / 10) return std::nullopt;
    result = 10 * result + digit;
    ++done;
  }
  for (; done < wanted && result != 0; ++done) {
    if (result > kLargest / 10) return std::nullopt;
    result *= 10;
  }
  if (rounds_up && result == kLargest) return std::nullopt;
  result += rounds_up ? 1 : 0;
  return is_negative ? -static_cast<int64_t>(result) : static_cast<int64_t>(result);
}

}  // namespace dlview::import::pytorch
