// What the Timeline calls an NVTX range whose text is data rather than a name.
#pragma once

#include <string>
#include <string_view>

namespace dlview::timeline {

// Returns the op's name of a marker that DLProf's Python package writes, else the text:
//   {'traceMarker': [...], 'funcStack': '/<module>/net::forward/relu(2)'}
//   "/module/net::forward/relu[2]"
//   {'mod': 'torch', 'op': 'conv2d', 'args': [...]}                        "conv2d"
//   {"model_config": {...}}                                                "model_config"
std::string range_name(std::string_view text);

}  // namespace dlview::timeline
