// Literals of Python and JSON in NVTX texts: a literal that is written out reads as itself, JSON
// reads as nlohmann's parser has it, and markers of DLProf hold JSON.
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "import/capture/marker.h"
#include "import/capture/python_literal.h"

namespace dlview::fuzz {
namespace {

using import::capture::Literal;
using import::capture::LiteralEntry;
using Json = nlohmann::json;

std::string in_quotes(std::string_view text) {
  std::string literal = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') literal += '\\';
    literal += byte < 0x20 ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return literal + '\'';
}

struct Printer {
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool flag) const { return flag ? "True" : "False"; }
  std::string operator()(int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const { return fmt::format("{:#}", number); }
  std::string operator()(const std::string& text) const { return in_quotes(text); }
  std::string operator()(const Literal::List& list) const {
    std::string text = "(";
    for (const Literal& item : list) text += std::visit(*this, item.value) + ", ";
    return text + ')';
  }
  std::string operator()(const Literal::Dict& dict) const {
    std::string text = "{";
    for (const LiteralEntry& entry : dict) {
      text += fmt::format("{} : {},\n", in_quotes(entry.key), std::visit(*this, entry.value.value));
    }
    return text + '}';
  }
};

std::string print(const Literal& literal) {
  return std::visit(Printer(), literal.value);
}

bool are_same(const Literal& literal, const Json& json);

struct Same {
  const Json& json;
  bool operator()(std::monostate) const { return json.is_null(); }
  bool operator()(bool flag) const { return json.is_boolean() && json.get<bool>() == flag; }
  bool operator()(int64_t number) const {
    return json.is_number_integer() && json.get<int64_t>() == number;
  }
  bool operator()(double number) const { return json.is_number() && json.get<double>() == number; }
  bool operator()(const std::string& text) const {
    return json.is_string() && json.get_ref<const std::string&>() == text;
  }
  bool operator()(const Literal::List& list) const {
    if (!json.is_array() || json.size() != list.size()) return false;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!are_same(list[i], json[i])) return false;
    }
    return true;
  }
  // Of a key that stands twice, JSON has the last one.
  bool operator()(const Literal::Dict& dict) const {
    if (!json.is_object() || json.size() > dict.size()) return false;
    if (json.size() < dict.size()) return true;
    for (const LiteralEntry& entry : dict) {
      const auto found = json.find(entry.key);
      if (found == json.end() || !are_same(entry.value, *found)) return false;
    }
    return true;
  }
};

bool are_same(const Literal& literal, const Json& json) {
  return std::visit(Same{json}, literal.value);
}

// The depth to which lists and dicts of a JSON text are nested.
int depth_of(const Json& json) {
  int deepest = 0;
  if (json.is_structured()) {
    for (const Json& item : json) deepest = std::max(deepest, depth_of(item));
    ++deepest;
  }
  return deepest;
}

void check_literal(const std::string& text) {
  const std::optional<Literal> literal = import::capture::read_literal(text);
  const Json json = Json::parse(text, nullptr, false);
  // To nlohmann's parser a NUL is the end.
  const bool has_nul = text.find('\0') != std::string::npos;
  if (!has_nul && !json.is_discarded() && depth_of(json) <= 32) {
    require(literal.has_value(), "JSON is not read", text);
    require(are_same(*literal, json), "JSON is read as something else", print(*literal));
  }
  if (!literal) return;
  const std::string printed = print(*literal);
  require(base::is_utf8(printed), "a literal of UTF-8 is none", printed);
  const std::optional<Literal> again = import::capture::read_literal(printed);
  require(again.has_value(), "a printed literal is not read", printed);
  require(print(*again) == printed, "a printed literal reads as another one", printed);
}

void require_json(const std::string& text) {
  require(Json::accept(text), "what a marker tells is no JSON", text);
}

void check_markers(const std::string& text) {
  if (const auto marker = import::capture::read_op_marker(text)) {
    for (const std::string* part : {&marker->input_names, &marker->input_shapes,
                                    &marker->output_names, &marker->output_shapes}) {
      require_json(*part);
    }
  }
  if (const auto marker = import::capture::read_trace_marker(text)) {
    require(base::is_utf8(marker->op_name) && base::is_utf8(marker->stack_trace),
            "a marker of UTF-8 is none");
  }
  static_cast<void>(import::capture::read_config_marker(text));
}

}  // namespace
}  // namespace dlview::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace dlview;
  const std::string text = base::with_valid_utf8({reinterpret_cast<const char*>(data), size});
  fuzz::check_literal(text);
  fuzz::check_markers(text);
  return 0;
}
