// NVTX texts of DLProf's Python packages: Python dict literals with an op, its arguments and its
// call stack (formats.md 8, rules 1 to 4).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace dlview::import::capture {

inline constexpr const char* kNotTold = "null\n";  // in JSON, as DLProf stores it

// {'mod': 'torch', 'op': 'relu', 'args': [{'name': '', 'type': 'tensor', 'shape': (32, 6), 'dtype':
// 'float32'}]}
struct OpMarker {
  std::string op;
  std::string data_type;  // of the first tensor; "" = no tensor
  std::string data_format, output_format, parameters_format;
  // JSON with a newline at its end, as DLProf stores them, or kNotTold.
  std::string input_names, input_shapes, output_names, output_shapes;
};

// {'traceMarker': ['train.py:34', ...], 'funcStack': '/<module>/net::forward/relu(2)'}
struct TraceMarker {
  std::string op_name;      // "/module/net::forward/relu[2]"
  std::string stack_trace;  // lines joined by newlines
};

// nullopt for a text that is no such literal.
std::optional<OpMarker> read_op_marker(std::string_view text);
std::optional<TraceMarker> read_trace_marker(std::string_view text);
// {"model_config": {"emit_nvtx": true}}; keys as in read_only_model_config.
std::optional<profile::ModelConfig> read_config_marker(std::string_view text);

}  // namespace dlview::import::capture
