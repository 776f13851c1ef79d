// Reads JSON from memory, as profilers write it. Texts may contain any bytes; "inf", "nan" and
// "N/A" may replace numbers; a comma may precede a closing bracket. Anything else that is not JSON
// is `bad`, and the caller continues elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "import/pytorch/key_chain.h"

namespace dlview::import::pytorch {

// `cut`: the memory ended first; with more of the file it becomes ok or bad.
enum class Scan : uint8_t { ok, bad, cut };

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

constexpr bool is_json_space(char letter) {
  return letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t';
}

struct JsonValue {
  enum class Kind : uint8_t { none, text, number, word, list, object };
  std::string_view raw;  // as in the file; a text without its quotes
  Kind kind = Kind::none;
  bool has_escapes = false;  // the text has backslashes

  bool is_text() const { return kind == Kind::text; }
};

// A position in memory that moves forward by whole tokens.
class JsonScanner {
 public:
  // Deeper nesting is `bad`.
  static constexpr int kDeepest = 512;

  JsonScanner(const char* begin, const char* end) : at_(begin), end_(end) {}
  explicit JsonScanner(std::string_view json)
      : JsonScanner(json.data(), json.data() + json.size()) {}

  const char* at() const { return at_; }
  const char* end() const { return end_; }
  void move_to(const char* at) { at_ = at; }

  // Moves past spaces; false at the end of the memory.
  bool skip_space();
  // Moves past a text, from its opening quote.
  Scan text(JsonValue& value);
  // Moves past any value, with everything inside.
  Scan value(JsonValue& value);
  // Moves past an object, from its opening brace. Calls read(key) for each of its values, which
  // moves past the value.
  template <typename Read>
  Scan fields(const Read& read);
  // The same, faster for keys that `keys` has. The object is an event, or its arguments: `begin`.
  // Calls read(key, field) with the number that field_of(key) gives.
  template <typename FieldOf, typename Read>
  Scan fields(KeyChain& keys, uint8_t begin, const FieldOf& field_of, const Read& read);
  // The same as the first with use(key, value).
  template <typename Use>
  Scan object(const Use& use);
  // The same for a list and use(value).
  template <typename Use>
  Scan list(const Use& use);

 private:
  Scan bare(JsonValue& value);
  Scan container(JsonValue& value);

  const char* at_;
  const char* end_;
};

// text == literal, without a call.
template <std::size_t kSize>
bool equals(std::string_view text, const char (&literal)[kSize]) {
  return text.size() == kSize - 1 && std::memcmp(text.data(), literal, kSize - 1) == 0;
}

// Decodes the escapes of JSON; others stay as they are.
std::string unescaped(std::string_view raw);

// Removes the spaces outside texts.
std::string without_spaces(std::string_view list);

// `text` times 10 to the power of `shift`, rounded half away from zero, never via a double. nullopt
// = not a number, or it does not fit.
std::optional<int64_t> scaled_decimal(std::string_view text, int shift);

inline bool JsonScanner::skip_space() {
  for (; at_ != end_; ++at_) {
    if (!is_json_space(*at_)) return true;
  }
  return false;
}

template <typename Read>
Scan JsonScanner::fields(const Read& read) {
  ++at_;
  for (;;) {
    if (!skip_space()) return Scan::cut;
    if (*at_ == '}') break;
    JsonValue key;
    if (const Scan scan = text(key); scan != Scan::ok) return scan;
    if (!skip_space()) return Scan::cut;
    if (*at_ != ':') return Scan::bad;
    ++at_;
    if (const Scan scan = read(key.raw); scan != Scan::ok) return scan;
    if (!skip_space()) return Scan::cut;
    if (*at_ == ',') {
      ++at_;
    } else if (*at_ != '}') {
      return Scan::bad;
    }
  }
  ++at_;
  return Scan::ok;
}

template <typename FieldOf, typename Read>
Scan JsonScanner::fields(KeyChain& keys, uint8_t begin, const FieldOf& field_of, const Read& read) {
  ++at_;
  uint8_t link = begin;
  for (bool is_first = true;; is_first = false) {
    const char* const at = at_;
    const uint8_t found = keys.find(link, at_, end_);
    if (found != KeyChain::kNone) {
      const KeyChain::Link& piece = keys[found];
      link = found;
      at_ += piece.size;
      if (piece.is_end) return Scan::ok;
      if (const Scan scan = read(piece.key(at), piece.field); scan != Scan::ok) return scan;
      continue;
    }
    if (!skip_space()) return Scan::cut;
    if (!is_first && *at_ == ',') {
      ++at_;
      if (!skip_space()) return Scan::cut;
    } else if (!is_first && *at_ != '}') {
      return Scan::bad;
    }
    const auto piece = [&] { return std::string_view(at, static_cast<std::size_t>(at_ - at)); };
    if (*at_ == '}') {
      ++at_;
      keys.add(link, piece(), {}, 0, true);
      return Scan::ok;
    }
    JsonValue key;
    if (const Scan scan = text(key); scan != Scan::ok) return scan;
    if (!skip_space()) return Scan::cut;
    if (*at_ != ':') return Scan::bad;
    ++at_;
    if (!skip_space()) return Scan::cut;
    const uint8_t field = field_of(key.raw);
    link = keys.add(link, piece(), key.raw, field, false);
    if (const Scan scan = read(key.raw, field); scan != Scan::ok) return scan;
  }
}

template <typename Use>
Scan JsonScanner::object(const Use& use) {
  return fields([&](std::string_view key) {
    JsonValue of_key;
    const Scan scan = value(of_key);
    if (scan == Scan::ok) use(key, of_key);
    return scan;
  });
}

template <typename Use>
Scan JsonScanner::list(const Use& use) {
  ++at_;
  for (;;) {
    if (!skip_space()) return Scan::cut;
    if (*at_ == ']') break;
    JsonValue element;
    if (const Scan scan = value(element); scan != Scan::ok) return scan;
    use(element);
    if (!skip_space()) return Scan::cut;
    if (*at_ == ',') {
      ++at_;
    } else if (*at_ != ']') {
      return Scan::bad;
    }
  }
  ++at_;
  return Scan::ok;
}

}  // namespace dlview::import::pytorch
