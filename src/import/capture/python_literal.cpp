#include "import/capture/python_literal.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <system_error>

namespace dlview::import::capture {
namespace {

constexpr int kDeepest = 32;

constexpr uint32_t kReplacement = 0xfffd;  // for what is no character

bool is_high_surrogate(uint32_t code) {
  return code >= 0xd800 && code < 0xdc00;
}
bool is_low_surrogate(uint32_t code) {
  return code >= 0xdc00 && code < 0xe000;
}

void append_utf8(std::string& text, uint32_t code) {
  if (is_high_surrogate(code) || is_low_surrogate(code) || code > 0x10ffff) code = kReplacement;
  const auto add = [&text](uint32_t byte) { text += static_cast<char>(byte); };
  const auto follow = [&](int shift) { add(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    add(0xe0 | code >> 12);
    follow(6);
  } else {
    add(0xf0 | code >> 18);
    follow(12);
    follow(6);
  }
  follow(0);
}

class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : rest_(text) {}

  std::optional<Literal> read_all() {
    std::optional<Literal> literal = read(0);
    skip_spaces();
    return rest_.empty() ? std::move(literal) : std::nullopt;
  }

 private:
  std::optional<Literal> read(int depth);
  std::optional<Literal> read_list(char end, int depth);
  std::optional<Literal> read_dict(int depth);
  std::optional<Literal> read_number();
  std::optional<std::string> read_string();
  bool read_escape(std::string& text);
  std::optional<uint32_t> read_code(std::size_t digits);
  // JSON writes a character beyond 16 bits as two surrogates: the second one, if it comes next.
  std::optional<uint32_t> read_low_surrogate();

  void skip_spaces() {
    const std::size_t at = rest_.find_first_not_of(" \t\n\r");
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at);
  }
  // Takes `token` if it comes next.
  bool take(std::string_view token) {
    skip_spaces();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  std::string_view rest_;
};

std::optional<Literal> LiteralReader::read(int depth) {
  if (depth > kDeepest) return std::nullopt;
  if (take("{")) return read_dict(depth + 1);
  if (take("[")) return read_list(']', depth + 1);
  if (take("(")) return read_list(')', depth + 1);
  if (take("None") || take("null")) return Literal{};
  if (take("True") || take("true")) return Literal{true};
  if (take("False") || take("false")) return Literal{false};
  if (rest_.starts_with('\'') || rest_.starts_with('"')) {
    std::optional<std::string> text = read_string();
    if (!text) return std::nullopt;
    return Literal{*std::move(text)};
  }
  return read_number();
}

std::optional<Literal> LiteralReader::read_list(char end, int depth) {
  const std::string_view close(&end, 1);
  Literal::List items;
  while (!take(close)) {
    if (!items.empty() && !take(",")) return std::nullopt;
    if (take(close)) break;
    std::optional<Literal> item = read(depth);
    if (!item) return std::nullopt;
    items.push_back(*std::move(item));
  }
  return Literal{std::move(items)};
}

std::optional<Literal> LiteralReader::read_dict(int depth) {
  Literal::Dict entries;
  while (!take("}")) {
    if (!entries.empty() && !take(",")) return std::nullopt;
    if (take("}")) break;
    std::optional<std::string> key = read_string();
    if (!key || !take(":")) return std::nullopt;
    std::optional<Literal> value = read(depth);
    if (!value) return std::nullopt;
    entries.push_back({*std::move(key), *std::move(value)});
  }
  return Literal{std::move(entries)};
}

std::optional<Literal> LiteralReader::read_number() {
  const char* end = rest_.data() + rest_.size();
  int64_t integer = 0;
  double real = 0;
  const auto as_integer = std::from_chars(rest_.data(), end, integer);
  const auto as_real = std::from_chars(rest_.data(), end, real);
  if (as_real.ec == std::errc::result_out_of_range) {  // too small is 0, too large is no JSON
    real = std::strtod(std::string(rest_.data(), as_real.ptr).c_str(), nullptr);
    if (!std::isfinite(real)) return std::nullopt;
  } else if (as_real.ec != std::errc{}) {
    return std::nullopt;
  }
  rest_.remove_prefix(static_cast<std::size_t>(as_real.ptr - rest_.data()));
  if (as_integer.ec == std::errc{} && as_integer.ptr == as_real.ptr) return Literal{integer};
  return Literal{real};
}

std::optional<std::string> LiteralReader::read_string() {
  if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return std::nullopt;
  const char quote = rest_.front();
  rest_.remove_prefix(1);
  std::string text;
  while (!rest_.empty()) {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == quote) return text;
    if (c != '\\') {
      text += c;
    } else if (!read_escape(text)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool LiteralReader::read_escape(std::string& text) {
  if (rest_.empty()) return false;
  const char c = rest_.front();
  rest_.remove_prefix(1);
  const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits == 0) {
    constexpr std::string_view kLetters = "abfnrtv", kControls = "\a\b\f\n\r\t\v";
    const std::size_t at = kLetters.find(c);
    text += at == std::string_view::npos ? c : kControls[at];
    return true;
  }
  std::optional<uint32_t> code = read_code(digits);
  if (!code) return false;
  if (is_high_surrogate(*code)) {
    if (const auto low = read_low_surrogate()) {
      code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
    }
  }
  append_utf8(text, *code);
  return true;
}

std::optional<uint32_t> LiteralReader::read_code(std::size_t digits) {
  if (rest_.size() < digits) return std::nullopt;
  uint32_t code = 0;
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + digits, code, 16);
  if (error != std::errc{} || end != rest_.data() + digits) return std::nullopt;
  rest_.remove_prefix(digits);
  return code;
}

std::optional<uint32_t> LiteralReader::read_low_surrogate() {
  if (!rest_.starts_with("\\u")) return std::nullopt;
  const std::string_view before = rest_;
  rest_.remove_prefix(2);
  const std::optional<uint32_t> code = read_code(4);
  if (code && is_low_surrogate(*code)) return code;
  rest_ = before;
  return std::nullopt;
}

}  // namespace

const Literal* Literal::find(std::string_view key) const {
  const Dict* dict = std::get_if<Dict>(&value);
  if (dict == nullptr) return nullptr;
  for (const auto& [name, entry] : *dict) {
    if (name == key) return &entry;
  }
  return nullptr;
}

std::optional<Literal> read_literal(std::string_view text) {
  return LiteralReader(text).read_all();
}

}  // namespace dlview::import::capture
