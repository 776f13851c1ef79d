#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "aggregate/limits/read_call.h"

namespace dlview::aggregate {
namespace {

// The result of an elementwise op: dimensions of 1 broadcast. nullopt = they do not fit.
std::optional<Dims> broadcast(const ReadCall& call) {
  Dims result;
  for (const InputShape& input : call.inputs) {
    if (input.is_list) return std::nullopt;
    const Dims& dims = input.dims;
    if (dims.size() > result.size()) result.insert(result.begin(), dims.size() - result.size(), 1);
    for (std::size_t i = 0; i < dims.size(); ++i) {
      int64_t& size = result[result.size() - dims.size() + i];
      if (size != dims[i] && size != 1 && dims[i] != 1) return std::nullopt;
      if (size == 1) size = dims[i];
    }
  }
  return result;
}

// Bytes of all tensors that the call reads.
TensorBytes bytes_of_inputs(const ReadCall& call, Amount& elements) {
  TensorBytes bytes;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    for (const Dims& dims : call.inputs[i].list) {
      elements = elements + elements_of(dims);
      bytes.add(elements_of(dims), call.bytes_of(i));
    }
    if (!call.has(i)) continue;
    elements = elements + elements_of(call.dims(i));
    bytes.add(elements_of(call.dims(i)), call.bytes_of(i));
  }
  return bytes;
}

bool has_tensor(const ReadCall& call) {
  return std::ranges::any_of(call.inputs, [](const InputShape& input) {
    return !input.dims.empty() || !input.list.empty();
  });
}

OpWork pass_work(WorkKind kind, Amount flops, const TensorBytes& bytes, std::string formula) {
  OpWork work;
  work.kind = kind;
  set_work(work, flops, bytes.sum());
  work.formula = std::move(formula);
  if (!bytes.sum() && work.why_unknown.empty()) work.why_unknown = "Element size not recorded";
  return work;
}

bool is_of_floats(std::string_view type) {
  constexpr auto kWords = std::to_array<std::string_view>({"float", "Float", "double", "Half"});
  return std::ranges::any_of(
      kWords, [type](std::string_view word) { return type.find(word) != std::string_view::npos; });
}

// Bytes per element of an elementwise op's result: that of the widest tensor, floats before whole
// numbers. A comparison gives booleans.
int64_t result_bytes(const ReadCall& call) {
  if (call.is_in_place) return call.bytes_of(0);
  if (call.is({"eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor",
               "logical_not", "isnan", "isinf"})) {
    return 1;
  }
  int64_t bytes = 0;
  bool is_float = false;
  for (std::size_t i = call.is({"where"}) ? 1 : 0; i < call.inputs.size(); ++i) {
    if (!call.has(i)) continue;
    if (call.bytes_of(i) == 0) return 0;
    const bool is_this = i < call.types.size() && is_of_floats(call.types[i]);
    if (is_this == is_float) bytes = std::max(bytes, call.bytes_of(i));
    if (is_this && !is_float) bytes = call.bytes_of(i);
    is_float |= is_this;
  }
  return bytes;
}

// Tensors without dimensions: one number each. Only their types tell them from parameters.
OpWork number_work(const ReadCall& call, int64_t flops_each) {
  TensorBytes bytes;
  int64_t tensors = 0;
  for (const std::string& type : call.types) {
    const auto size = profile::bytes_of_data_type(type);
    if (!size) continue;
    bytes.add(Amount(1), *size);
    ++tensors;
  }
  if (tensors == 0) return unknown_work("Input shapes not recorded");
  bytes.add(Amount(1), call.bytes_of(0));
  return pass_work(flops_each == 0 ? WorkKind::copy : WorkKind::elementwise, Amount(flops_each),
                   bytes, fmt::format("{} for one number", flops_each));
}

// Whether the last input is where the result goes: clamp_min(x, 0, out), add(x, y, alpha, out). It
// follows a parameter. Ops that read such a tensor are left out.
bool has_out(const ReadCall& call, const Dims& result) {
  const std::size_t count = call.inputs.size();
  if (count < 3 || call.is({"where", "addcmul", "addcdiv", "lerp"})) return false;
  return call.has(0) && !call.has(count - 2) && call.has(count - 1) &&
         call.dims(count - 1) == result;
}

ReadCall without_last(ReadCall call) {
  call.inputs.pop_back();
  return call;
}

OpWork elementwise_work(const ReadCall& call, int64_t flops_each) {
  const auto result = broadcast(call);
  if (!result) return unknown_work("Shapes do not broadcast");
  if (result->empty()) return number_work(call, flops_each);
  Amount elements(0);
  TensorBytes bytes = bytes_of_inputs(has_out(call, *result) ? without_last(call) : call, elements);
  bytes.add(elements_of(*result), result_bytes(call));
  const Amount count = elements_of(*result);
  OpWork work = pass_work(
      flops_each == 0 ? WorkKind::copy : WorkKind::elementwise, count * Amount(flops_each), bytes,
      fmt::format("{} per element = {} × {}", flops_each, flops_each, count.value().value_or(0)));
  work.bytes_exact = true;
  work.flops_exact = flops_each == 0;
  return work;
}

// copy_(destination, source): the destination is only written.
OpWork copy_work(const ReadCall& call) {
  if (!call.has(0) || call.inputs.size() < 2) return elementwise_work(call, 0);
  TensorBytes bytes;
  bytes.add(elements_of(call.dims(0)), call.bytes_of(0));
  bytes.add(elements_of(call.dims(1)), call.bytes_of(1));
  OpWork work = pass_work(WorkKind::copy, Amount(0), bytes, "0: a copy");
  work.flops_exact = work.bytes_exact = true;
  return work;
}

// PyTorch's number of a data type, as a parameter: 6 = float.
std::optional<int64_t> bytes_of_number_format(const ReadCall& call, std::size_t input) {
  constexpr std::array<int64_t, 16> kBytes{1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4, 2};
  const auto number = call.numbers(input);
  if (!number || number->size() != 1 || number->front() < 0 ||
      number->front() >= static_cast<int64_t>(kBytes.size())) {
    return std::nullopt;
  }
  return kBytes[static_cast<std::size_t>(number->front())];
}

OpWork fill_work(const ReadCall& call) {
  if (!call.has(0)) return number_work(call, 0);
  TensorBytes bytes;
  bytes.add(elements_of(call.dims(0)), call.bytes_of(0));
  OpWork work = pass_work(WorkKind::copy, Amount(0), bytes, "0: only writes");
  work.flops_exact = work.bytes_exact = true;
  return work;
}

OpWork per_element_work(const ReadCall& call, WorkKind kind, std::size_t input, int64_t flops_each,
                        int64_t tensors) {
  if (!call.has(input)) return unknown_work("Input shapes not recorded");
  const Amount elements = elements_of(call.dims(input));
  TensorBytes bytes;
  bytes.add(elements * Amount(tensors), call.bytes_of(input));
  OpWork work = pass_work(kind, elements * Amount(flops_each), bytes,
                          fmt::format("≈ {} per element = {} × {}", flops_each, flops_each,
                                      elements.value().value_or(0)));
  work.assumptions.push_back(fmt::format("about {} FLOP per element", flops_each));
  return work;
}

OpWork reduction_work(const ReadCall& call) {
  Amount elements(0);
  const TensorBytes bytes = bytes_of_inputs(call, elements);
  if (!has_tensor(call)) return unknown_work("Input shapes not recorded");
  OpWork work = pass_work(WorkKind::reduction, elements, bytes,
                          fmt::format("1 per input = {}", elements.value().value_or(0)));
  work.assumptions.emplace_back("negligible result size");
  return work;
}

OpWork pooling_work(const ReadCall& call) {
  if (!call.has(0) || call.dims(0).size() < 3) return unknown_work("Input shapes not recorded");
  const Dims& input = call.dims(0);
  const std::size_t count = call.name.find("1d") != std::string::npos   ? 1
                            : call.name.find("3d") != std::string::npos ? 3
                                                                        : 2;
  const auto kernel = of_dimensions(call, 1, count);
  const bool is_adaptive = call.name.starts_with("adaptive") || call.name.starts_with("_adaptive");
  if (!kernel || is_adaptive || input.size() < count + 1) {
    return per_element_work(call, WorkKind::pooling, 0, 1, 1);
  }
  const auto stride = of_dimensions(call, 2, count).value_or(*kernel);
  const auto padding = of_dimensions(call, 3, count).value_or(Dims(count, 0));
  const Dims in(input.end() - static_cast<std::ptrdiff_t>(count), input.end());
  const auto out = convolution_output(in, *kernel, stride, padding, Dims(count, 1), false);
  if (!out) return per_element_work(call, WorkKind::pooling, 0, 1, 1);
  const Amount channels =
      elements_of(Dims(input.begin(), input.end() - static_cast<std::ptrdiff_t>(count)));
  const Amount results = channels * elements_of(*out);
  TensorBytes bytes;
  bytes.add(elements_of(input) + results, call.bytes_of(0));
  if (call.name.ends_with("with_indices")) bytes.add(results, sizeof(int64_t));
  OpWork work = pass_work(
      WorkKind::pooling, results * elements_of(*kernel), bytes,
      fmt::format("k per output = {} × {}", fmt::join(*kernel, "·"), results.value().value_or(0)));
  return work;
}

// Rows of a table that occur several times may be read once; what is written is sure.
void assume_rows_read(OpWork& work, const Amount& written, int64_t bytes_each) {
  work.assumptions.emplace_back("each row is read from memory");
  if (work.bytes) work.bytes_least = (written * Amount(bytes_each)).value();
}

OpWork gather_work(const ReadCall& call, std::size_t table, std::size_t indices) {
  if (!call.has(table) || !call.has(indices)) return unknown_work("Input shapes not recorded");
  const Amount rows = elements_of(call.dims(indices));
  const Dims& dims = call.dims(table);
  const Amount width = elements_of(Dims(dims.begin() + 1, dims.end()));
  TensorBytes bytes;
  bytes.add(rows * width * Amount(2), call.bytes_of(table)).add(rows, call.bytes_of(indices));
  OpWork work = pass_work(WorkKind::gather, Amount(0), bytes, "0: reads and writes rows");
  work.flops_exact = true;
  assume_rows_read(work, rows * width, call.bytes_of(table));
  return work;
}

// One element of the values for each index, read and written.
OpWork moved_work(const ReadCall& call, std::size_t values, std::optional<std::size_t> indices) {
  const std::size_t counted = indices.value_or(values);
  if (!call.has(counted) || call.inputs.size() <= values) {
    return unknown_work("Input shapes not recorded");
  }
  const Amount count = elements_of(call.dims(counted));
  TensorBytes bytes;
  bytes.add(count * Amount(2), call.bytes_of(values));
  if (indices) bytes.add(count, call.bytes_of(*indices));
  OpWork work = pass_work(WorkKind::gather, Amount(0), bytes, "0: reads and writes elements");
  if (!indices) work.assumptions.emplace_back("index bytes not counted");
  return work;
}

// index_select(table, dimension, index)
OpWork index_select_work(const ReadCall& call) {
  if (!call.has(0) || !call.has(2)) return unknown_work("Input shapes not recorded");
  Dims row = call.dims(0);
  const auto dimension = call.numbers(1);
  if (!dimension && row.size() > 1) return unknown_work("Dimension of the index not recorded");
  int64_t at = dimension && dimension->size() == 1 ? dimension->front() : 0;
  if (at < 0) at += static_cast<int64_t>(row.size());
  if (at < 0 || at >= static_cast<int64_t>(row.size())) return unknown_work("Sizes do not match");
  row[static_cast<std::size_t>(at)] = 1;
  const Amount rows = elements_of(call.dims(2));
  TensorBytes bytes;
  bytes.add(rows * elements_of(row) * Amount(2), call.bytes_of(0)).add(rows, call.bytes_of(2));
  OpWork work = pass_work(WorkKind::gather, Amount(0), bytes, "0: reads and writes rows");
  work.flops_exact = true;
  assume_rows_read(work, rows * elements_of(row), call.bytes_of(0));
  return work;
}

// nll_loss: one value of each row, and its class.
OpWork chosen_work(const ReadCall& call) {
  if (!call.has(0) || !call.has(1)) return unknown_work("Input shapes not recorded");
  const Amount rows = elements_of(call.dims(1));
  TensorBytes bytes;
  bytes.add(rows, call.bytes_of(0)).add(rows, call.bytes_of(1));
  return pass_work(WorkKind::gather, rows, bytes, "1 per row");
}

// A loss is a sum or a mean unless its last parameter is 0.
bool is_without_reduction(const ReadCall& call) {
  const auto reduction = call.numbers(2);
  return reduction && *reduction == Dims{0};
}

bool is_pooling_name(std::string_view name) {
  constexpr auto kBegins = std::to_array<std::string_view>(
      {"max_pool", "avg_pool", "lp_pool", "adaptive_", "_adaptive_", "fractional_max_pool"});
  return name.find("pool") != std::string_view::npos &&
         std::ranges::any_of(kBegins,
                             [name](std::string_view begin) { return name.starts_with(begin); });
}

// Reads the gradient of the result (and the places of maxima), writes that of the input.
OpWork pooling_gradient_work(const ReadCall& call) {
  if (!call.has(0) || !call.has(1)) return unknown_work("Input shapes not recorded");
  const Amount gradients = elements_of(call.dims(0));
  TensorBytes bytes;
  bytes.add(gradients, call.bytes_of(0)).add(elements_of(call.dims(1)), call.bytes_of(1));
  if (call.name.find("max_pool") != std::string::npos) bytes.add(gradients, sizeof(int64_t));
  return pass_work(WorkKind::pooling, gradients, bytes,
                   fmt::format("≈ 1 per gradient = {}", gradients.value().value_or(0)));
}

// Fused ops of libraries for inference, and kernels of torch.compile: all arguments once, results
// among them.
std::optional<OpWork> library_work(const ReadCall& call) {
  Amount elements(0);
  const TensorBytes all = bytes_of_inputs(call, elements);
  const Amount first = call.has(0) ? elements_of(call.dims(0)) : Amount(0);
  if (call.is({"rmsnorm", "add_rmsnorm"}) && call.has(0)) {
    return pass_work(WorkKind::normalization, first * Amount(5), all, "≈ 5 per element");
  }
  if (call.is({"silu_and_mul", "gelu_and_mul", "gelu_tanh_and_mul"}) && call.has(0)) {
    return pass_work(WorkKind::elementwise, first * Amount(2), all, "≈ 2 per result");
  }
  if (call.is({"rotary_embedding"}) && call.has(1) && call.has(2)) {
    // Query and key are rotated in place.
    TensorBytes bytes;
    bytes.add(elements_of(call.dims(1)) * Amount(2), call.bytes_of(1));
    bytes.add(elements_of(call.dims(2)) * Amount(2), call.bytes_of(2));
    return pass_work(WorkKind::elementwise,
                     (elements_of(call.dims(1)) + elements_of(call.dims(2))) * Amount(3), bytes,
                     "≈ 3 per element");
  }
  if (call.is({"store_cache"}) && call.has(0) && call.has(1)) {
    TensorBytes bytes;
    bytes.add(elements_of(call.dims(0)) * Amount(2), call.bytes_of(0));
    bytes.add(elements_of(call.dims(1)) * Amount(2), call.bytes_of(1));
    return pass_work(WorkKind::copy, Amount(0), bytes, "0: rows copied");
  }
  const bool is_pointwise = call.name.starts_with("triton_poi_");
  if ((is_pointwise || call.name.starts_with("triton_red_") ||
       call.name.starts_with("triton_per_")) &&
      has_tensor(call)) {
    OpWork work = pass_work(is_pointwise ? WorkKind::elementwise : WorkKind::reduction, Amount(0),
                            all, "bytes of all arguments");
    work.flops.reset();
    work.why_unknown = "Operations of a fused kernel not recorded";
    work.assumptions.emplace_back("every argument read or written once");
    return work;
  }
  return std::nullopt;
}

// Lists of parameters, gradients and states.
OpWork optimizer_work(const ReadCall& call, int64_t flops_each) {
  if (call.inputs.empty() || !call.inputs[0].is_list)
    return unknown_work("Shapes of lists not recorded");
  Amount elements(0), all(0);
  for (const Dims& dims : call.inputs[0].list) elements = elements + elements_of(dims);
  TensorBytes bytes = bytes_of_inputs(call, all);
  // Parameters are written, and states that are as large; gradients are not.
  int64_t written = 0;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    Amount of_list(0);
    for (const Dims& dims : call.inputs[i].list) of_list = of_list + elements_of(dims);
    if (i != 1 && of_list.value() == elements.value()) ++written;
  }
  bytes.add(elements * Amount(written), call.bytes_of(0));
  OpWork work = pass_work(WorkKind::optimizer, elements * Amount(flops_each), bytes,
                          fmt::format("≈ {} per parameter = {} × {}", flops_each, flops_each,
                                      elements.value().value_or(0)));
  work.assumptions.push_back(fmt::format("about {} FLOP per parameter", flops_each));
  return work;
}

