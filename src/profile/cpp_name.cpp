#include "profile/cpp_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

namespace dlview::profile {
namespace {

using std::string_view;

constexpr std::size_t kLongestName = std::size_t{64} << 10;  // bytes
constexpr int kDeepest = 200;
constexpr string_view kUnnamed = "<unnamed>", kAnonymous = "(anonymous namespace)";

// The words of "unsigned long long" and "const float" make one type.
constexpr auto kTypeWords = std::to_array<string_view>(
    {"unsigned", "signed", "long", "short", "int", "char", "double", "const", "volatile"});

bool is_word_char(char c) {
  return string_view("<>,()[]{}*& ").find(c) == string_view::npos;
}

// Whether two words are one type. Elsewhere the first is the return type of the second.
bool are_one_type(string_view before, const CppName& next) {
  const auto is_type_word = [](string_view word) {
    return std::ranges::find(kTypeWords, word) != kTypeWords.end();
  };
  before = before.substr(before.rfind(' ') + 1);
  if (before == "const" || before == "volatile") return true;
  return is_type_word(before) && next.parts.size() == 1 && is_type_word(next.last().text);
}

// "CUB_200600_500_NS", "__4", "<unnamed>"
bool is_silent(const CppName::Part& part) {
  const string_view text = part.text;
  if (!part.arguments.empty() || part.is_lambda()) return false;
  if (text == "operator()" || text == kUnnamed) return true;
  if (text.ends_with("_NS")) return true;
  return text.size() > 2 && text.starts_with("__") &&
         std::all_of(text.begin() + 2, text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Arrays of the pointers to operands follow from the functor.
bool is_storage(const CppName& name) {
  const CppName::Part& part = name.last();
  if (part.text == "allocator") return true;
  if ((part.text != "Array" && part.text != "array") || part.arguments.empty()) return false;
  const CppName& of = part.arguments.front();
  return of.last().text == "char" && of.suffix == "*";
}

class Reader {
 public:
  explicit Reader(string_view text) : text_(text) {}

  std::optional<CppName> read() {
    std::optional<CppName> name = read_name(0);
    if (!name || (at_ < text_.size() && text_[at_] != '(')) return std::nullopt;
    return name;
  }

 private:
  bool is_at(string_view token) const { return text_.substr(at_).starts_with(token); }
  bool take(string_view token) {
    if (!is_at(token)) return false;
    at_ += token.size();
    return true;
  }
  // "const", apart from "constant".
  bool take_const() {
    constexpr string_view kConst = "const";
    const std::size_t end = at_ + kConst.size();
    const bool is_word = end < text_.size() && is_word_char(text_[end]) && text_[end] != ':';
    return is_at(kConst) && !is_word && take(kConst);
  }
  void skip_spaces() {
    while (take(" ")) continue;
  }
  // From an opening bracket behind the one that closes it.
  bool skip_brackets() {
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && --depth == 0) {
        ++at_;
        return true;
      }
    }
    return false;
  }
  string_view read_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word_char(text_[at_]) && !is_at("::")) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::optional<CppName> read_name(int depth);
  // A name without a return type before it.
  std::optional<CppName> read_plain(int depth);
  std::optional<CppName::Part> read_part(int depth);
  std::optional<CppName::Part> read_lambda(int depth);
  // Behind the opening bracket up to the closing one, which is taken.
  std::optional<std::vector<CppName>> read_list(string_view close, int depth);
  void read_suffix(CppName& name);

