// The network that the synthetic run trains, as trees of events: a transformer whose layers are
// equal but for their names.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "generate/pytorch.h"
#include "generate/pytorch/recorder.h"
#include "generate/pytorch/specs.h"
#include "generate/pytorch/trees.h"

namespace dlview::generate::pytorch {

class Network {
 public:
  Network(const PytorchOptions& options, int layers, Recorder& recorder);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // What a training script does with it.
  const ModuleTree* model = nullptr;
  const ModuleTree* loss = nullptr;
  std::vector<const OpTree*> copies;       // of the batch to the GPU
  const OpTree* broadcast = nullptr;       // of buffers, by DistributedDataParallel
  const OpTree* loss_reduction = nullptr;  // these none with one rank
  const OpTree* wait = nullptr;            // of the compute stream, for the reduction
  const OpTree* zero_gradient = nullptr;   // of the loss
  const OpTree* item = nullptr;            // reads the loss, and waits for it
  HostSpec accumulate, accumulate_evaluation, optimizer_step, optimizer_zero, optimizer_op, loader,
      forward_range, distributed_forward;
  const CallSpec* launch_call = nullptr;
  const CallSpec* query_call = nullptr;  // before a launch
  const CallSpec* capture_call = nullptr;
  const CallSpec* graph_call = nullptr;
  const CallSpec* memset_call = nullptr;
  const CallSpec* synchronize_call = nullptr;
  const GpuSpec* small_memset = nullptr;
  std::vector<const GpuSpec*> optimizer_kernels;
  std::vector<FrameSpec> helpers;  // small Python functions

  // Kernels of a step's passes over the network but for the optimizer's.
  int64_t kernels_per_pass() const;
  int64_t kernels_per_step() const;

  HostSpec host(std::string_view name, std::string arguments = "", bool is_annotation = false);
  static FrameSpec frame(std::string_view text);

 private:
  static constexpr std::string_view kEvaluation = "autograd::engine::evaluate_function: ";

  struct Input {
    std::string dims, type, strides, concrete;
  };

  Input tensor(const std::vector<int64_t>& dims, std::string_view type = "") const;
  static Input scalar(std::string_view text);
  static Input none();
  static Input list(std::string_view text);
  int64_t element_bytes() const { return type_ == "float" ? 4 : 2; }
  std::string inputs(const std::vector<Input>& inputs) const;

  OpTree& op(std::string_view name, const std::vector<Input>& inputs, bool has_sequence = true);
  const CallSpec& call(std::string_view name, int number, int64_t ns, bool is_driver = false);
  GpuSpec& kernel(const std::string& name, int64_t blocks, int threads, int registers,
                  int64_t shared, int64_t ns, const std::string& more = "");
  const GpuSpec& elementwise(const std::string& functor, int64_t elements, int arrays);
  const GpuSpec& gemm(int64_t m, int64_t n, int64_t k, std::string_view layout);
  const GpuSpec& copy(std::string_view name, int64_t bytes, int64_t ns);
  BackwardTree& backward(std::string_view name, const std::vector<Input>& inputs);
  ModuleTree& module(std::string_view type, std::string_view place, const ModuleTree* around);

  OpTree& empty(const std::vector<int64_t>& dims);
  OpTree& view(std::string_view name, const std::vector<int64_t>& dims, bool has_sequence);
  OpTree& transpose(int64_t rows, int64_t columns, bool has_sequence);
  const CallSpec& gemm_call();
  const OpTree& matrix_product(int64_t m, int64_t n, int64_t k, bool with_memset);
  OpTree& collective_record(std::string_view name, std::string_view annotation, int64_t elements);
  std::string collective_metadata(std::string_view name, int64_t elements) const;
  const OpTree& collective(std::string_view name, std::string_view op_name, int64_t elements);
  void add_linear(ModuleTree& around, int64_t in, int64_t out);
  void add_norm(ModuleTree& around, const OpTree* reduction);
  struct Pointwise {
    std::string_view type, place, op, nested, backward, backward_op;
    const GpuSpec& kernel;
    const GpuSpec& backward_kernel;
  };
  void add_pointwise(ModuleTree& around, const Pointwise& names, int64_t columns);
  OpTree& triton(std::string_view name, const std::vector<Input>& inputs, int64_t elements);
  OpTree& compiled_graph(std::string_view hash, const OpTree& triton);
  void add_compiled(ModuleTree& around, int64_t columns);
  void add_attention(ModuleTree& around);
  void add_sum(ModuleTree& around);
  void add_layer(ModuleTree& around, const OpTree* reduction);
  void make_loss();
  void make_copies();
  void make_optimizer();

  const PytorchOptions& options_;
  Recorder& recorder_;
  const bool is_old_, has_wide_inputs_, is_amd_;
  const std::string type_, functor_type_;  // of tensors, as arguments and kernel names have it
  int64_t width_ = 1024;
  std::deque<OpTree> ops_;
  std::deque<BackwardTree> backwards_;
  std::deque<ModuleTree> modules_;
  std::deque<CallSpec> calls_;
  std::deque<GpuSpec> gpus_;
  std::unordered_map<std::string, int32_t> module_counts_;
};

}  // namespace dlview::generate::pytorch