constexpr auto kUnary = std::to_array<std::string_view>({"relu",
                                                         "gelu",
                                                         "silu",
                                                         "sigmoid",
                                                         "tanh",
                                                         "exp",
                                                         "log",
                                                         "log2",
                                                         "log10",
                                                         "log1p",
                                                         "exp2",
                                                         "expm1",
                                                         "log_sigmoid_forward",
                                                         "tan",
                                                         "sqrt",
                                                         "rsqrt",
                                                         "neg",
                                                         "abs",
                                                         "sin",
                                                         "cos",
                                                         "erf",
                                                         "hardtanh",
                                                         "hardswish",
                                                         "hardsigmoid",
                                                         "leaky_relu",
                                                         "elu",
                                                         "softplus",
                                                         "mish",
                                                         "clamp",
                                                         "clamp_min",
                                                         "clamp_max",
                                                         "pow",
                                                         "reciprocal",
                                                         "square",
                                                         "floor",
                                                         "ceil",
                                                         "round",
                                                         "sign",
                                                         "logical_not",
                                                         "bitwise_not",
                                                         "isnan",
                                                         "isinf",
                                                         "dropout",
                                                         "native_dropout",
                                                         "fused_dropout",
                                                         "bernoulli",
                                                         "uniform",
                                                         "normal",
                                                         "randn",
                                                         "rand",
                                                         "masked_fill",
                                                         "where",
                                                         "triu",
                                                         "tril",
                                                         "cumsum",
                                                         "nan_to_num",
                                                         "exponential",
                                                         "random",
                                                         "threshold"});
