#include "import/capture/marker.h"

#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/capture/python_literal.h"

namespace dlview::import::capture {
namespace {

using Shape = std::vector<int64_t>;

std::string text_of(const Literal& dict, std::string_view key) {
  const Literal* found = dict.find(key);
  const std::string* text = found == nullptr ? nullptr : found->text();
  return text == nullptr ? std::string() : *text;
}

Shape shape_of(const Literal& tensor) {
  Shape shape;
  const Literal* found = tensor.find("shape");
  const Literal::List* sizes = found == nullptr ? nullptr : found->list();
  if (sizes == nullptr) return shape;
  for (const Literal& size : *sizes) {
    if (const auto* number = std::get_if<int64_t>(&size.value)) shape.push_back(*number);
  }
  return shape;
}

std::string json_string(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      json += c;
    }
  }
  return json + '"';
}

std::string json_names(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(json_string(name));
  return fmt::format("[{}]\n", fmt::join(quoted, ","));
}

std::string json_shapes(const std::vector<Shape>& shapes) {
  std::vector<std::string> lists;
  for (const Shape& shape : shapes) lists.push_back(fmt::format("[{}]", fmt::join(shape, ",")));
  return fmt::format("[{}]\n", fmt::join(lists, ","));
}

// What DLProf tells of an op whose shapes have a meaning that it knows; strides and padding are not
// in a marker, so that it takes 1 and 0 for them.
void add_formats(OpMarker& marker, const std::vector<Shape>& inputs) {
  Shape output;
  if (marker.op == "conv2d") {
    marker.data_format = "N,C,H,W;K,C,R,S";
    marker.output_format = "N,K,P,Q";
    marker.parameters_format = "SH,SW;PH,PW;DH,DW;G";
    if (inputs.size() > 1 && inputs[0].size() == 4 && inputs[1].size() == 4) {
      const Shape &data = inputs[0], &weight = inputs[1];
      const auto places = [&](std::size_t axis) -> std::optional<int64_t> {
        if (weight[axis] < 1 || data[axis] < weight[axis]) return std::nullopt;
        return data[axis] - weight[axis] + 1;
      };
      const auto height = places(2), width = places(3);
      if (height && width) output = {data[0], weight[0], *height, *width};
    }
  } else if (marker.op == "linear") {
    marker.data_format = "N,K;M,K";
    marker.output_format = "N,M";
    if (inputs.size() > 1 && !inputs[0].empty() && inputs[1].size() == 2) {
      output = inputs[0];
      output.back() = inputs[1].front();
    }
  }
  if (output.empty()) return;
  marker.output_names = json_names({""});
  marker.output_shapes = json_shapes({output});
}

bool flag(const Literal& config, std::string_view key) {
  const Literal* found = config.find(key);
  const bool* value = found == nullptr ? nullptr : std::get_if<bool>(&found->value);
  return value != nullptr && *value;
}

}  // namespace

std::optional<OpMarker> read_op_marker(std::string_view text) {
  const std::optional<Literal> literal = read_literal(text);
  if (!literal) return std::nullopt;
  OpMarker marker;
  marker.op = text_of(*literal, "op");
  if (marker.op.empty()) return std::nullopt;
  std::vector<std::string> names;
  std::vector<Shape> shapes;
  const Literal* found = literal->find("args");
  const Literal::List* arguments = found == nullptr ? nullptr : found->list();
  for (const Literal& argument : arguments == nullptr ? Literal::List{} : *arguments) {
    if (text_of(argument, "type") != "tensor") continue;
    if (names.empty()) marker.data_type = text_of(argument, "dtype");
    names.push_back(text_of(argument, "name"));
    shapes.push_back(shape_of(argument));
  }
  marker.output_names = marker.output_shapes = kNotTold;
  marker.input_names = names.empty() ? kNotTold : json_names(names);
  marker.input_shapes = names.empty() ? kNotTold : json_shapes(shapes);
  add_formats(marker, shapes);
  return marker;
}

std::optional<TraceMarker> read_trace_marker(std::string_view text) {
  const std::optional<Literal> literal = read_literal(text);
  if (!literal) return std::nullopt;
  TraceMarker marker;
  for (const char c : text_of(*literal, "funcStack")) {
    if (c == '<' || c == '>') continue;
    marker.op_name += c == '(' ? '[' : c == ')' ? ']' : c;
  }
  const Literal* found = literal->find("traceMarker");
  const Literal::List* lines = found == nullptr ? nullptr : found->list();
  for (const Literal& line : lines == nullptr ? Literal::List{} : *lines) {
    if (line.text() == nullptr) continue;
    if (!marker.stack_trace.empty()) marker.stack_trace += '\n';
    marker.stack_trace += *line.text();
  }
  return marker;
}

std::optional<profile::ModelConfig> read_config_marker(std::string_view text) {
  const std::optional<Literal> literal = read_literal(text);
  const Literal* found = literal ? literal->find("model_config") : nullptr;
  if (found == nullptr) return std::nullopt;
  profile::ModelConfig config;
  if (const Literal* workers = found->find("num_workers")) {
    if (const auto* number = std::get_if<int64_t>(&workers->value)) config.num_workers = *number;
  }
  config.pin_memory = flag(*found, "pin_memory");
  config.cudnn_benchmark_disabled = flag(*found, "cudnn_benchmark_disabled");
  config.detect_anomaly = flag(*found, "detect_anomaly");
  config.gradcheck = flag(*found, "gradcheck");
  config.gradgradcheck = flag(*found, "gradgradcheck");
  config.autograd_profile = flag(*found, "autograd_profile");
  config.autograd_set_detect_anomaly = flag(*found, "autograd_set_detect_anomaly");
  config.emit_nvtx = flag(*found, "emit_nvtx");
  config.amp_enabled = flag(*found, "amp_enabled");
  return config;
}

}  // namespace dlview::import::capture
