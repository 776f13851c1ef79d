#include "aggregate/limits/call_shapes.h"

#include <charconv>

namespace dlview::aggregate {
namespace {

// Reads nested lists of integers and texts.
class JsonText {
 public:
  explicit JsonText(std::string_view text) : text_(text) {}

  bool take(char wanted) {
    skip_blanks();
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool is_next(char wanted) {
    skip_blanks();
    return !text_.empty() && text_.front() == wanted;
  }
  bool is_at_end() {
    skip_blanks();
    return text_.empty();
  }
  std::optional<int64_t> number() {
    skip_blanks();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }
  std::optional<std::string> quoted() {
    if (!take('"')) return std::nullopt;
    std::string result;
    while (!text_.empty()) {
      const char c = text_.front();
      text_.remove_prefix(1);
      if (c == '"') return result;
      if (c == '\\' && !text_.empty()) {
        result += text_.front();
        text_.remove_prefix(1);
      } else {
        result += c;
      }
    }
    return std::nullopt;
  }
  // Calls item() for each item of a list; false if it fails, or there is no list.
  template <typename Item>
  bool list(const Item& item) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      if (!item()) return false;
    } while (take(','));
    return take(']');
  }

 private:
  void skip_blanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n' ||
                              text_.front() == '\t' || text_.front() == '\r')) {
      text_.remove_prefix(1);
    }
  }

  std::string_view text_;
};

bool read_dims(JsonText& json, Dims& dims) {
  return json.list([&] {
    const auto size = json.number();
    if (!size || *size < 0) return false;
    dims.push_back(*size);
    return true;
  });
}

}  // namespace

std::optional<std::vector<InputShape>> read_shapes(std::string_view text) {
  JsonText json(text);
  std::vector<InputShape> shapes;
  const bool is_read = json.list([&] {
    InputShape& shape = shapes.emplace_back();
    JsonText ahead = json;
    // A list of tensors begins with another bracket.
    if (ahead.take('[') && ahead.is_next('[')) {
      shape.is_list = true;
      return json.list([&] { return read_dims(json, shape.list.emplace_back()); });
    }
    return read_dims(json, shape.dims);
  });
  if (!is_read || !json.is_at_end()) return std::nullopt;
  return shapes;
}

std::vector<std::string> read_texts(std::string_view text) {
  JsonText json(text);
  std::vector<std::string> texts;
  const bool is_read = json.list([&] {
    auto item = json.quoted();
    if (item) texts.push_back(*std::move(item));
    return item.has_value();
  });
  return is_read ? texts : std::vector<std::string>();
}

std::optional<Dims> read_numbers(std::string_view text) {
  JsonText json(text);
  Dims numbers;
  const auto take_number = [&] {
    const auto number = json.number();
    if (number) numbers.push_back(*number);
    return number.has_value();
  };
  const bool is_read = json.is_next('[') ? json.list(take_number) : take_number();
  if (!is_read || !json.is_at_end()) return std::nullopt;
  return numbers;
}

std::optional<bool> read_flag(std::string_view text) {
  if (text == "True" || text == "true" || text == "1") return true;
  if (text == "False" || text == "false" || text == "0") return false;
  return std::nullopt;
}

Amount Amount::operator*(Amount other) const {
  Amount result(0);
  result.fits_ =
      fits_ && other.fits_ && !__builtin_mul_overflow(value_, other.value_, &result.value_);
  return result;
}

Amount Amount::operator+(Amount other) const {
  Amount result(0);
  result.fits_ =
      fits_ && other.fits_ && !__builtin_add_overflow(value_, other.value_, &result.value_);
  return result;
}

Amount elements_of(const Dims& dims) {
  Amount elements(1);
  for (const int64_t size : dims) elements = elements * Amount(size);
  return elements;
}

}  // namespace dlview::aggregate
