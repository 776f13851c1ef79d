// Trees of what the synthetic run records again and again: ops with the calls and the GPU work that
// they cause, nodes of the backward pass, and modules.
#pragma once

#include <cstdint>
#include <vector>

#include "generate/pytorch/recorder.h"
#include "generate/pytorch/specs.h"

namespace dlview::generate::pytorch {

struct BackwardTree;

// A host event and what it does, in this order.
struct OpTree {
  struct Action {
    const OpTree* op = nullptr;      // a nested event, or
    const CallSpec* call = nullptr;  // a call, which launches
    const GpuSpec* gpu = nullptr;    // this, if it does, or
    int64_t bytes = 0;               // memory to allocate
    int stream = kComputeStream;
    int waits_for = 0;  // the stream goes on after that one; 0: after none
  };

  HostSpec host;
  std::vector<Action> actions;
  const BackwardTree* backward = nullptr;  // the node that the event makes

  OpTree& add(const OpTree& op);
  OpTree& add(const CallSpec& call);
  OpTree& add(const CallSpec& call, const GpuSpec& gpu, int stream = kComputeStream);
  OpTree& add_memory(int64_t bytes);
  OpTree& add_wait(const CallSpec& call, int stream, int other_stream);
};

// A node of the backward pass.
struct BackwardTree {
  HostSpec evaluation, node;
  std::vector<const OpTree*> ops;
  std::vector<int64_t> parameter_bytes;  // whose gradients it makes
  const OpTree* reduction = nullptr;     // the collective that its last gradient sets off
};

struct ModuleTree {
  struct Item {
    const ModuleTree* module = nullptr;  // or
    const OpTree* op = nullptr;
    FrameSpec function;  // the built-in function that calls the op
  };
  FrameSpec frame, forward;
  std::vector<NameId> names;  // of it and the modules around
  std::vector<Item> items;
  bool is_checkpointed = false;
};

int64_t kernels_of(const OpTree& op);
int64_t kernels_of(const ModuleTree& module);  // forward and backward

}  // namespace dlview::generate::pytorch
