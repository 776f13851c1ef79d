// A slow and obvious reader of JSON, which the trace reader must agree with. Throws where a text is
// not JSON.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dlview::testing {

struct SimpleJson {
  struct Field;
  enum class Kind { null, word, number, text, list, object };
  Kind kind = Kind::null;
  std::string text;  // of a text without escapes; of a number as it stands there
  std::vector<SimpleJson> elements;
  std::vector<Field> fields;

  // The value of a key; null without one.
  const SimpleJson& operator[](const std::string& key) const;
  // Without spaces.
  std::string dense() const;
};

struct SimpleJson::Field {
  std::string name;
  SimpleJson value;
};

inline const SimpleJson& SimpleJson::operator[](const std::string& key) const {
  static const SimpleJson none;
  for (const auto& [name, value] : fields) {
    if (name == key) return value;
  }
  return none;
}

inline std::string SimpleJson::dense() const {
  std::string all;
  if (kind == Kind::text) return '"' + text + '"';
  if (kind == Kind::null) return "null";
  if (kind != Kind::list && kind != Kind::object) return text;
  for (const SimpleJson& element : elements) all += (all.empty() ? "" : ",") + element.dense();
  for (const auto& [name, value] : fields) {
    all += (all.empty() ? "\"" : ",\"") + name + "\":" + value.dense();
  }
  return kind == Kind::list ? '[' + all + ']' : '{' + all + '}';
}

class SimpleJsonParser {
 public:
  explicit SimpleJsonParser(std::string json) : json_(std::move(json)) {}
  // Gives the elements of the list `streamed` to `use`, and keeps none of them.
  using Use = std::function<void(const SimpleJson&)>;
  SimpleJson parse(const std::string& streamed = {}, const Use& use = {}) {
    streamed_ = streamed;
    use_ = use;
    SimpleJson value = read();
    space();
    if (at_ != json_.size()) fail();
    return value;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::runtime_error("no JSON at " + std::to_string(at_) + ": " + json_.substr(at_, 50));
  }
  char peek() const {
    if (at_ == json_.size()) fail();
    return json_[at_];
  }
  void space() {
    while (at_ < json_.size() &&
           (json_[at_] == ' ' || json_[at_] == '\n' || json_[at_] == '\r' || json_[at_] == '\t')) {
      ++at_;
    }
  }
  bool take(char letter) {
    space();
    if (peek() != letter) return false;
    ++at_;
    return true;
  }
  SimpleJson read() {
    SimpleJson value;
    space();
    if (peek() == '"') {
      value.kind = SimpleJson::Kind::text;
      value.text = read_text();
    } else if (take('[')) {
      value.kind = SimpleJson::Kind::list;
      while (!take(']')) {
        if (!value.elements.empty() && !take(',')) fail();
        value.elements.push_back(read());
      }
    } else if (take('{')) {
      value.kind = SimpleJson::Kind::object;
      while (!take('}')) {
        if (!value.fields.empty() && !take(',')) fail();
        space();
        std::string key = read_text();
        if (!take(':')) fail();
        if (!streamed_.empty() && key == streamed_) {
          read_stream();
          value.fields.push_back({std::move(key), SimpleJson()});
          continue;
        }
        SimpleJson field = read();
        value.fields.push_back({std::move(key), std::move(field)});
      }
    } else {
      while (std::string("+-.0123456789abcdefghijklmnopqrstuvwxyzE").find(peek()) !=
             std::string::npos) {
        value.text += json_[at_++];
      }
      if (value.text.empty()) fail();
      value.kind = value.text == "null"                            ? SimpleJson::Kind::null
                   : value.text == "true" || value.text == "false" ? SimpleJson::Kind::word
                                                                   : SimpleJson::Kind::number;
    }
    return value;
  }
  void read_stream() {
    if (!take('[')) fail();
    for (bool is_first = true; !take(']'); is_first = false) {
      if (!is_first && !take(',')) fail();
      use_(read());
    }
  }
  std::string read_text() {
    if (peek() != '"') fail();
    std::string text;
    for (++at_; peek() != '"'; ++at_) {
      if (peek() == '\\') {
        ++at_;
        if (peek() == 'u') {
          text += read_code_point();
          continue;
        }
        const std::string from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
        if (from.find(peek()) == std::string::npos) fail();
        text += to[from.find(peek())];
      } else {
        text += peek();
      }
    }
    ++at_;
    return text;
  }

  // Of four digits; code points beyond them are not in the files at hand.
  std::string read_code_point() {
    const int point = std::stoi(json_.substr(at_ + 1, 4), nullptr, 16);
    at_ += 4;
    if (point < 0x80) return {static_cast<char>(point)};
    if (point < 0x800) {
      return {static_cast<char>(0xc0 | point >> 6), static_cast<char>(0x80 | (point & 0x3f))};
    }
    return {static_cast<char>(0xe0 | point >> 12), static_cast<char>(0x80 | (point >> 6 & 0x3f)),
            static_cast<char>(0x80 | (point & 0x3f))};
  }

  std::string json_, streamed_;
  Use use_;
  std::size_t at_ = 0;
};

}  // namespace dlview::testing
