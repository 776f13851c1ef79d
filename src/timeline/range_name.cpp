#include "timeline/range_name.h"

#include <cstddef>

namespace dlview::timeline {
namespace {

// The text in quotes behind "'key': ", as Python writes it; empty if there is none.
std::string_view quoted_behind(std::string_view text, std::string_view key) {
  const std::size_t found = text.rfind(key);
  if (found == std::string_view::npos) return {};
  text.remove_prefix(found + key.size());
  if (text.empty() || (text.front() != '\'' && text.front() != '"')) return {};
  const char quote = text.front();
  text.remove_prefix(1);
  const std::size_t end = text.find(quote);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

// As ops are named after it: without '<' and '>', with "[2]" for "(2)".
std::string op_name(std::string_view stack) {
  std::string name;
  for (const char c : stack) {
    if (c == '<' || c == '>') continue;
    name += c == '(' ? '[' : c == ')' ? ']' : c;
  }
  return name;
}

}  // namespace

std::string range_name(std::string_view text) {
  std::string name;
  if (text.starts_with("{'traceMarker'")) {
    name = op_name(quoted_behind(text, "'funcStack': "));
  } else if (text.starts_with("{'mod'")) {
    // The key comes before the arguments, which may have one of that name.
    name = quoted_behind(text.substr(0, text.find("'args': ")), "'op': ");
  } else if (text.starts_with("{\"model_config\"")) {
    name = "model_config";
  }
  return name.empty() ? std::string(text) : name;
}

}  // namespace dlview::timeline