constexpr auto kBinary = std::to_array<std::string_view>({"add",
                                                          "sub",
                                                          "rsub",
                                                          "mul",
                                                          "div",
                                                          "true_divide",
                                                          "divide",
                                                          "mul_out",
                                                          "floor_divide",
                                                          "remainder",
                                                          "fmod",
                                                          "maximum",
                                                          "minimum",
                                                          "eq",
                                                          "ne",
                                                          "lt",
                                                          "le",
                                                          "gt",
                                                          "ge",
                                                          "logical_and",
                                                          "logical_or",
                                                          "logical_xor",
                                                          "bitwise_and",
                                                          "bitwise_or",
                                                          "bitwise_xor",
                                                          "atan2",
                                                          "addcmul",
                                                          "addcdiv",
                                                          "lerp",
                                                          "threshold_backward",
                                                          "gelu_backward",
                                                          "silu_backward",
                                                          "sigmoid_backward",
                                                          "tanh_backward",
                                                          "native_dropout_backward",
                                                          "hardtanh_backward",
                                                          "hardswish_backward",
                                                          "leaky_relu_backward",
                                                          "elu_backward",
                                                          "masked_scale",
                                                          "mse_loss",
                                                          "mse_loss_backward",
                                                          "smooth_l1_loss",
                                                          "l1_loss",
                                                          "binary_cross_entropy_with_logits"});
