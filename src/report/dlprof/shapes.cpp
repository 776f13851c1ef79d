#include "report/dlprof/shapes.h"

#include <vector>

#include <nlohmann/json.hpp>

namespace dlview::report::dlprof {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

using nlohmann::json;

constexpr int kShape = 1;  // depth of a list in the outer one

// The outer list, or null for what is no list of shapes: deeper lists, objects, anything but
// integers. What lies deeper is left out while it is parsed, so that no text makes a deep value.
json parse_shapes(std::string_view text) {
  bool has_other = false;
  const auto keep = [&has_other](int depth, json::parse_event_t event, json& value) {
    switch (event) {
      case json::parse_event_t::array_start:
        has_other = has_other || depth > kShape;
        break;
      case json::parse_event_t::object_start:
        has_other = true;
        break;
      case json::parse_event_t::value:
        has_other = has_other || !value.is_number_integer();
        break;
      default:
        break;
    }
    return !has_other;
  };
  json shapes = json::parse(text, keep, false);
  return has_other || !shapes.is_array() ? json() : shapes;
}

void append_shape(std::string& text, const json& sizes, std::string_view format) {
  const std::vector<std::string_view> letters = split(format, ',');
  const bool lettered = letters.size() == sizes.size();
  text += '<';
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0) text += ", ";
    if (lettered) text.append(letters[i]) += ':';
    text += sizes[i].dump();
  }
  text += '>';
}

}  // namespace

std::string shape_text(std::string_view json_text, std::string_view format) {
  const json shapes = parse_shapes(json_text);
  if (shapes.is_null()) return "";
  const std::vector<std::string_view> formats = split(format, ';');
  std::string text;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (i > 0) text += "; ";
    const json sizes = shapes[i].is_array() ? shapes[i] : json::array({shapes[i]});
    append_shape(text, sizes, i < formats.size() ? formats[i] : std::string_view());
  }
  return text;
}

}  // namespace dlview::report::dlprof
