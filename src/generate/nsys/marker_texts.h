// NVTX texts as DLProf's PyTorch plugin and PyTorch itself write them: Python's notation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profile/profile.h"

namespace dlview::generate::nsys {

// {'traceMarker': ['train.py:35'], 'funcStack': '/<module>/Net::forward/conv2d'}
std::string trace_marker(const profile::Profile& profile, profile::OpIndex op);
std::string trace_marker(std::string_view stack_trace, std::string_view op_name);

// {'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': [{'name': '', 'type': 'tensor', ...}]}
std::string op_marker(const profile::Profile& profile, profile::InstanceIndex instance);
// `input_shapes`: "[[128,64],[10,64]]".
std::string op_marker(std::string_view type, std::string_view input_shapes,
                      std::string_view data_type);

// {"model_config": {"num_workers": 4, ...}}
std::string config_marker(const profile::ModelConfig& config);

// "aten::conv2d, seq = 7" and "Conv2dBackward0, seq = 7".
std::string forward_text(std::string_view type, int64_t seq);
std::string backward_text(std::string_view type, int64_t seq);

}  // namespace dlview::generate::nsys