constexpr auto kCopies = std::to_array<std::string_view>(
    {"copy", "to", "_to_copy", "clone", "contiguous", "cat", "stack", "flip", "roll", "repeat",
     "constant_pad_nd", "expand_copy", "permute_copy"});
constexpr auto kReductions =
    std::to_array<std::string_view>({"sum",           "mean",
                                     "max",           "min",
                                     "amax",          "amin",
                                     "argmax",        "argmin",
                                     "norm",          "linalg_vector_norm",
                                     "prod",          "any",
                                     "all",           "var",
                                     "std",           "var_mean",
                                     "std_mean",      "logsumexp",
                                     "count_nonzero", "topk",
                                     "sort",          "_local_scalar_dense"});
constexpr auto kNorms = std::to_array<std::string_view>(
    {"layer_norm", "native_layer_norm", "batch_norm", "native_batch_norm", "cudnn_batch_norm",
     "miopen_batch_norm", "group_norm", "native_group_norm", "rms_norm", "_fused_rms_norm",
     "instance_norm", "_batch_norm_impl_index", "batch_norm_elemt"});
constexpr auto kNormGradients = std::to_array<std::string_view>(
    {"native_layer_norm_backward", "native_batch_norm_backward", "cudnn_batch_norm_backward",
     "miopen_batch_norm_backward", "native_group_norm_backward", "_fused_rms_norm_backward",
     "batch_norm_backward_elemt"});

}  // namespace

