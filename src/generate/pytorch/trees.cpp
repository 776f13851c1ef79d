#include "generate/pytorch/trees.h"

namespace dlview::generate::pytorch {

OpTree& OpTree::add(const OpTree& op) {
  actions.emplace_back().op = &op;
  return *this;
}

OpTree& OpTree::add(const CallSpec& call) {
  actions.emplace_back().call = &call;
  return *this;
}

OpTree& OpTree::add(const CallSpec& call, const GpuSpec& gpu, int stream) {
  Action& action = actions.emplace_back();
  action.call = &call;
  action.gpu = &gpu;
  action.stream = stream;
  return *this;
}

OpTree& OpTree::add_memory(int64_t bytes) {
  actions.emplace_back().bytes = bytes;
  return *this;
}

OpTree& OpTree::add_wait(const CallSpec& call, int stream, int other_stream) {
  Action& action = actions.emplace_back();
  action.call = &call;
  action.stream = stream;
  action.waits_for = other_stream;
  return *this;
}

int64_t kernels_of(const OpTree& op) {
  int64_t count = 0;
  for (const OpTree::Action& action : op.actions) {
    if (action.op != nullptr) count += kernels_of(*action.op);
    if (action.gpu != nullptr && action.gpu->kind == GpuKind::kernel) ++count;
  }
  return count;
}

namespace {

int64_t backward_kernels_of(const OpTree& op) {
  int64_t count = 0;
  if (op.backward != nullptr) {
    for (const OpTree* made : op.backward->ops) count += kernels_of(*made);
    if (op.backward->reduction != nullptr) count += kernels_of(*op.backward->reduction);
  }
  for (const OpTree::Action& action : op.actions) {
    if (action.op != nullptr) count += backward_kernels_of(*action.op);
  }
  return count;
}

int64_t kernels_of(const ModuleTree& module, bool is_recomputed) {
  int64_t count = 0;
  for (const ModuleTree::Item& item : module.items) {
    const bool again = is_recomputed || module.is_checkpointed;
    if (item.module != nullptr) {
      count += kernels_of(*item.module, again);
    } else {
      count += kernels_of(*item.op) * (again ? 2 : 1) + backward_kernels_of(*item.op);
    }
  }
  return count;
}

}  // namespace

int64_t kernels_of(const ModuleTree& module) {
  return kernels_of(module, false);
}

}  // namespace dlview::generate::pytorch
