#include "generate/pytorch/network.h"

#include <fmt/format.h>

namespace dlview::generate::pytorch {
namespace {

constexpr int64_t kBatch = 8, kLength = 512, kRows = kBatch * kLength;
constexpr int64_t kHeads = 16, kWords = 50'304;

}  // namespace

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
