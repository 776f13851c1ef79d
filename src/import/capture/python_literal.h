// A literal of Python or JSON: strings, numbers, booleans, None or null, lists, tuples and dicts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dlview::import::capture {

struct LiteralEntry;

struct Literal {
  using List = std::vector<Literal>;  // of a tuple too
  using Dict = std::vector<LiteralEntry>;
  // monostate is None; what is a number but no int64 is a double.
  std::variant<std::monostate, bool, int64_t, double, std::string, List, Dict> value;

  // nullptr when it is something else, or a dict without that key.
  const std::string* text() const { return std::get_if<std::string>(&value); }
  const List* list() const { return std::get_if<List>(&value); }
  const Literal* find(std::string_view key) const;
};

struct LiteralEntry {
  std::string key;
  Literal value;
};

// Parses valid UTF-8. nullopt for a text that is not one whole literal, or is nested beyond 32
// levels. U+FFFD replaces an invalid escape.
std::optional<Literal> read_literal(std::string_view text);

}  // namespace dlview::import::capture
