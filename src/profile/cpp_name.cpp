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
constexpr std::size_t kMostTypeWords = 4;  // "unsigned long long int"
constexpr string_view kUnnamed = "<unnamed>", kAnonymous = "(anonymous namespace)";

// The words of "unsigned long long" and "const float" make one type.
constexpr auto kTypeWords = std::to_array<string_view>(
    {"unsigned", "signed", "long", "short", "int", "char", "double", "const", "volatile"});

bool is_word_char(char c) {
  return string_view("<>,()[]{}*& ").find(c) == string_view::npos;
}

bool is_type_word(string_view word) {
  return std::ranges::find(kTypeWords, word) != kTypeWords.end();
}

// Whether a name and the next one are one type. Elsewhere the first is the return type of the next.
bool are_one_type(const CppName& name, const CppName& next) {
  if (name.parts.size() > 1 || !name.suffix.empty()) return false;
  const string_view word = name.last().text;
  if (word == "const" || word == "volatile") return true;
  return is_type_word(word) && next.parts.size() == 1 && is_type_word(next.last().text);
}

// "4096ul" -> "4096", "true" -> "1": numbers as nsys writes them.
string_view plain_number(string_view word) {
  if (word == "true") return "1";
  if (word == "false") return "0";
  const std::size_t digits = word.starts_with('-') ? 1 : 0;
  if (word.size() <= digits || word[digits] < '0' || word[digits] > '9') return word;
  return word.substr(0, word.find_last_not_of("uUlL") + 1);
}

// "(float *,int)" -> "(float*,int)"
std::string without_spaces(string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_needed =
        i > 0 && i + 1 < text.size() && is_word_char(text[i - 1]) && is_word_char(text[i + 1]);
    if (text[i] != ' ' || is_needed) result += text[i];
  }
  return result;
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
    if (at_ < text_.size() && !is_template_) name->parameters = read_parameters();
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
  bool take_word(string_view word) {
    const std::size_t end = at_ + word.size();
    const bool goes_on = end < text_.size() && is_word_char(text_[end]) && text_[end] != ':';
    return is_at(word) && !goes_on && take(word);
  }
  void skip_spaces() {
    while (take(" ")) continue;
  }
  // From an opening bracket, or from inside `depth` of them, behind the one that closes it.
  bool skip_brackets(int depth = 0) {
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
  // What qualifies a type behind its name, before the first "*": "float const*".
  struct Qualifiers {
    bool is_const = false, is_volatile = false;
    bool add(string_view word) {
      if (word == "const") is_const = true;
      if (word == "volatile") is_volatile = true;
      return word == "const" || word == "volatile";
    }
  };
  void read_suffix(CppName& name, Qualifiers& qualifiers);
  // Of the function, brackets included, the same from every demangler.
  std::string read_parameters();

  string_view text_;
  std::size_t at_ = 0;
  bool is_template_ = false;  // the function, by the last of its parts
};

std::optional<CppName> Reader::read_name(int depth) {
  if (depth > kDeepest) return std::nullopt;
  skip_spaces();
  std::optional<CppName> name = read_plain(depth);
  std::vector<std::string> words;  // of one type, before the last
  Qualifiers qualifiers;
  while (name) {
    read_suffix(*name, qualifiers);
    const std::size_t before = at_;
    skip_spaces();
    if (at_ == before || at_ == text_.size()) break;
    if (!is_word_char(text_[at_]) && !is_at(kUnnamed)) break;
    // What stands before was the return type, or the first words of a type.
    std::optional<CppName> next = read_plain(depth);
    if (!next || !are_one_type(*name, *next)) {
      words.clear();
      qualifiers = {};
    } else if (!qualifiers.add(name->last().text)) {
      if (words.size() + 1 == kMostTypeWords) return std::nullopt;
      words.push_back(std::move(name->parts.front().text));
    }
    name = std::move(next);
  }
  if (!name) return std::nullopt;
  std::string type;
  if (qualifiers.is_const) type += "const ";
  if (qualifiers.is_volatile) type += "volatile ";
  for (const std::string& word : words) type += word + " ";
  name->parts.front().text.insert(0, type);
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
      if (!take_word("const")) at_ = behind;
      if (is_at("::")) continue;
      if (depth == 0) {
        at_ = before;
      } else if (!name.parts.empty()) {  // a function type: "float(int)"
        name.suffix = without_spaces(text_.substr(before, behind - before));
      }
    }
  } while (take("::"));
  if (name.parts.empty()) return std::nullopt;
  return name;
}

