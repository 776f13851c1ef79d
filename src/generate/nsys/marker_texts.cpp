#include "generate/nsys/marker_texts.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dlview::generate::nsys {
namespace {

std::string in_quotes(std::string_view text) {
  std::string literal = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + '\'';
}

std::vector<std::string> quoted_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(in_quotes(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// DLProf writes <module> and (2) as module and [2].
std::string function_stack(std::string_view op_name) {
  constexpr std::string_view kModule = "/module/";
  std::string stack;
  if (op_name.starts_with(kModule)) {
    stack = "/<module>/";
    op_name.remove_prefix(kModule.size());
  }
  for (const char c : op_name) stack += c == '[' ? '(' : c == ']' ? ')' : c;
  return stack;
}

// "[[128,64],[10,64]]" as "128,64" and "10,64".
std::vector<std::string_view> inner_lists(std::string_view json) {
  std::vector<std::string_view> lists;
  for (std::size_t i = 1; i < json.size(); ++i) {
    if (json[i] != '[') continue;
    const std::size_t end = json.find(']', i);
    if (end == std::string_view::npos) break;
    lists.push_back(json.substr(i + 1, end - i - 1));
  }
  return lists;
}

std::string tuple(std::string_view sizes) {
  std::string text = "(";
  for (const char c : sizes) {
    text += c;
    if (c == ',') text += ' ';
  }
  const bool is_single = !sizes.empty() && sizes.find(',') == std::string_view::npos;
  return text + (is_single ? ",)" : ")");
}

}  // namespace

std::string trace_marker(std::string_view stack_trace, std::string_view op_name) {
  return fmt::format("{{'traceMarker': [{}], 'funcStack': {}}}",
                     fmt::join(quoted_lines(stack_trace), ", "),
                     in_quotes(function_stack(op_name)));
}

std::string trace_marker(const profile::Profile& profile, profile::OpIndex op) {
  return trace_marker(profile.text(profile.ops.stack_trace[op]),
                      profile.text(profile.ops.name[op]));
}

std::string op_marker(const profile::Profile& profile, profile::InstanceIndex instance) {
  const profile::OpIndex op = profile.instances.op[instance];
  return op_marker(profile.text(profile.ops.type[op]),
                   profile.text(profile.instances.input_shapes[instance]),
                   profile.text(profile.ops.data_type[op]));
}

std::string op_marker(std::string_view type, std::string_view input_shapes,
                      std::string_view data_type) {
  std::vector<std::string> arguments;
  for (const std::string_view sizes : inner_lists(input_shapes)) {
    arguments.push_back(fmt::format("{{'name': '', 'type': 'tensor', 'shape': {}, 'dtype': {}}}",
                                    tuple(sizes), in_quotes(data_type)));
  }
  return fmt::format("{{'mod': {}, 'op': {}, 'args': [{}]}}",
                     type.ends_with('_') ? "'Tensor'" : "'torch.nn.functional'", in_quotes(type),
                     fmt::join(arguments, ", "));
}

std::string config_marker(const profile::ModelConfig& config) {
  return fmt::format(
      R"({{"model_config": {{"num_workers": {}, "pin_memory": {}, "cudnn_benchmark_disabled": {}, )"
      R"("detect_anomaly": {}, "gradcheck": {}, "gradgradcheck": {}, "autograd_profile": {}, )"
      R"("autograd_set_detect_anomaly": {}, "emit_nvtx": {}, "amp_enabled": {}}}}})",
      config.num_workers, config.pin_memory, config.cudnn_benchmark_disabled, config.detect_anomaly,
      config.gradcheck, config.gradgradcheck, config.autograd_profile,
      config.autograd_set_detect_anomaly, config.emit_nvtx, config.amp_enabled);
}

std::string forward_text(std::string_view type, int64_t seq) {
  return fmt::format("aten::{}, seq = {}", type, seq);
}

std::string backward_text(std::string_view type, int64_t seq) {
  std::string name;
  bool is_start = true;
  for (const char c : type) {
    if (c == '_') {
      is_start = true;
      continue;
    }
    name += is_start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    is_start = false;
  }
  return fmt::format("{}Backward0, seq = {}", name, seq);
}

}  // namespace dlview::generate::nsys
