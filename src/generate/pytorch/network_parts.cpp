// The parts of which a network is made: texts of arguments, specs of events, ops and collectives.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generate/pytorch/network.h"

namespace dlview::generate::pytorch {
namespace {

constexpr int64_t kMultiprocessors = 132;

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

}  // namespace dlview::generate::pytorch
