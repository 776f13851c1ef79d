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

void append_shape(std::string& text, const nlohmann::json& sizes, std::string_view format) {
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

std::string shape_text(std::string_view json, std::string_view format) {
  const auto shapes = nlohmann::json::parse(json, nullptr, false);
  if (!shapes.is_array()) return "";
  const std::vector<std::string_view> formats = split(format, ';');
  std::string text;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (i > 0) text += "; ";
    const auto sizes = shapes[i].is_array() ? shapes[i] : nlohmann::json::array({shapes[i]});
    append_shape(text, sizes, i < formats.size() ? formats[i] : std::string_view());
  }
  return text;
}

}  // namespace dlview::report::dlprof
