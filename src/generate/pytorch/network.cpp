#include "generate/pytorch/network.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dlview::generate::pytorch {
namespace {

constexpr int64_t kBatch = 8, kLength = 512, kRows = kBatch * kLength;
constexpr int64_t kHeads = 16, kWords = 50'304;
constexpr int64_t kMultiprocessors = 132;
constexpr std::string_view kEvaluation = "autograd::engine::evaluate_function: ";

bool is_scoped(std::string_view name) {
  const std::size_t colons = name.find("::");
  return colons != std::string_view::npos &&
         name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.") == colons;
}

std::string decimal(double value) {
  return fmt::format("{}", std::round(value * 1e6) / 1e6);
}

}  // namespace

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

Network::Network(const PytorchOptions& options, int layers, Recorder& recorder)
    : options_(options),
      recorder_(recorder),
      is_old_(options.schema == PytorchSchema::v2021),
      has_wide_inputs_(options.schema >= PytorchSchema::v2024),
      is_amd_(options.gpu == PytorchGpu::amd),
      type_(options.schema <= PytorchSchema::v2023 ? "float" : "c10::BFloat16"),
      functor_type_(type_) {
  constexpr int64_t kWidths[] = {768, 1024, 1280, 1600};
  width_ = kWidths[options.seed % 4];
  launch_call = &call("cudaLaunchKernel", 211, 3'800);
  query_call = &call("cudaFuncGetAttributes", 15, 900);
  capture_call = &call("cudaStreamIsCapturing", 317, 800);
  synchronize_call = &call("cudaStreamSynchronize", 131, 4'000);
  graph_call = &call("cudaGraphLaunch", 311, 14'000);
  memset_call = &call("cudaMemsetAsync", 51, 3'500);
  accumulate = host("torch::autograd::AccumulateGrad", inputs({tensor({width_, width_})}));

  accumulate_evaluation = host(std::string(kEvaluation) + "torch::autograd::AccumulateGrad");

  ModuleTree& transformer = module("Transformer", "model.py(142): forward", nullptr);
  ModuleTree& embedding =
      module("Embedding", "torch/nn/modules/sparse.py(190): forward", &transformer);
  OpTree& select = op("aten::index_select",
                      {tensor({kWords, width_}), scalar("0"), tensor({kRows}, "long int")});
  select.add(empty({kRows, width_}))
      .add(*capture_call)
      .add(
          *launch_call,
          kernel(fmt::format("void at::native::(anonymous namespace)::indexSelectLargeIndex<{0}, "
                             "long, unsigned int, 2, 2, -2, true>(at::cuda::detail::TensorInfo<{0},"
                             " unsigned int>, at::cuda::detail::TensorInfo<{0} const, unsigned int"
                             ">, at::cuda::detail::TensorInfo<long const, unsigned int>, int, int,"
                             " unsigned int, unsigned int, long)",
                             functor_type_),
                 kRows * width_ / 1024, 128, 32, 0, 9'000));
  OpTree& embedded =
      op("aten::embedding", {tensor({kWords, width_}), tensor({kBatch, kLength}, "long int"),
                             scalar("-1"), scalar("False"), scalar("False")})
          .add(view("aten::reshape", {kRows}, false))
          .add(select);
  BackwardTree& embedding_backward =
      backward("EmbeddingBackward0", {tensor({kBatch, kLength, width_})});
  embedding_backward.ops.push_back(
      &op("aten::embedding_dense_backward",
          {tensor({kBatch, kLength, width_}), tensor({kBatch, kLength}, "long int"),
           scalar(fmt::format("{}", kWords)), scalar("-1"), scalar("False")})
           .add(op("aten::zeros", {list(fmt::format("[{}, {}]", kWords, width_)), none(), none()})
                    .add(empty({kWords, width_}))
                    .add(op("aten::zero_", {tensor({kWords, width_})})
                             .add(*memset_call,
                                  copy("Memset (Device)", kWords * width_ * 2, 31'000))))
           .add(*launch_call,
                kernel(fmt::format("void at::native::(anonymous namespace)::compute_grad_weight<{},"
                                   " long>(long const*, {} const*, long const*, long, long)",
                                   functor_type_, functor_type_),
                       4096, 128, 40, 2048, 42'000)));
  embedding_backward.parameter_bytes = {kWords * width_ * element_bytes()};
  embedded.backward = &embedding_backward;
  embedding.items.push_back({nullptr, &embedded, frame("<built-in function embedding>")});
  transformer.items.push_back({&embedding, nullptr, {}});

  if (options.gpus > 1) {
    broadcast = &collective("broadcast", "broadcast_", 64);
    loss_reduction = &collective("allreduce", "allreduce_", 1);
    // Kineto calls a wait a collective of no elements.
    if (has_wide_inputs_) {
      OpTree& made = collective_record("wait", "", 0);
      wait = &made.add_wait(call("cudaStreamWaitEvent", 147, 1'300), kComputeStream,
                            kCommunicationStream);
    }
  }
  const int64_t layer_elements = 12 * width_ * width_;
  for (int i = 0; i < layers; ++i) {
    const OpTree* reduction =
        options.gpus > 1 ? &collective("allreduce", "allreduce_", layer_elements) : nullptr;
    add_layer(transformer, reduction);
  }
  add_norm(transformer,
           options.gpus > 1 ? &collective("allreduce", "allreduce_", kWords * width_) : nullptr);
  add_linear(transformer, width_, kWords);
  model = &transformer;
  make_loss();
  make_copies();
  make_optimizer();
  static constexpr std::string_view kHelpers[] = {
      "torch/nn/modules/module.py(1918): __getattr__",
      "<built-in method dim of Tensor object at 0x7f2b5c1d4a90>",
      "torch/_tensor.py(1088): __hash__",
      "torch/nn/modules/module.py(1773): _wrapped_call_impl",
      "<built-in function _has_torch_function_unary>",
      "torch/nn/functional.py(2321): linear",
      "<built-in function isinstance>",
      "torch/_jit_internal.py(627): is_scripting",
  };
  for (const std::string_view text : kHelpers) helpers.push_back(frame(text));
}

int64_t Network::kernels_per_pass() const {
  return kernels_of(*model) + kernels_of(*loss);
}

int64_t Network::kernels_per_step() const {
  int64_t count = 0;
  for (const OpTree* made : copies) count += kernels_of(*made);
  for (const OpTree* made : {broadcast, loss_reduction, zero_gradient, item}) {
    if (made != nullptr) count += kernels_of(*made);
  }
  return count;
}

// Texts of arguments

Network::Input Network::tensor(const std::vector<int64_t>& dims, std::string_view type) const {
  std::vector<int64_t> strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return {fmt::format("[{}]", fmt::join(dims, ", ")), std::string(type.empty() ? type_ : type),
          fmt::format("[{}]", fmt::join(strides, ", ")), ""};
}

Network::Input Network::scalar(std::string_view text) {
  return {"[]", "Scalar", "[]", std::string(text)};
}

Network::Input Network::none() {
  return {"[]", "", "[]", ""};
}

Network::Input Network::list(std::string_view text) {
  return {"[]", "ScalarList", "[]", std::string(text)};
}

std::string Network::inputs(const std::vector<Input>& inputs) const {
  if (!options_.record_shapes || inputs.empty()) return "";
  std::string dims, types, strides, concrete;
  for (const Input& input : inputs) {
    const char* const comma = dims.empty() ? "" : ", ";
    dims += comma + input.dims;
    std::string type = input.type;
    if (is_old_ && type == "Scalar") type = "Int";
    if (is_old_ && type == "ScalarList") type = "GenericList";
    types += comma + json_string(type);
    strides += comma + input.strides;
    concrete += comma + json_string(input.concrete);
  }
  if (!has_wide_inputs_) {
    return fmt::format(", \"Input Dims\": [{}], \"Input type\": [{}]", dims, types);
  }
  return fmt::format(
      ", \"Concrete Inputs\": [{}], \"Input type\": [{}], \"Input Strides\": [{}], \"Input Dims\": "
      "[{}]",
      concrete, types, strides, dims);
}

// Parts

HostSpec Network::host(std::string_view text, std::string arguments, bool is_annotation) {
  HostSpec spec;
  spec.name = recorder_.name(text);
  spec.arguments = std::move(arguments);
  spec.is_annotation = is_annotation;
  spec.is_evaluation = text.substr(0, kEvaluation.size()) == kEvaluation;
  const std::string_view op_name = spec.is_evaluation ? text.substr(kEvaluation.size()) : text;
  spec.outer_name = recorder_.name(op_name);
  const bool is_certain = spec.is_evaluation || is_scoped(op_name);
  const bool is_node = op_name.find("Backward") != std::string_view::npos;
  // Ranges around ops: CompiledFunction and CompiledFunctionBackward.
  const bool is_transparent = op_name.starts_with("CompiledFunction");
  spec.is_op_like = !is_annotation && !is_transparent && (is_certain || is_node);
  spec.needs_sequence = !is_certain;
  return spec;
}

FrameSpec Network::frame(std::string_view text) {
  FrameSpec spec;
  spec.name = json_string(text);
  return spec;
}

OpTree& Network::op(std::string_view text, const std::vector<Input>& arguments, bool has_sequence) {
  OpTree& made = ops_.emplace_back();
  made.host = host(text, inputs(arguments));
  made.host.has_sequence = has_sequence;
  return made;
}

const CallSpec& Network::call(std::string_view text, int number, int64_t ns, bool is_driver) {
  // HIP has the names of CUDA.
  const std::string name_of_hip =
      "hip" + std::string(text.substr(std::min<std::size_t>(4, text.size())));
  const bool is_of_cuda = is_amd_ && text.starts_with("cuda");
  const std::string in_quotes = json_string(is_of_cuda ? name_of_hip : text);
  const auto found = std::find_if(calls_.begin(), calls_.end(),
                                  [&](const CallSpec& spec) { return spec.name == in_quotes; });
  if (found != calls_.end()) return *found;
  const bool counts_threads = text == "hipExtModuleLaunchKernel";
  return calls_.emplace_back(CallSpec{in_quotes, number, ns, is_driver, counts_threads});
}

GpuSpec& Network::kernel(const std::string& text, int64_t blocks, int threads, int registers,
                         int64_t shared, int64_t ns, const std::string& more) {
  GpuSpec& spec = gpus_.emplace_back();
  spec.name = recorder_.name(text);
  spec.ns = ns;
  spec.blocks = blocks;
  spec.threads = threads;
  spec.shared_bytes = shared;
  const double blocks_per_sm = static_cast<double>(blocks) / static_cast<double>(kMultiprocessors);
  const int64_t fitting =
      std::clamp<int64_t>(65'536 / std::max(1, registers * threads), 1, 2'048 / threads);
  const double resident = std::min(blocks_per_sm, static_cast<double>(fitting));
  spec.arguments = fmt::format(
      ",\n      \"registers per thread\": {},\n      \"shared memory\": {},\n      "
      "\"blocks per SM\": {},\n      \"warps per SM\": {},\n      \"grid\": [{}, 1, 1],\n      "
      "\"block\": [{}, 1, 1],\n      \"est. achieved occupancy %\": {}{}",
      registers, shared, decimal(blocks_per_sm), decimal(blocks_per_sm * threads / 32), blocks,
      threads, std::llround(resident * threads / 2'048 * 100), more);
  return spec;
}

const GpuSpec& Network::elementwise(const std::string& functor, int64_t elements, int arrays) {
  const std::string data = is_old_ ? fmt::format("at::detail::Array<char*, {}>", arrays)
                                   : fmt::format("std::array<char*, {}ul>", arrays);
  const std::string text = fmt::format(
      "void at::native::vectorized_elementwise_kernel<4, {0}, {1} >(int, {0}, {1})", functor, data);
  return kernel(text, (elements + 511) / 512, 128, 24, 0, 1'500 + elements * 2 * arrays / 2'500);
}

const GpuSpec& Network::gemm(int64_t m, int64_t n, int64_t k, std::string_view layout) {
  const bool is_wide = n >= 2'048;
  const int64_t blocks = std::max<int64_t>(1, m * n / (128 * 192));
  std::string text;
  if (is_amd_) {
    text = fmt::format("Cijk_A{}_B{}_BBS_BH_MT{}x16_MI32x32x8x1_SN_K1",
                       layout[0] == 't' ? "lik" : "ilk", layout[1] == 't' ? "jlk" : "ljk",
                       is_wide ? "256x128" : "128x64");
    return kernel(text, blocks, 256, 0, 65'536, 4'000 + 2 * m * n / 500'000 * k);
  }
  switch (options_.schema) {
    case PytorchSchema::v2021:
      text = fmt::format("volta_sgemm_128x{}_{}", is_wide ? 128 : 64, layout);
      break;
    case PytorchSchema::v2023:
      text = fmt::format("ampere_sgemm_128x{}_{}", is_wide ? 128 : 64, layout);
      break;
    case PytorchSchema::v2024:
      text = fmt::format("ampere_bf16_s16816gemm_bf16_{}_ldg8_f2f_stages_64x3_{}",
                         is_wide ? "256x128" : "128x64", layout);
      break;
    case PytorchSchema::v2026:
      text = fmt::format("nvjet_tst_{}_64x4_2x1_v_bz_coopA_{}", is_wide ? "192x192" : "128x256",
                         layout == "tn"   ? "TNT"
                         : layout == "nn" ? "NNT"
                                          : "NTT");
      break;
  }
  const int64_t operations_per_ns = type_ == "float" ? 60'000 : 500'000;
  return kernel(text, blocks, is_wide ? 384 : 256, 168, 213'248,
                4'000 + 2 * m * n / operations_per_ns * k);
}

const GpuSpec& Network::copy(std::string_view text, int64_t bytes, int64_t ns) {
  GpuSpec& spec = gpus_.emplace_back();
  spec.kind = text.substr(0, 6) == "Memset" ? GpuKind::memset : GpuKind::memcpy;
  spec.name = recorder_.name(text);
  spec.bytes = bytes;
  spec.ns = ns;
  return spec;
}

BackwardTree& Network::backward(std::string_view text, const std::vector<Input>& arguments) {
  // Nodes had no number at their end, and no evaluation around, in 2021.
  const std::string_view node = is_old_ ? text.substr(0, text.size() - 1) : text;
  BackwardTree& made = backwards_.emplace_back();
  made.node = host(node, inputs(arguments));
  made.evaluation = host(std::string(kEvaluation) + std::string(node));
  return made;
}

ModuleTree& Network::module(std::string_view type, std::string_view place,
                            const ModuleTree* around) {
  const int32_t number = module_counts_[std::string(type)]++;
  ModuleTree& made = modules_.emplace_back();
  const std::string text = fmt::format("nn.Module: {}_{}", type, number);
  made.frame = frame(text);
  made.frame.module = recorder_.name(text);
  made.frame.module_id = number;
  made.forward = frame(place);
  if (around != nullptr) made.names = around->names;
  made.names.push_back(made.frame.module);
  return made;
}

// Ops

OpTree& Network::empty(const std::vector<int64_t>& dims) {
  int64_t bytes = element_bytes();
  for (const int64_t dim : dims) bytes *= dim;
  OpTree& made = op("aten::empty",
                    {list(fmt::format("[{}]", fmt::join(dims, ", "))), scalar("15"), scalar("0"),
                     none(), none(), scalar("0")},
                    false);
  return made.add_memory(bytes);
}

OpTree& Network::view(std::string_view text, const std::vector<int64_t>& dims, bool has_sequence) {
  OpTree& made =
      op(text, {tensor(dims), list(fmt::format("[{}]", fmt::join(dims, ", ")))}, has_sequence);
  if (text != "aten::view") made.add(view("aten::view", dims, false));
  return made;
}

OpTree& Network::transpose(int64_t rows, int64_t columns, bool has_sequence) {
  OpTree& strided = op("aten::as_strided",
                       {tensor({rows, columns}), list(fmt::format("[{}, {}]", columns, rows)),
                        list(fmt::format("[1, {}]", columns)), none()},
                       false);
  OpTree& transposed =
      op("aten::transpose", {tensor({rows, columns}), scalar("0"), scalar("1")}, false)
          .add(strided);
  return op("aten::t", {tensor({rows, columns})}, has_sequence).add(transposed);
}

const CallSpec& Network::gemm_call() {
  if (is_amd_) return call("hipExtModuleLaunchKernel", 65, 4'100);
  if (options_.schema < PytorchSchema::v2026) return *launch_call;
  return call("cuLaunchKernelEx", 652, 4'100, true);
}

const OpTree& Network::matrix_product(int64_t m, int64_t n, int64_t k, bool with_memset) {
  OpTree& product = op("aten::mm", {tensor({m, k}), tensor({k, n})}, false).add(empty({m, n}));
  product.add(*capture_call);
  if (with_memset) product.add(*memset_call, copy("Memset (Device)", 65'536, 1'200));
  product.add(call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", 283, 1'100));
  return product.add(gemm_call(), gemm(m, n, k, with_memset ? "nt" : "nn"));
}

// The arguments that name a collective, since the end of 2023.
std::string Network::collective_metadata(std::string_view text, int64_t elements) const {
  if (!has_wide_inputs_) return "";
  std::string result = fmt::format(
      "\"Collective name\": \"{}\", \"dtype\": \"BFloat16\", \"In msg nelems\": {}, \"Out msg "
      "nelems\": {}, \"Group size\": {}, \"In split size\": \"[]\", \"Out split size\": \"[]\", "
      "\"Global rank start\": 0, \"Global rank stride\": 1, \"Process Group Name\": \"0\", "
      "\"Process Group Description\": \"default_pg\"",
      text, elements, elements, options_.gpus);
  if (options_.schema == PytorchSchema::v2026) {
    std::vector<int> ranks(static_cast<std::size_t>(options_.gpus));
    std::iota(ranks.begin(), ranks.end(), 0);
    result += fmt::format(
        ", \"Process Group Ranks\": \"[{}]\", \"Rank\": {}, \"Seq\": 7, \"Comms Id\": "
        "10159970886766084423",  // above the largest int64
        fmt::join(ranks, ", "), options_.rank);
  }
  return result;
}

OpTree& Network::collective_record(std::string_view text, std::string_view annotation,
                                   int64_t elements) {
  OpTree& made = op("record_param_comms", {}, false);
  const std::string metadata = collective_metadata(text, elements);
  made.host.arguments = inputs({list(""), scalar("7"), scalar("0"), scalar("0"), none()});
  if (metadata.empty()) {
    made.host.collective = fmt::format("{}||", annotation);
    return made;
  }
  made.host.arguments += ", " + metadata;
  made.host.collective = fmt::format("{}|BFloat16|{}", text, options_.gpus);
  made.host.in_elements = made.host.out_elements = elements;
  return made;
}

const OpTree& Network::collective(std::string_view text, std::string_view op_name,
                                  int64_t elements) {
  const bool is_reduction = text == "allreduce";
  const std::string_view annotation = is_reduction ? "nccl:all_reduce" : "nccl:broadcast";
  std::string kernel_name, metadata;
  if (has_wide_inputs_) {
    kernel_name = fmt::format("ncclDevKernel_{}_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                              is_reduction ? "AllReduce_Sum_bf16" : "Broadcast");
  } else {
    kernel_name =
        fmt::format("ncclKernel_{}(ncclWorkElem)", is_reduction ? "AllReduce_RING_LL_Sum_float"
                                                                : "Broadcast_RING_LL_"
                                                                  "Sum_int8_t");
  }
  if (options_.schema == PytorchSchema::v2026) {
    metadata = ",\n      " + collective_metadata(text, elements);
  }
  GpuSpec& communication =
      kernel(kernel_name, 24, 640, 96, 82'080, 11'000 + elements * element_bytes() / 180, metadata);
  communication.is_communication = true;

  OpTree& range = ops_.emplace_back();
  range.host = host(annotation, inputs({tensor({elements})}), true);
  const CallSpec& record_event = call("cudaEventRecord", 135, 1'200);
  range.add(record_event)
      .add_wait(call("cudaStreamWaitEvent", 147, 1'300), kCommunicationStream, kComputeStream)
      .add(has_wide_inputs_ ? call("cudaLaunchKernelExC", 430, 6'500) : *launch_call, communication,
           kCommunicationStream)
      .add(record_event);
  return op(fmt::format("c10d::{}", op_name), {list(""), none(), none(), none(), scalar("-1")},
            false)
      .add(collective_record(text, annotation, elements).add(range));
}

void Network::add_linear(ModuleTree& around, int64_t in, int64_t out) {
  ModuleTree& linear = module("Linear", "torch/nn/modules/linear.py(134): forward", &around);
  BackwardTree& transposed_node = backward("TBackward0", {tensor({in, out})});
  transposed_node.ops = {&transpose(in, out, false)};
  transposed_node.parameter_bytes = {in * out * element_bytes()};
  OpTree& transposed = transpose(out, in, true);
  transposed.backward = &transposed_node;
  OpTree& product = op("aten::addmm", {tensor({out}), tensor({kRows, in}), tensor({in, out}),
                                       scalar("1"), scalar("1")});
  product.add(empty({kRows, out}))
      .add(*capture_call)
      .add(call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", 283, 1'100))
      .add(gemm_call(), gemm(kRows, out, in, "tn"));
  BackwardTree& node = backward("AddmmBackward0", {tensor({kRows, out})});
  node.ops = {&transpose(in, out, false), &matrix_product(kRows, in, out, false),
              &transpose(kRows, in, false), &matrix_product(in, out, kRows, true)};
  OpTree& sum = op("aten::sum", {tensor({kRows, out}), list("[0]"), scalar("True"), none()}, false);
  sum.add(empty({1, out}))
      .add(*launch_call,
           kernel(fmt::format("void at::native::reduce_kernel<128, 4, at::native::ReduceOp<{0}, "
                              "at::native::func_wrapper_t<{0}, at::native::sum_functor<{0}, float, "
                              "{0}>::operator()(at::TensorIterator&)::{{lambda(float, float)#1}}>, "
                              "unsigned int, {0}, 4> >(at::native::ReduceOp<{0}, "
                              "at::native::func_wrapper_t<{0}, at::native::sum_functor<{0}, float, "
                              "{0}>::operator()(at::TensorIterator&)::{{lambda(float, float)#1}}>, "
                              "unsigned int, {0}, 4>)",
                              functor_type_),
                  out / 32, 512, 32, 16, 5'000 + kRows * out / 1'500));
  node.ops.push_back(&sum);
  node.parameter_bytes = {out * element_bytes()};
  product.backward = &node;
  OpTree& made =
      op("aten::linear", {tensor({kBatch, kLength, in}), tensor({out, in}), tensor({out})})
          .add(transposed)
          .add(view("aten::view", {kRows, in}, false))
          .add(product)
          .add(view("aten::view", {kBatch, kLength, out}, false));
  linear.items.push_back({nullptr, &made, frame("<built-in function linear>")});
  around.items.push_back({&linear, nullptr, {}});
}

void Network::add_norm(ModuleTree& around, const OpTree* reduction) {
  ModuleTree& norm =
      module("LayerNorm", "torch/nn/modules/normalization.py(229): forward", &around);
  const Input rows = tensor({kBatch, kLength, width_}), weights = tensor({width_});
  OpTree& native = op("aten::native_layer_norm",
                      {rows, list(fmt::format("[{}]", width_)), weights, weights, scalar("1e-05")});
  native.add(empty({kRows, width_}))
      .add(empty({kRows, 2}))
      .add(*capture_call)
      .add(*launch_call,
           kernel(fmt::format("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel"
                              "<{0}, float, false>(int, float, {0} const*, {0} const*, {0} const*, "
                              "float*, float*, {0}*)",
                              functor_type_),
                  kRows, 128, 40, 16, 8'000));
  BackwardTree& node = backward("NativeLayerNormBackward0", {rows, none(), none()});
  const std::string grad = fmt::format(
      "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<{0}, float, "
      "false>({0} const*, {0} const*, float const*, float const*, {0} const*, {0}*, int)",
      functor_type_);
  const std::string gamma = fmt::format(
      "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernelTemplate<{0}, float, "
      "64u, "
      "1u, 32u, true, true, true>(long, long, {0} const*, {0} const*, float const*, float const*, "
      "{0}*, {0}*)",
      functor_type_);
  node.ops = {&op("aten::native_layer_norm_backward",
                  {rows, rows, list(fmt::format("[{}]", width_)), none(), none(), weights, weights,
                   list("[True, True, True]")},
                  false)
                   .add(empty({kRows, width_}))
                   .add(*launch_call, kernel(grad, kRows, 128, 40, 64, 12'000))
                   .add(*capture_call)
                   .add(*launch_call, kernel(gamma, width_ / 32, 1'024, 64, 8'448, 16'000))};
  node.parameter_bytes = {width_ * element_bytes(), width_ * element_bytes()};
  node.reduction = reduction;
  native.backward = &node;
  OpTree& made = op("aten::layer_norm", {rows, list(fmt::format("[{}]", width_)), weights, weights,
                                         scalar("1e-05"), scalar("True")})
                     .add(native);
  norm.items.push_back({nullptr, &made,
                        frame("<built-in method layer_norm of type object at "
                              "0x7f2b8ad0c9a0>")});
  around.items.push_back({&norm, nullptr, {}});
}

// A module of one elementwise kernel, which `nested`, where there is one, launches inside `op`.
void Network::add_pointwise(ModuleTree& around, const Pointwise& names, int64_t columns) {
  ModuleTree& made = module(names.type, names.place, &around);
  const Input rows = tensor({kBatch, kLength, columns});
  BackwardTree& node = backward(names.backward, {rows});
  node.ops = {&op(names.backward_op, {rows, rows}, false)
                   .add(empty({kRows, columns}))
                   .add(*capture_call)
                   .add(*launch_call, names.backward_kernel)};
  OpTree& inner =
      op(names.nested.empty() ? names.op : names.nested, {rows, scalar("0.1"), scalar("True")});
  inner.add(empty({kRows, columns}))
      .add(*capture_call)
      .add(call("cudaPeekAtLastError", 11, 600))
      .add(*launch_call, names.kernel);
  inner.backward = &node;
  OpTree& outer =
      names.nested.empty() ? inner : op(names.op, {rows, scalar("0.1"), scalar("True")}).add(inner);
  made.items.push_back(
      {nullptr, &outer, frame(fmt::format("<built-in function {}>", names.op.substr(6)))});
  around.items.push_back({&made, nullptr, {}});
}

// The op that launches a Triton kernel. Its `grid` and `stream` are not those of a kernel.
OpTree& Network::triton(std::string_view text, const std::vector<Input>& arguments,
                        int64_t elements) {
  OpTree& made = op(text, arguments, false);
  made.host.arguments += fmt::format(
      ", \"kernel_backend\": \"triton\", \"kernel_name\": \"{}\", \"kernel_file\": "
      "\"/tmp/torchinductor_user/mw/cmwjlpfu2kb4.py\", \"kernel_hash\": \"cmwjlpfu2kb4\", "
      "\"kernel_kwargs\": \"XBLOCK=1024\", \"num_warps\": 4, \"num_stages\": 1, \"stream\": 0, "
      "\"grid\": \"grid({},)\"",
      text, elements);
  made.host.is_op_like = options_.writer != PytorchWriter::autograd;  // by its arguments alone
  made.host.needs_sequence = false;
  const bool has_driver = !is_amd_ && !is_old_;
  const CallSpec& launch = is_amd_      ? call("hipModuleLaunchKernel", 52, 3'400)
                           : has_driver ? call("cuLaunchKernel", 307, 3'400, true)
                                        : *launch_call;
  return made.add(launch, kernel(std::string(text), (elements + 1'023) / 1'024, 128, 24, 0,
                                 1'500 + elements / 600));
}

OpTree& Network::compiled_graph(std::string_view hash, const OpTree& inside) {
  OpTree& graph = ops_.emplace_back();
  graph.host = host(fmt::format("## Call CompiledFxGraph {} ##", hash), "", true);
  return graph.add(inside);
}

// A module of a Triton kernel, forward and backward.
void Network::add_compiled(ModuleTree& around, int64_t columns) {
  ModuleTree& made = module("OptimizedModule", "torch/_dynamo/eval_frame.py(414): _fn", &around);
  const Input rows = tensor({kBatch, kLength, columns});
  const int64_t elements = kRows * columns;
  BackwardTree& node = backward("CompiledFunctionBackward", {rows});
  node.ops = {&compiled_graph("fm2ebqwsz5hk",
                              triton("triton_poi_fused_gelu_backward_0", {rows, rows}, elements))};
  OpTree& function = op("CompiledFunction", {rows});
  function.backward = &node;
  function.add(
      compiled_graph("fal4xpiah2v6", triton("triton_poi_fused_gelu_0", {rows, rows}, elements)));
  OpTree& region = op("Torch-Compiled Region: 0/0", {}, false);
  region.add(function);
  made.items.push_back({nullptr, &region, frame("<eval_with_key>.1(4): forward")});
  around.items.push_back({&made, nullptr, {}});
}

void Network::add_attention(ModuleTree& around) {
  const int64_t head = width_ / kHeads;
  const Input heads = tensor({kBatch, kHeads, kLength, head});
  const std::vector<Input> three(3, heads);
  const std::string traits = fmt::format(
      "Flash_fwd_kernel_traits<{}, 128, 128, 4, false, false, cutlass::bfloat16_t, "
      "Flash_kernel_traits<{}, 128, 128, 4, cutlass::bfloat16_t> >",
      head, head);
  OpTree& forward =
      op("aten::_flash_attention_forward", three, false)
          .add(empty({kRows, width_}))
          .add(empty({kBatch, kHeads, kLength}))
          .add(*capture_call)
          .add(call("cudaFuncSetAttribute", 273, 900))
          .add(*launch_call, kernel(fmt::format("void pytorch_flash::flash_fwd_kernel<{}, false, "
                                                "true, false, false, true, true, false>("
                                                "pytorch_flash::Flash_fwd_params)",
                                                traits),
                                    kBatch * kHeads * 4, 128, 255, 49'152, 38'000));
  OpTree& flash = op("aten::_scaled_dot_product_flash_attention", three).add(forward);
  BackwardTree& node = backward("ScaledDotProductFlashAttentionBackward0", {heads});
  const std::vector<Input> six(6, heads);
  node.ops = {
      &op("aten::_scaled_dot_product_flash_attention_backward", six, false)
           .add(
               op("aten::_flash_attention_backward", six, false)
                   .add(empty({kRows, width_}))
                   .add(empty({kRows, width_}))
                   .add(*launch_call,
                        kernel("void pytorch_flash::flash_bwd_dot_do_o_kernel<true, " + traits +
                                   " >(pytorch_flash::Flash_bwd_params)",
                               kBatch * kHeads * 4, 256, 32, 0, 9'000))
                   .add(call("cudaFuncSetAttribute", 273, 900))
                   .add(*launch_call,
                        kernel("void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<" +
                                   traits +
                                   ", false, true, false, false, true, true>("
                                   "pytorch_flash::Flash_bwd_params)",
                               kBatch * kHeads * 4, 256, 255, 147'456, 96'000)))};
  flash.backward = &node;
  OpTree& made = op("aten::scaled_dot_product_attention", three).add(flash);
  around.items.push_back(
      {nullptr, &made, frame("<built-in function scaled_dot_product_attention>")});
}

void Network::add_sum(ModuleTree& around) {
  const Input rows = tensor({kBatch, kLength, width_});
  OpTree& made =
      op("aten::add", {rows, rows, scalar("1")})
          .add(empty({kRows, width_}))
          .add(*launch_call,
               elementwise(is_old_ ? "at::native::AddFunctor<float>"
                                   : fmt::format("at::native::CUDAFunctor_add<{}>", functor_type_),
                           kRows * width_, 3));
  BackwardTree& node = backward("AddBackward0", {rows});
  made.backward = &node;
  around.items.push_back({nullptr, &made,
                          frame("<built-in method add of Tensor object at "
                                "0x7f2b5c1d8c70>")});
}

void Network::add_layer(ModuleTree& around, const OpTree* reduction) {
  ModuleTree& layer = module("Block", "model.py(96): forward", &around);
  layer.is_checkpointed = options_.checkpointing;
  add_norm(layer, reduction);
  ModuleTree& attention = module("CausalSelfAttention", "model.py(54): forward", &layer);
  add_linear(attention, width_, 3 * width_);
  attention.items.push_back(
      {nullptr, &view("aten::reshape", {kBatch, kLength, 3, kHeads, width_ / kHeads}, true),
       frame("<built-in method reshape of Tensor object at 0x7f2b5c1d4db0>")});
  add_attention(attention);
  add_linear(attention, width_, width_);
  const Pointwise dropout{
      "Dropout",
      "torch/nn/modules/dropout.py(70): forward",
      "aten::dropout",
      "aten::native_dropout",
      "NativeDropoutBackward0",
      "aten::native_dropout_backward",
      kernel(fmt::format("void at::native::(anonymous namespace)::fused_dropout_kernel_vec<{0}, "
                         "float, unsigned int, 1, 4, bool>(at::cuda::detail::TensorInfo<{0} const, "
                         "unsigned int>, at::cuda::detail::TensorInfo<{0}, unsigned int>, "
                         "at::cuda::detail::TensorInfo<bool, unsigned int>, unsigned int, float, "
                         "at::PhiloxCudaState)",
                         functor_type_),
             528, 256, 40, 0, 8'500),
      elementwise(fmt::format("at::native::(anonymous namespace)::masked_scale_kernel<bool, {0}, "
                              "float>(at::Tensor&, at::Tensor const&, at::Tensor const&, float)"
                              "::{{lambda({0}, bool)#1}}",
                              functor_type_),
                  kRows * width_, 3)};
  const auto add_dropout = [&](ModuleTree& place) { add_pointwise(place, dropout, width_); };
  add_dropout(attention);
  layer.items.push_back({&attention, nullptr, {}});
  add_sum(layer);
  add_norm(layer, nullptr);
  ModuleTree& feed_forward = module("MLP", "model.py(78): forward", &layer);
  add_linear(feed_forward, width_, 4 * width_);
  const auto gelu_functor = [&](std::string_view direction, std::string_view parameters) {
    return fmt::format(
        "at::native::Gelu{}CUDAKernelImpl(at::TensorIteratorBase&, "
        "at::native::GeluType)::{{lambda()#2}}::operator()() "
        "const::{{lambda()#4}}::operator()() const::{{lambda({})#1}}",
        direction, parameters);
  };
  if (options_.compiled) {
    add_compiled(feed_forward, 4 * width_);
  } else {
    add_pointwise(
        feed_forward,
        {"GELU", "torch/nn/modules/activation.py(739): forward", "aten::gelu", "", "GeluBackward0",
         "aten::gelu_backward", elementwise(gelu_functor("", functor_type_), kRows * 4 * width_, 2),
         elementwise(gelu_functor("Backward", functor_type_ + ", " + functor_type_),
                     kRows * 4 * width_, 3)},
        4 * width_);
  }
  add_linear(feed_forward, 4 * width_, width_);
  add_dropout(feed_forward);
  layer.items.push_back({&feed_forward, nullptr, {}});
  add_sum(layer);
  around.items.push_back({&layer, nullptr, {}});
}

void Network::make_loss() {
  ModuleTree& made = module("CrossEntropyLoss", "torch/nn/modules/loss.py(1297): forward", nullptr);
  const Input rows = tensor({kRows, kWords}), targets = tensor({kRows}, "long int");
  OpTree& softmax = op("aten::_log_softmax", {rows, scalar("1"), scalar("False")});
  const auto softmax_kernel = [&](std::string_view name, std::string_view part,
                                  int64_t ns) -> const GpuSpec& {
    return kernel(
        fmt::format("void at::native::(anonymous namespace)::{}<4, {}, float, {}, "
                    "at::native::(anonymous namespace)::{}>({}*, {} const*, int)",
                    name, functor_type_, functor_type_, part, functor_type_, functor_type_),
        kRows, 1'024, 32, 4'096, ns);
  };
  softmax.add(empty({kRows, kWords}))
      .add(*launch_call,
           softmax_kernel("cunn_SoftMaxForward", "LogSoftMaxForwardEpilogue", 240'000));
  BackwardTree& softmax_backward = backward("LogSoftmaxBackward0", {rows});
  softmax_backward.ops = {
      &op("aten::_log_softmax_backward_data", {rows, rows, scalar("1"), scalar("15")}, false)
           .add(empty({kRows, kWords}))
           .add(*launch_call,
                softmax_kernel("cunn_SoftMaxBackward", "LogSoftMaxBackwardEpilogue", 310'000))};
  softmax.backward = &softmax_backward;
  OpTree& loss_forward =
      op("aten::nll_loss_forward", {rows, targets, none(), scalar("1"), scalar("-100")});
  loss_forward.add(empty({1}))
      .add(
          *launch_call,
          kernel(fmt::format("void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_"
                             "kernel_2d<{0}, float, long>({0}*, {0}*, {0} const*, long const*, {0} "
                             "const*, bool, long, long, long, long)",
                             functor_type_),
                 1, 32, 30, 256, 11'000));
  BackwardTree& loss_backward = backward("NllLossBackward0", {tensor({})});
  loss_backward.ops = {
      &op("aten::nll_loss_backward",
          {tensor({}), rows, targets, none(), scalar("1"), scalar("-100"), tensor({})}, false)
           .add(op("aten::zero_", {rows}, false)
                    .add(*memset_call, copy("Memset (Device)", kRows * kWords * 2, 150'000)))
           .add(
               *launch_call,
               kernel(fmt::format("void at::native::(anonymous namespace)::nll_loss_backward_reduce"
                                  "_cuda_kernel_2d<{0}, long>({0}*, {0} const*, long const*, {0} "
                                  "const*, {0} const*, bool, int, int, long, long)",
                                  functor_type_),
                      1, 32, 20, 0, 9'000))};
  loss_forward.backward = &loss_backward;
  OpTree& entropy =
      op("aten::cross_entropy_loss",
         {rows, targets, none(), scalar("1"), scalar("-100"), scalar("0.")})
          .add(op("aten::log_softmax", {rows, scalar("1"), none()}).add(softmax))
          .add(op("aten::nll_loss_nd", {rows, targets, none(), scalar("1"), scalar("-100")})
                   .add(op("aten::nll_loss", {rows, targets, none(), scalar("1"), scalar("-100")})
                            .add(loss_forward)));
  made.items.push_back({nullptr, &entropy, frame("<built-in function cross_entropy_loss>")});
  loss = &made;

  zero_gradient =
      &op("aten::ones_like", {tensor({}), none(), none(), none(), none(), scalar("1")}, false)
           .add(op("aten::empty_like", {tensor({})}, false).add(empty({1})))
           .add(op("aten::fill_", {tensor({}), scalar("1.")}, false)
                    .add(*launch_call,
                         elementwise(fmt::format("at::native::FillFunctor<{}>", functor_type_), 1,
                                     1)));
  OpTree& local = op("aten::_local_scalar_dense", {tensor({})}, false);
  local
      .add(call("cudaMemcpyAsync", 41, 5'500),
           copy(is_old_ ? "Memcpy DtoH (Device -> Pageable)" : "Memcpy DtoH (Device -> Pinned)", 4,
                1'900))
      .add(*synchronize_call);
  item = &op("aten::item", {tensor({})}, false).add(local);
}

void Network::make_copies() {
  const CallSpec& copy_call = call("cudaMemcpyAsync", 41, 5'500);
  const int64_t bytes = kRows * 8;
  for (int i = 0; i < 2; ++i) {
    const Input words = tensor({kBatch, kLength}, "long int");
    OpTree& copied = op("aten::copy_", {words, words, scalar("True")}, false);
    copied.add(copy_call,
               copy(i == 0 ? "Memcpy HtoD (Pinned -> Device)" : "Memcpy HtoD (Pageable -> Device)",
                    bytes, i == 0 ? 2'600 : 9'800),
               kCopyStream);
    OpTree& to =
        op("aten::_to_copy",
           {words, scalar("4"), scalar("0"), none(), none(), scalar("True"), none()}, false)
            .add(op("aten::empty_strided",
                    {list(fmt::format("[{}, {}]", kBatch, kLength)),
                     list(fmt::format("[{}, 1]", kLength)), scalar("4")},
                    false)
                     .add_memory(bytes))
            .add(copied);
    OpTree& made =
        op("aten::to", {words, scalar("0"), scalar("4"), scalar("True"), scalar("False")}, false);
    copies.push_back(
        &made.add(to)
             .add(call("cudaEventRecord", 135, 1'200))
             .add_wait(call("cudaStreamWaitEvent", 147, 1'300), kComputeStream, kCopyStream));
  }
  const Input rows = tensor({kBatch, kLength}, "long int");
  OpTree& copied_on_gpu = op("aten::copy_", {rows, rows, scalar("False")}, false);
  if (is_amd_) {  // a kernel that copies
    copied_on_gpu.add(*launch_call, kernel("__amd_rocclr_copyBuffer", 32, 512, 0, 0, 1'700));
  } else {
    copied_on_gpu.add(copy_call, copy("Memcpy DtoD (Device -> Device)", bytes, 1'700));
  }
  copies.push_back(&op("aten::clone", {rows, none()}, false)
                        .add(op("aten::empty_like", {rows}, false).add(empty({kRows})))
                        .add(copied_on_gpu));
}

void Network::make_optimizer() {
  optimizer_step = host("Optimizer.step#AdamW.step", "", true);
  optimizer_zero = host("Optimizer.zero_grad#AdamW.zero_grad", "", true);
  loader = host("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "", true);
  forward_range = host("## forward ##", "", true);
  distributed_forward = host("DistributedDataParallel.forward", "", true);
  // A list of tensors has a list of their sizes.
  Input tensors = list("");
  tensors.type = "TensorList";
  tensors.dims = fmt::format("[[{0}, {0}], [{0}], [{1}, {0}], [{1}]]", width_, 4 * width_);
  tensors.strides = fmt::format("[[{0}, 1], [1], [{0}, 1], [1]]", width_);
  optimizer_op = host(is_old_ ? "aten::_foreach_addcdiv_" : "aten::_fused_adamw_",
                      inputs({tensors, tensors, tensors, tensors, list(""), scalar("0.0003")}));
  const std::string data = fmt::format(
      "at::native::(anonymous namespace)::FusedOptimizerTensorList"
      "Metadata<4>, at::native::(anonymous namespace)::FusedAdam"
      "MathFunctor<{}, 4, (at::native::(anonymous namespace)::"
      "ADAM_MODE)1, false>",
      functor_type_);
  optimizer_kernels = {
      &kernel(
          fmt::format("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<{0}, "
                      "float const*, double, double, double, double, double, bool, float*, "
                      "float*>({0}, float const*, double, double, double, double, double, bool, "
                      "float*, float*)",
                      data),
          320, 512, 64, 0, 52'000),
      &kernel(fmt::format("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<"
                          "at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::"
                          "(anonymous namespace)::UnaryOpFunctor<{0}, 1, 1, 0>, at::native::sqrt<"
                          "{0}> >(at::native::(anonymous namespace)::TensorListMetadata<1>)",
                          functor_type_),
              160, 512, 32, 0, 14'000)};
  small_memset = &copy("Memset (Device)", 4'096, 1'100);
}

}  // namespace dlview::generate::pytorch