OpWork pass_over_work(const ReadCall& call) {
  constexpr int64_t kNormFlops = 8, kSoftmaxFlops = 5, kAdamFlops = 12, kForeachFlops = 1;
  if (call.is({"softmax", "_softmax", "log_softmax", "_log_softmax"})) {
    return per_element_work(call, WorkKind::softmax, 0, kSoftmaxFlops, 2);
  }
  if (call.is({"_softmax_backward_data", "_log_softmax_backward_data"})) {
    return per_element_work(call, WorkKind::softmax, 0, kSoftmaxFlops, 3);
  }
  if (call.is_one_of(kNorms))
    return per_element_work(call, WorkKind::normalization, 0, kNormFlops, 2);
  if (call.is_one_of(kNormGradients)) {
    return per_element_work(call, WorkKind::normalization, 0, 2 * kNormFlops, 3);
  }
  if (call.is({"fill", "zero", "zeros_like", "ones_like"})) return fill_work(call);
  if (call.is_in_place && call.is({"bernoulli", "uniform", "normal", "random", "exponential"})) {
    return fill_work(call);
  }
  if (call.is({"copy"})) return copy_work(call);
  if (call.is_one_of(kCopies)) {
    Amount elements(0);
    TensorBytes bytes;
    if (call.is({"cat", "stack"})) {
      bytes = bytes_of_inputs(call, elements);
    } else if (call.has(0)) {
      elements = elements_of(call.dims(0));
      bytes.add(elements, call.bytes_of(0));
    }
    if (!has_tensor(call)) return unknown_work("Input shapes not recorded");
    int64_t size = call.bytes_of(0);
    if (call.is({"to", "_to_copy"})) size = bytes_of_number_format(call, 1).value_or(size);
    if (call.is({"repeat"})) {
      const auto times = call.numbers(1);
      if (!times) return unknown_work("Number of copies not recorded");
      elements = elements * elements_of(*times);
    }
    bytes.add(elements, size);
    OpWork work = pass_work(WorkKind::copy, Amount(0), bytes, "0: a copy");
    work.flops_exact = true;
    return work;
  }
  if (call.is({"embedding"})) return gather_work(call, 0, 1);
  if (call.is({"index_select"})) return index_select_work(call);
  if (call.is({"gather"})) return moved_work(call, 0, 2);
  if (call.is({"scatter", "scatter_add", "index_add", "index_copy"})) {
    return moved_work(call, 3, 2);
  }
  if (call.is({"_index_put_impl", "index_put"})) return moved_work(call, 2, std::nullopt);
  if (call.is({"nll_loss_forward", "nll_loss2d_forward"})) return chosen_work(call);
  if (call.is({"nll_loss_backward", "nll_loss2d_backward"}) && call.has(1)) {
    TensorBytes bytes;  // the whole gradient is written
    bytes.add(elements_of(call.dims(1)), call.bytes_of(1));
    return pass_work(WorkKind::gather, Amount(0), bytes, "0: only writes");
  }
  if (call.is({"mse_loss", "smooth_l1_loss", "l1_loss"}) && !is_without_reduction(call)) {
    return reduction_work(call);
  }
  if (auto work = library_work(call)) return *std::move(work);
  // "memory_pool__set" is none.
  if (is_pooling_name(call.name)) {
    return call.name.ends_with("_backward") ? pooling_gradient_work(call) : pooling_work(call);
  }
  if (call.name.starts_with("_fused_adam") || call.name.starts_with("_fused_adagrad")) {
    return optimizer_work(call, kAdamFlops);
  }
  if (call.name.starts_with("_fused_sgd")) return optimizer_work(call, 2);
  if (call.name.starts_with("_foreach_")) return optimizer_work(call, kForeachFlops);
  if (call.is_one_of(kReductions)) return reduction_work(call);
  if (call.is_one_of(kUnary) || call.is_one_of(kBinary)) {
    return call.inputs.empty() ? unknown_work("Input shapes not recorded")
                               : elementwise_work(call, 1);
  }
  return unknown_work("No formula for this op");
}

}  // namespace dlview::aggregate