  string_view text_;
  std::size_t at_ = 0;
};

std::optional<CppName> Reader::read_name(int depth) {
  if (depth > kDeepest) return std::nullopt;
  skip_spaces();
  std::optional<CppName> name = read_plain(depth);
  while (name) {
    read_suffix(*name);
    const std::size_t before = at_;
    skip_spaces();
    if (at_ == before || at_ == text_.size()) break;
    if (!is_word_char(text_[at_]) && !is_at(kUnnamed)) break;
    // What stands before was the return type, or the first words of a type.
    std::optional<CppName> next = read_plain(depth);
    if (next && name->parts.size() == 1 && are_one_type(name->last().text, *next)) {
      next->parts.front().text.insert(0, name->last().text + " ");
    }
    name = std::move(next);
  }
  return name;
}

std::optional<CppName> Reader::read_plain(int depth) {
  CppName name;
  do {
    std::optional<CppName::Part> part = read_part(depth);
    if (!part) return std::nullopt;
    if (!is_silent(*part)) name.parts.push_back(std::move(*part));
    // Of a function around a lambda; the list of the function itself ends the name.
    if (is_at("(")) {
      const std::size_t before = at_;
      if (!skip_brackets()) return std::nullopt;
      const std::size_t behind = at_;
      skip_spaces();
      if (!take_const()) at_ = behind;
      if (depth == 0 && !is_at("::")) at_ = before;
    }
  } while (take("::"));
  if (name.parts.empty()) return std::nullopt;
  return name;
}

std::optional<CppName::Part> Reader::read_part(int depth) {
  if (take(kUnnamed)) return CppName::Part{.text = std::string(kUnnamed), .arguments = {}};
  if (is_at("[") || is_at("{")) return read_lambda(depth);
  // A cast of a number: "(int)4"
  if (is_at("(") && !skip_brackets()) return std::nullopt;
  CppName::Part part{.text = std::string(read_word()), .arguments = {}};
  if (part.text.empty()) return std::nullopt;
  if (part.text == "operator") {
    skip_spaces();
    if (!take("()")) return std::nullopt;
    part.text += "()";
  }
  if (is_at("<") && !is_at(kUnnamed)) {
    take("<");
    std::optional<std::vector<CppName>> arguments = read_list(">", depth + 1);
    if (!arguments) return std::nullopt;
    part.arguments = std::move(*arguments);
    std::erase_if(part.arguments, is_storage);
  }
  return part;
}

// "[lambda(float) (instance 1)]", "{lambda(float)#1}"
std::optional<CppName::Part> Reader::read_lambda(int depth) {
  const std::size_t begin = at_;
  if (!skip_brackets()) return std::nullopt;
  const std::size_t end = at_;
  at_ = begin + 1;
  CppName::Part part{.text = "lambda", .arguments = {}, .number = 1};
  if (take("lambda(")) {
    std::optional<std::vector<CppName>> types = read_list(")", depth + 1);
    if (!types || at_ > end) return std::nullopt;
    part.arguments = std::move(*types);
  } else {
    part.text = text_.substr(begin + 1, end - begin - 2);  // "{unnamed type#1}"
  }
  const std::size_t digit = std::min(text_.find_first_of("0123456789", at_), end);
  std::from_chars(text_.data() + digit, text_.data() + end, part.number);
  part.number = std::max(part.number, 1);
  at_ = end;
  return part;
}

std::optional<std::vector<CppName>> Reader::read_list(string_view close, int depth) {
  std::vector<CppName> list;
  skip_spaces();
  if (take(close)) return list;
  while (true) {
    std::optional<CppName> name = read_name(depth);
    if (!name) return std::nullopt;
    list.push_back(std::move(*name));
    skip_spaces();
    if (take(close)) return list;
    if (!take(",")) return std::nullopt;
  }
}

void Reader::read_suffix(CppName& name) {
  while (true) {
    const std::size_t before = at_;
    skip_spaces();
    if (take_const() || take("(*)")) continue;
    if (at_ < text_.size() && (text_[at_] == '*' || text_[at_] == '&')) {
      name.suffix += text_[at_++];
      continue;
    }
    at_ = before;
    return;
  }
}

void append(std::string& text, const CppName& name);

void append(std::string& text, const std::vector<CppName>& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) text += ", ";
    append(text, list[i]);
  }
}

void append(std::string& text, const CppName& name) {
  for (std::size_t i = 0; i < name.parts.size(); ++i) {
    const CppName::Part& part = name.parts[i];
    if (i > 0) text += "::";
    text += part.text;
    if (part.is_lambda()) {
      text += '(';
      append(text, part.arguments);
      text += ")#" + std::to_string(part.number);
    } else if (!part.arguments.empty()) {
      text += '<';
      append(text, part.arguments);
      text += '>';
    }
  }
  text += name.suffix;
}

}  // namespace

std::optional<CppName> read_cpp_name(string_view demangled) {
  const bool is_cpp = demangled.find_first_of("(<") != string_view::npos ||
                      demangled.find("::") != string_view::npos;
  if (!is_cpp || demangled.size() > kLongestName) return std::nullopt;
  std::string text(demangled);
  for (std::size_t at = text.find(kAnonymous); at != std::string::npos;
       at = text.find(kAnonymous)) {
    text.replace(at, kAnonymous.size(), kUnnamed);
  }
  return Reader(text).read();
}

std::string to_text(const CppName& name) {
  std::string text;
  append(text, name);
  return text;
}

}  // namespace dlview::profile
