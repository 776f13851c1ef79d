// What is the same in all instances of an event: names and the text of its arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dlview::generate::pytorch {

using NameId = int32_t;

// A cpu_op or user_annotation.
struct HostSpec {
  NameId name = 0;
  std::string arguments;  // "" or JSON members with a comma in front
  bool is_annotation = false;
  bool has_sequence = false;    // in the forward pass
  bool is_evaluation = false;   // autograd::engine::evaluate_function
  bool is_op_like = false;      // may be an outer op ...
  bool needs_sequence = false;  // ... when it has a sequence number
  NameId outer_name = 0;        // of the outer op
  std::string collective;       // of record_param_comms: "name|type|group size"
  int64_t in_elements = 0, out_elements = 0;
};

struct CallSpec {
  std::string name;    // in quotes
  int32_t number = 0;  // CUPTI's callback id
  int64_t ns = 0;
  bool is_driver = false;
  bool counts_threads = false;  // where other calls count blocks
};

enum class GpuKind : uint8_t { kernel, memcpy, memset };

struct GpuSpec {
  GpuKind kind = GpuKind::kernel;
  NameId name = 0;
  std::string arguments;  // as of HostSpec
  int64_t ns = 0;
  int64_t bytes = 0;
  int64_t blocks = 0;  // of kernels, these three
  int threads = 0;     // of a block
  int64_t shared_bytes = 0;
  bool is_communication = false;
};

struct FrameSpec {
  std::string name;    // in quotes
  NameId module = -1;  // of nn.Module frames
  int32_t module_id = -1;
};

}  // namespace dlview::generate::pytorch