std::optional<CppName::Part> Reader::read_part(int depth) {
  if (depth == 0) is_template_ = false;
  if (take(kUnnamed)) return CppName::Part{.text = std::string(kUnnamed), .arguments = {}};
  if (is_at("[") || is_at("{")) return read_lambda(depth);
  // A cast of a number: "(int)4"
  if (is_at("(") && !skip_brackets()) return std::nullopt;
  CppName::Part part{.text = std::string(plain_number(read_word())), .arguments = {}};
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
    if (depth == 0) is_template_ = true;
    part.arguments = std::move(*arguments);
    std::erase_if(part.arguments, is_storage);
  }
  return part;
}

// "[lambda(float) (instance 1)]", "{lambda(float)#1}"
std::optional<CppName::Part> Reader::read_lambda(int depth) {
  CppName::Part part{.text = "lambda", .arguments = {}, .number = 1};
  std::size_t begin = ++at_;
  if (take("lambda(")) {
    std::optional<std::vector<CppName>> types = read_list(")", depth + 1);
    if (!types) return std::nullopt;
    part.arguments = std::move(*types);
    begin = at_;
    if (!skip_brackets(1)) return std::nullopt;
  } else {
    if (!skip_brackets(1)) return std::nullopt;
    part.text = text_.substr(begin, at_ - 1 - begin);  // "{unnamed type#1}"
  }
  const string_view rest = text_.substr(begin, at_ - begin);
  const std::size_t digit = std::min(rest.find_first_of("0123456789"), rest.size());
  std::from_chars(rest.data() + digit, rest.data() + rest.size(), part.number);
  part.number = std::max(part.number, 1);
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

void Reader::read_suffix(CppName& name, Qualifiers& qualifiers) {
  while (true) {
    const std::size_t before = at_;
    skip_spaces();
    if (take("(*)")) continue;
    const string_view word = take_word("const") ? "const" : take_word("volatile") ? "volatile" : "";
    if (!word.empty() && name.suffix.empty()) {
      qualifiers.add(word);
    } else if (!word.empty()) {
      if (!name.suffix.ends_with(word)) name.suffix += word;
    } else if (at_ < text_.size() && (text_[at_] == '*' || text_[at_] == '&')) {
      name.suffix += text_[at_++];
    } else {
      at_ = before;
      return;
    }
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
  text += name.parameters;
}

std::string Reader::read_parameters() {
  const string_view all = text_.substr(at_);
  take("(");
  const std::optional<std::vector<CppName>> types = read_list(")", 1);
  if (!types) return without_spaces(all);  // "(float (&)[4])"
  std::string list;
  append(list, *types);
  return list == "void" ? "()" : "(" + list + ")";
}

std::string with_short_unnamed(string_view text) {
  std::string result;
  for (std::size_t at = text.find(kAnonymous); at != string_view::npos;
       at = text.find(kAnonymous)) {
    result.append(text.substr(0, at)).append(kUnnamed);
    text.remove_prefix(at + kAnonymous.size());
  }
  return result.append(text);
}

}  // namespace

std::optional<CppName> read_cpp_name(string_view demangled) {
  const bool is_cpp = demangled.find_first_of("(<") != string_view::npos ||
                      demangled.find("::") != string_view::npos;
  if (!is_cpp || demangled.size() > kLongestName) return std::nullopt;
  const std::string text = with_short_unnamed(demangled);
  return Reader(text).read();
}

std::string to_text(const CppName& name) {
  std::string text;
  append(text, name);
  return text;
}

}  // namespace dlview::profile
