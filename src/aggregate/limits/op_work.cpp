#include "aggregate/limits/op_work.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "aggregate/limits/call_shapes.h"
#include "profile/data_types.h"

namespace dlview::aggregate {
namespace {

using Names = std::initializer_list<std::string_view>;

constexpr std::string_view kTimes = " × ";

// A call with its texts read.
struct ReadCall {
  std::string name;  // "addmm": without namespace, underscore of in-place ops, in lower case
  bool is_in_place = false, is_backward = false, is_aten = false;
  std::vector<InputShape> inputs;
  std::optional<std::vector<InputShape>> outputs;  // nullopt = not recorded
  std::vector<std::string> types, parameters;
  std::optional<int64_t> data_bytes;  // of an element of the op's data type

  bool is(Names names) const {
    return std::ranges::find(names, std::string_view(name)) != names.end();
  }
  template <std::size_t count>
  bool is_one_of(const std::array<std::string_view, count>& names) const {
    return std::ranges::find(names, std::string_view(name)) != names.end();
  }
  bool has(std::size_t input) const { return input < inputs.size() && !inputs[input].dims.empty(); }
  const Dims& dims(std::size_t input) const { return inputs[input].dims; }
  // Bytes of an element of an input; 0 = unknown.
  int64_t bytes_of(std::size_t input) const {
    if (input < types.size()) {
      if (const auto bytes = profile::bytes_of_data_type(types[input])) return *bytes;
    }
    return data_bytes.value_or(0);
  }
  std::optional<Dims> numbers(std::size_t input) const {
    return input < parameters.size() ? read_numbers(parameters[input]) : std::nullopt;
  }
  std::optional<bool> flag(std::size_t input) const {
    return input < parameters.size() ? read_flag(parameters[input]) : std::nullopt;
  }
};

OpWork unknown(std::string why) {
  OpWork work;
  work.why_unknown = std::move(why);
  return work;
}

// Sets what fits; a number beyond 2^63 is unknown.
void set_work(OpWork& work, Amount flops, std::optional<Amount> bytes) {
  work.flops = flops.value();
  if (bytes) work.bytes = bytes->value();
  if (!work.flops || (bytes && !work.bytes)) work.why_unknown = "Shapes too large";
}

// Bytes of the tensors; nullopt = the size of an element is unknown.
class Bytes {
 public:
  Bytes& add(Amount elements, int64_t bytes_each) {
    is_known_ &= bytes_each > 0;
    sum_ = sum_ + elements * Amount(bytes_each);
    return *this;
  }
  std::optional<Amount> sum() const { return is_known_ ? std::optional(sum_) : std::nullopt; }

 private:
  Amount sum_{0};
  bool is_known_ = true;
};

// ---- GEMM

OpWork gemm_work(const ReadCall& call, const GemmShape& gemm, Bytes bytes) {
  OpWork work;
  work.kind = WorkKind::gemm;
  work.gemm = gemm;
  const Amount flops = Amount(2) * Amount(gemm.batch) * Amount(gemm.m) * Amount(gemm.n) *
                       Amount(gemm.k) * Amount(call.is_backward ? 2 : 1);
  set_work(work, flops, bytes.sum());
  work.flops_exact = work.bytes_exact = true;
  const std::string batch = gemm.batch > 1 ? fmt::format("{}{}", gemm.batch, kTimes) : "";
  work.formula = fmt::format("{}2{}MNK = {}2 × {} × {} × {}", call.is_backward ? "2 × " : "",
                             gemm.batch > 1 ? "B" : "", call.is_backward ? "2 × " : "",
                             batch + std::to_string(gemm.m), gemm.n, gemm.k);
  if (call.is_backward) {
    work.assumptions.emplace_back("Gradients of input and weight");
    work.flops_exact = work.bytes_exact = false;
  }
  return work;
}

// Rows of a matrix with a vector as its last dimension: all others are rows.
Amount rows_before_last(const Dims& dims) {
  return elements_of(Dims(dims.begin(), dims.end() - 1));
}

OpWork matrix_times_matrix(const ReadCall& call, std::size_t first,
                           std::optional<std::size_t> bias) {
  if (!call.has(first) || !call.has(first + 1)) return unknown("Input shapes not recorded");
  const Dims &a = call.dims(first), &b = call.dims(first + 1);
  const bool is_batched = a.size() == 3 && b.size() == 3;
  if ((a.size() != 2 || b.size() != 2) && !is_batched) return unknown("Shapes are not matrices");
  if (a.back() != b[b.size() - 2] || (is_batched && a[0] != b[0])) {
    return unknown("Sizes of the matrices do not match");
  }
  const GemmShape gemm{a[a.size() - 2], b.back(), a.back(), is_batched ? a[0] : 1};
  const int64_t size = call.bytes_of(first);
  Bytes bytes;
  bytes.add(elements_of(a), size).add(elements_of(b), call.bytes_of(first + 1));
  bytes.add(Amount(gemm.batch) * Amount(gemm.m) * Amount(gemm.n), size);
  if (bias && call.has(*bias)) bytes.add(elements_of(call.dims(*bias)), call.bytes_of(*bias));
  return gemm_work(call, gemm, bytes);
}

OpWork linear_work(const ReadCall& call) {
  if (!call.has(0) || !call.has(1)) return unknown("Input shapes not recorded");
  const Dims &input = call.dims(0), &weight = call.dims(1);
  if (weight.size() != 2 || weight[1] != input.back()) {
    return unknown("Sizes of input and weight do not match");
  }
  const auto rows = rows_before_last(input).value();
  if (!rows) return unknown("Shapes too large");
  const GemmShape gemm{*rows, weight[0], weight[1], 1};
  const int64_t size = call.bytes_of(0);
  const Amount out = Amount(gemm.m) * Amount(gemm.n);
  Bytes bytes;
  const int64_t passes = call.is_backward ? 2 : 1;  // reads and gradients of input and weight
  bytes.add(elements_of(input) * Amount(passes), size);
  bytes.add(elements_of(weight) * Amount(passes), call.bytes_of(1)).add(out, size);
  if (call.has(2)) bytes.add(elements_of(call.dims(2)), call.bytes_of(2));
  return gemm_work(call, gemm, bytes);
}

// As torch.matmul: vectors are rows or columns, leading dimensions broadcast.
OpWork matmul_work(const ReadCall& call) {
  if (!call.has(0) || !call.has(1)) return unknown("Input shapes not recorded");
  Dims a = call.dims(0), b = call.dims(1);
  const Amount elements = elements_of(a), other_elements = elements_of(b);
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  if (a.back() != b[b.size() - 2]) return unknown("Sizes of the matrices do not match");
  GemmShape gemm{a[a.size() - 2], b.back(), a.back(), 1};
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  Amount batch(1);
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t right = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1) return unknown("Batch sizes do not match");
    batch = batch * Amount(left == 1 ? right : left);
  }
  if (!batch.value()) return unknown("Shapes too large");
  // One matrix for all of the batch is one large product.
  gemm.batch = *batch.value();
  Bytes bytes;
  bytes.add(elements, call.bytes_of(0)).add(other_elements, call.bytes_of(1));
  bytes.add(batch * Amount(gemm.m) * Amount(gemm.n), call.bytes_of(0));
  return gemm_work(call, gemm, bytes);
}

OpWork matrix_times_vector(const ReadCall& call, std::size_t first) {
  if (!call.has(first) || !call.has(first + 1)) return unknown("Input shapes not recorded");
  const Dims &a = call.dims(first), &b = call.dims(first + 1);
  if (a.size() > 2 || b.size() != 1 || a.back() != b[0]) return unknown("Sizes do not match");
  const GemmShape gemm{a.size() == 2 ? a[0] : 1, 1, b[0], 1};
  Bytes bytes;
  bytes.add(elements_of(a), call.bytes_of(first)).add(elements_of(b), call.bytes_of(first + 1));
  bytes.add(Amount(gemm.m), call.bytes_of(first));
  return gemm_work(call, gemm, bytes);
}

// ---- convolution

// Where a convolution has its parameters; 0 = it has none.
struct ConvolutionInputs {
  std::size_t input = 0, weight = 1, bias = 2;
  std::size_t stride = 3, padding = 4, dilation = 5, transposed = 0, groups = 6, mask = 0;
  std::optional<std::size_t> gradient = std::nullopt;  // of the output, in a backward pass
};

std::optional<ConvolutionInputs> convolution_inputs(const ReadCall& call) {
  if (call.is({"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
               "conv_transpose3d"})) {
    return ConvolutionInputs{};
  }
  if (call.is({"convolution", "_convolution", "convolution_overrideable"})) {
    return ConvolutionInputs{.transposed = 6, .groups = 8};
  }
  if (call.is({"cudnn_convolution", "cudnn_convolution_transpose"})) {
    return ConvolutionInputs{.bias = 0, .stride = 3, .padding = 2, .dilation = 4, .groups = 5};
  }
  if (call.is({"miopen_convolution", "miopen_depthwise_convolution"})) {
    return ConvolutionInputs{.stride = 4, .padding = 3};
  }
  if (call.is({"cudnn_convolution_relu"})) return ConvolutionInputs{};
  if (call.is({"convolution_backward", "convolution_backward_overrideable"})) {
    return ConvolutionInputs{.input = 1,
                             .weight = 2,
                             .bias = 0,
                             .stride = 4,
                             .padding = 5,
                             .dilation = 6,
                             .transposed = 7,
                             .groups = 9,
                             .mask = 10,
                             .gradient = 0};
  }
  // Of PyTorch until 1.11.
  if (call.is({"cudnn_convolution_backward", "miopen_convolution_backward"})) {
    return ConvolutionInputs{.weight = 2,
                             .bias = 0,
                             .stride = 4,
                             .padding = 3,
                             .dilation = 5,
                             .mask = 10,
                             .gradient = 1};
  }
  return std::nullopt;
}

// A parameter of each dimension: one for all is repeated.
std::optional<Dims> of_dimensions(const ReadCall& call, std::size_t input, std::size_t count) {
  auto numbers = input == 0 ? std::nullopt : call.numbers(input);
  if (!numbers || numbers->empty()) return std::nullopt;
  if (numbers->size() == 1) numbers->resize(count, numbers->front());
  return numbers->size() == count ? numbers : std::nullopt;
}

constexpr int64_t kMostSize = 1 << 30;  // of a dimension, stride or padding: products of two fit

// Sizes of the result without batch and channels; nullopt = the kernel is larger than the input, or
// a number too large.
std::optional<Dims> convolution_output(const Dims& in, const Dims& kernel, const Dims& stride,
                                       const Dims& padding, const Dims& dilation, bool transposed) {
  const auto fits = [](int64_t size) { return -kMostSize <= size && size <= kMostSize; };
  for (const Dims* sizes : {&in, &kernel, &stride, &padding, &dilation}) {
    if (!std::ranges::all_of(*sizes, fits)) return std::nullopt;
  }
  Dims out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const int64_t reach = dilation[i] * (kernel[i] - 1) + 1;
    if (stride[i] <= 0) return std::nullopt;
    const int64_t size = transposed ? (in[i] - 1) * stride[i] - 2 * padding[i] + reach
                                    : (in[i] + 2 * padding[i] - reach) / stride[i] + 1;
    if (size <= 0 || (!transposed && in[i] + 2 * padding[i] < reach)) return std::nullopt;
    out.push_back(size);
  }
  return out;
}

OpWork convolution_work(const ReadCall& call, const ConvolutionInputs& at) {
  if (!call.has(at.input) || !call.has(at.weight)) return unknown("Input shapes not recorded");
  const Dims &input = call.dims(at.input), &weight = call.dims(at.weight);
  if (input.size() < 3 || input.size() != weight.size()) {
    return unknown("Shapes do not fit a convolution");
  }
  if (std::ranges::any_of(input, [](int64_t size) { return size > kMostSize; }) ||
      std::ranges::any_of(weight, [](int64_t size) { return size > kMostSize; })) {
    return unknown("Shapes too large");
  }
  const std::size_t count = input.size() - 2;
  const Dims in(input.begin() + 2, input.end()), kernel(weight.begin() + 2, weight.end());
  const bool transposed = call.name.find("transpose") != std::string::npos ||
                          (at.transposed != 0 && call.flag(at.transposed).value_or(false));
  OpWork work;
  work.kind = WorkKind::convolution;
  work.flops_exact = work.bytes_exact = true;
  const auto stride = of_dimensions(call, at.stride, count);
  auto padding = of_dimensions(call, at.padding, count);
  const auto dilation = of_dimensions(call, at.dilation, count);
  const bool is_same_padding =
      at.padding < call.parameters.size() && call.parameters[at.padding] == "same";
  if (is_same_padding) {
    padding = Dims(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      (*padding)[i] = (dilation ? (*dilation)[i] : 1) * (kernel[i] - 1) / 2;
    }
  }
  std::optional<Dims> out;
  if (at.gradient && call.has(*at.gradient) && call.dims(*at.gradient).size() == input.size()) {
    out = Dims(call.dims(*at.gradient).begin() + 2, call.dims(*at.gradient).end());
  } else if (stride && padding) {
    out = convolution_output(in, kernel, *stride, *padding, dilation.value_or(Dims(count, 1)),
                             transposed);
    if (!out) return unknown("The kernel is larger than its input");
  } else if (call.is_aten || !call.outputs || call.outputs->empty() ||
             call.outputs->front().dims.size() != input.size()) {
    out =
        convolution_output(in, kernel, Dims(count, 1), Dims(count, 0), Dims(count, 1), transposed);
    work.assumptions.emplace_back("Stride 1 and padding 0 assumed");
    if (!out) return unknown("Stride and padding not recorded");
    work.flops_exact = work.bytes_exact = false;
  } else {
    const Dims& recorded = call.outputs->front().dims;
    out = Dims(recorded.begin() + 2, recorded.end());
    // DLProf stores this output whatever the stride and padding are.
    const auto plain =
        convolution_output(in, kernel, Dims(count, 1), Dims(count, 0), Dims(count, 1), transposed);
    if (plain == out) {
      work.assumptions.emplace_back("Stride 1 and padding 0 assumed");
      work.flops_exact = work.bytes_exact = false;
    }
  }
  const int64_t groups = at.groups == 0 ? 1
                         : !transposed && weight[1] > 0 && input[1] % weight[1] == 0
                             ? std::max<int64_t>(input[1] / weight[1], 1)
                             : call.numbers(at.groups).value_or(Dims{1}).front();
  const int64_t out_channels = transposed ? weight[1] * groups : weight[0];
  const Amount batch(input[0]), taps = elements_of(kernel);
  // Of a transposed convolution each input element meets all taps.
  const Amount positions = elements_of(transposed ? in : *out);
  const Amount products =
      batch * positions * taps *
      (transposed ? Amount(input[1]) * Amount(weight[1]) : Amount(weight[0]) * Amount(weight[1]));
  int64_t passes = 1;
  bool has_bias_gradient = false;
  if (at.mask != 0 || call.is_backward) {
    passes = 2;
    const std::string mask =
        at.mask != 0 && at.mask < call.parameters.size() ? call.parameters[at.mask] : std::string();
    const std::vector<std::string> flags = [&] {
      std::vector<std::string> words;
      for (std::size_t i = 0; i < mask.size();) {
        const std::size_t end = std::min(mask.find_first_of("[], ", i), mask.size());
        if (end > i) words.push_back(mask.substr(i, end - i));
        i = end + 1;
      }
      return words;
    }();
    if (flags.size() >= 2) {
      passes = (read_flag(flags[0]).value_or(true) ? 1 : 0) +
               (read_flag(flags[1]).value_or(true) ? 1 : 0);
      has_bias_gradient = flags.size() > 2 && read_flag(flags[2]).value_or(false);
    } else {
      work.assumptions.emplace_back("Gradients of input and weight");
      work.flops_exact = work.bytes_exact = false;
    }
  }
  const Amount flops = Amount(2) * products * Amount(passes);
  const Amount in_elements = elements_of(input), weight_elements = elements_of(weight);
  const Amount out_elements = batch * Amount(out_channels) * elements_of(*out);
  const int64_t size = call.bytes_of(at.input);
  Bytes bytes;
  bytes.add((in_elements + weight_elements + out_elements) * Amount(passes), size);
  if (at.bias != 0 && call.has(at.bias)) {
    bytes.add(elements_of(call.dims(at.bias)), call.bytes_of(at.bias));
  }
  if (has_bias_gradient) bytes.add(Amount(out_channels), size);
  set_work(work, flops, bytes.sum());
  work.formula = fmt::format(
      "{}2 × N × Cout × out × Cin/g × k = {}2 × {} × {} × {} × {} × {}", passes == 2 ? "2 × " : "",
      passes == 2 ? "2 × " : "", input[0], out_channels, fmt::join(transposed ? in : *out, "·"),
      transposed ? input[1] / std::max<int64_t>(groups, 1) : weight[1], fmt::join(kernel, "·"));
  // As a GEMM: positions of all images times channels, over taps.
  const auto m = (batch * elements_of(*out)).value(), k = (Amount(weight[1]) * taps).value();
  if (m && k && groups == 1 && passes == 1 && !transposed) {
    work.gemm = GemmShape{*m, out_channels, *k, 1};
  }
  return work;
}

// ---- attention

struct AttentionInputs {
  std::size_t query = 0;
  bool heads_first = true;  // [batch, heads, tokens, size], else [batch, tokens, heads, size]
  std::size_t causal = 0;   // 0 = no such input
  std::size_t lengths = 0;  // of sequences of unlike lengths; 0 = none
  bool is_backward = false;
};

std::optional<AttentionInputs> attention_inputs(const ReadCall& call) {
  if (call.is({"scaled_dot_product_attention"})) return AttentionInputs{.causal = 5};
  if (call.is({"_scaled_dot_product_flash_attention"})) return AttentionInputs{.causal = 4};
  if (call.is({"_scaled_dot_product_efficient_attention", "_scaled_dot_product_cudnn_attention"})) {
    return AttentionInputs{.causal = 6};
  }
  if (call.is({"_scaled_dot_product_flash_attention_backward"})) {
    return AttentionInputs{.query = 1, .causal = 11, .is_backward = true};
  }
  if (call.is({"_scaled_dot_product_efficient_attention_backward"})) {
    return AttentionInputs{.query = 1, .causal = 11, .is_backward = true};
  }
  if (call.is({"_flash_attention_forward"})) {
    return AttentionInputs{.heads_first = false, .causal = 8, .lengths = 3};
  }
  if (call.is({"_efficient_attention_forward"})) {
    return AttentionInputs{.heads_first = false, .lengths = 4};
  }
  if (call.is({"_flash_attention_backward"})) {
    return AttentionInputs{
        .query = 1, .heads_first = false, .causal = 11, .lengths = 6, .is_backward = true};
  }
  if (call.is({"_efficient_attention_backward"})) {
    return AttentionInputs{.query = 1, .heads_first = false, .lengths = 6, .is_backward = true};
  }
  if (call.is({"_flash_attn_forward", "flashattnfunc", "flash_attn_func"})) {
    return AttentionInputs{.heads_first = false};
  }
  return std::nullopt;
}

OpWork attention_work(const ReadCall& call, const AttentionInputs& at) {
  if (!call.has(at.query) || !call.has(at.query + 1) || !call.has(at.query + 2)) {
    return unknown("Input shapes not recorded");
  }
  if (at.lengths != 0 && call.has(at.lengths)) return unknown("Lengths of sequences not recorded");
  const Dims &q = call.dims(at.query), &k = call.dims(at.query + 1), &v = call.dims(at.query + 2);
  if (q.size() != 4 || k.size() != 4 || v.size() != 4) {
    return unknown("Shapes do not fit query, key and value");
  }
  const std::size_t tokens = at.heads_first ? 2 : 1, heads = at.heads_first ? 1 : 2;
  const int64_t queries = q[tokens], keys = k[tokens];
  OpWork work;
  work.kind = WorkKind::attention;
  work.flops_exact = work.bytes_exact = true;
  work.assumptions.emplace_back(at.heads_first ? "Layout batch, heads, tokens, size"
                                               : "Layout batch, tokens, heads, size");
  const std::optional<bool> causal = at.causal == 0 ? std::nullopt : call.flag(at.causal);
  if (!causal) {
    work.assumptions.emplace_back("Non-causal assumed (upper bound)");
    work.flops_exact = false;
  }
  // Pairs of query and key that a causal mask leaves: the first query with the first key, and in
  // flash attention the last with the last.
  Amount pairs = Amount(queries) * Amount(keys);
  if (causal.value_or(false)) {
    const int64_t full = std::max<int64_t>(queries - keys, 0), rising = queries - full;
    // rising * (rising + 1) is even.
    const auto twice = (Amount(rising) * Amount(rising + 1)).value();
    if (!twice) return unknown("Shapes too large");
    pairs = Amount(*twice / 2) + Amount(full) * Amount(keys);
    if (!at.heads_first && queries != keys) {
      // Above the diagonal that ends at the last key and the last query: a triangle of as many
      // rows as both have, without its diagonal.
      const int64_t rows = std::min(queries, keys);
      const auto above = (Amount(rows) * Amount(rows - 1)).value();
      if (!above) return unknown("Shapes too large");
      const auto square = (Amount(rows) * Amount(keys)).value();
      if (!square) return unknown("Shapes too large");
      pairs = Amount(*square - *above / 2);
      work.assumptions.emplace_back("Causal mask ends at the last key");
    }
  }
  const Amount forward =
      Amount(2) * Amount(q[0]) * Amount(q[heads]) * pairs * (Amount(q[3]) + Amount(v[3]));
  const Amount elements = elements_of(q) + elements_of(k) + elements_of(v);
  const Amount result = Amount(q[0]) * Amount(q[heads]) * Amount(queries) * Amount(v[3]);
  const int64_t size = call.bytes_of(at.query);
  Bytes bytes;
  if (at.is_backward) {
    // Five products where the forward pass has two; its output and gradients besides.
    const auto five = (forward * Amount(5)).value();
    if (!five) return unknown("Shapes too large");
    bytes.add(Amount(2) * (elements + result), size);
    set_work(work, Amount(*five / 2), bytes.sum());
    work.assumptions.emplace_back("2.5 × forward: recomputation counted");
  } else {
    bytes.add(elements + result, size);
    set_work(work, forward, bytes.sum());
  }
  work.formula = fmt::format("{}2 × B × H × pairs × (Dqk + Dv) = {}2 × {} × {} × {} × ({} + {})",
                             at.is_backward ? "2.5 × " : "", at.is_backward ? "2.5 × " : "", q[0],
                             q[heads], pairs.value().value_or(0), q[3], v[3]);
  return work;
}

// ---- ops that pass over their tensors

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
Bytes bytes_of_inputs(const ReadCall& call, Amount& elements) {
  Bytes bytes;
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

OpWork pass_work(WorkKind kind, Amount flops, const Bytes& bytes, std::string formula) {
  OpWork work;
  work.kind = kind;
  set_work(work, flops, bytes.sum());
  work.formula = std::move(formula);
  if (!bytes.sum()) work.assumptions.emplace_back("Bytes of an element not recorded");
  return work;
}

bool is_of_floats(std::string_view type) {
  constexpr auto kWords = std::to_array<std::string_view>({"float", "Float", "double", "Half"});
  return std::ranges::any_of(
      kWords, [type](std::string_view word) { return type.find(word) != std::string_view::npos; });
}

// Bytes of an element of an elementwise op's result: those of the widest tensor, floats before
// whole numbers. A comparison gives booleans.
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
  Bytes bytes;
  int64_t tensors = 0;
  for (const std::string& type : call.types) {
    const auto size = profile::bytes_of_data_type(type);
    if (!size) continue;
    bytes.add(Amount(1), *size);
    ++tensors;
  }
  if (tensors == 0) return unknown("Input shapes not recorded");
  bytes.add(Amount(1), call.bytes_of(0));
  return pass_work(flops_each == 0 ? WorkKind::copy : WorkKind::elementwise, Amount(flops_each),
                   bytes, fmt::format("{} for one number", flops_each));
}

OpWork elementwise_work(const ReadCall& call, int64_t flops_each) {
  const auto result = broadcast(call);
  if (!result) return unknown("Shapes do not broadcast");
  if (result->empty()) return number_work(call, flops_each);
  Amount elements(0);
  Bytes bytes = bytes_of_inputs(call, elements);
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
  Bytes bytes;
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
  Bytes bytes;
  bytes.add(elements_of(call.dims(0)), call.bytes_of(0));
  OpWork work = pass_work(WorkKind::copy, Amount(0), bytes, "0: only writes");
  work.flops_exact = work.bytes_exact = true;
  return work;
}

OpWork per_element_work(const ReadCall& call, WorkKind kind, std::size_t input, int64_t flops_each,
                        int64_t tensors) {
  if (!call.has(input)) return unknown("Input shapes not recorded");
  const Amount elements = elements_of(call.dims(input));
  Bytes bytes;
  bytes.add(elements * Amount(tensors), call.bytes_of(input));
  OpWork work = pass_work(kind, elements * Amount(flops_each), bytes,
                          fmt::format("≈ {} per element = {} × {}", flops_each, flops_each,
                                      elements.value().value_or(0)));
  work.assumptions.push_back(fmt::format("About {} FLOP per element", flops_each));
  return work;
}

OpWork reduction_work(const ReadCall& call) {
  Amount elements(0);
  const Bytes bytes = bytes_of_inputs(call, elements);
  if (!has_tensor(call)) return unknown("Input shapes not recorded");
  OpWork work = pass_work(WorkKind::reduction, elements, bytes,
                          fmt::format("1 per input = {}", elements.value().value_or(0)));
  work.assumptions.emplace_back("The result is small");
  return work;
}

OpWork pooling_work(const ReadCall& call) {
  if (!call.has(0) || call.dims(0).size() < 3) return unknown("Input shapes not recorded");
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
  Bytes bytes;
  bytes.add(elements_of(input) + results, call.bytes_of(0));
  if (call.name.ends_with("with_indices")) bytes.add(results, sizeof(int64_t));
  OpWork work = pass_work(
      WorkKind::pooling, results * elements_of(*kernel), bytes,
      fmt::format("k per output = {} × {}", fmt::join(*kernel, "·"), results.value().value_or(0)));
  return work;
}

OpWork gather_work(const ReadCall& call, std::size_t table, std::size_t indices) {
  if (!call.has(table) || !call.has(indices)) return unknown("Input shapes not recorded");
  const Amount rows = elements_of(call.dims(indices));
  const Dims& dims = call.dims(table);
  const Amount width = elements_of(Dims(dims.begin() + 1, dims.end()));
  Bytes bytes;
  bytes.add(rows * width * Amount(2), call.bytes_of(table)).add(rows, call.bytes_of(indices));
  OpWork work = pass_work(WorkKind::gather, Amount(0), bytes, "0: reads and writes rows");
  work.flops_exact = true;
  work.assumptions.emplace_back("Every row read from memory");
  return work;
}

// One element of the values for each index, read and written.
OpWork moved_work(const ReadCall& call, std::size_t values, std::optional<std::size_t> indices) {
  const std::size_t counted = indices.value_or(values);
  if (!call.has(counted) || call.inputs.size() <= values) {
    return unknown("Input shapes not recorded");
  }
  const Amount count = elements_of(call.dims(counted));
  Bytes bytes;
  bytes.add(count * Amount(2), call.bytes_of(values));
  if (indices) bytes.add(count, call.bytes_of(*indices));
  OpWork work = pass_work(WorkKind::gather, Amount(0), bytes, "0: reads and writes elements");
  if (!indices) work.assumptions.emplace_back("Indices not recorded");
  return work;
}

// index_select(table, dimension, index)
OpWork index_select_work(const ReadCall& call) {
  if (!call.has(0) || !call.has(2)) return unknown("Input shapes not recorded");
  Dims row = call.dims(0);
  const auto dimension = call.numbers(1);
  if (!dimension && row.size() > 1) return unknown("Dimension of the index not recorded");
  int64_t at = dimension && dimension->size() == 1 ? dimension->front() : 0;
  if (at < 0) at += static_cast<int64_t>(row.size());
  if (at < 0 || at >= static_cast<int64_t>(row.size())) return unknown("Sizes do not match");
  row[static_cast<std::size_t>(at)] = 1;
  const Amount rows = elements_of(call.dims(2));
  Bytes bytes;
  bytes.add(rows * elements_of(row) * Amount(2), call.bytes_of(0)).add(rows, call.bytes_of(2));
  OpWork work = pass_work(WorkKind::gather, Amount(0), bytes, "0: reads and writes rows");
  work.flops_exact = true;
  work.assumptions.emplace_back("Every row read from memory");
  return work;
}

// nll_loss: one value of each row, and its class.
OpWork chosen_work(const ReadCall& call) {
  if (!call.has(0) || !call.has(1)) return unknown("Input shapes not recorded");
  const Amount rows = elements_of(call.dims(1));
  Bytes bytes;
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
  if (!call.has(0) || !call.has(1)) return unknown("Input shapes not recorded");
  const Amount gradients = elements_of(call.dims(0));
  Bytes bytes;
  bytes.add(gradients, call.bytes_of(0)).add(elements_of(call.dims(1)), call.bytes_of(1));
  if (call.name.find("max_pool") != std::string::npos) bytes.add(gradients, sizeof(int64_t));
  return pass_work(WorkKind::pooling, gradients, bytes,
                   fmt::format("≈ 1 per gradient = {}", gradients.value().value_or(0)));
}

// Fused ops of libraries for inference, and kernels of torch.compile: all arguments once, results
// among them.
std::optional<OpWork> library_work(const ReadCall& call) {
  Amount elements(0);
  const Bytes all = bytes_of_inputs(call, elements);
  const Amount first = call.has(0) ? elements_of(call.dims(0)) : Amount(0);
  if (call.is({"rmsnorm", "add_rmsnorm"}) && call.has(0)) {
    return pass_work(WorkKind::normalization, first * Amount(5), all, "≈ 5 per element");
  }
  if (call.is({"silu_and_mul", "gelu_and_mul", "gelu_tanh_and_mul"}) && call.has(0)) {
    return pass_work(WorkKind::elementwise, first * Amount(2), all, "≈ 2 per result");
  }
  if (call.is({"rotary_embedding"}) && call.has(1) && call.has(2)) {
    // Query and key are rotated in place.
    Bytes bytes;
    bytes.add(elements_of(call.dims(1)) * Amount(2), call.bytes_of(1));
    bytes.add(elements_of(call.dims(2)) * Amount(2), call.bytes_of(2));
    return pass_work(WorkKind::elementwise,
                     (elements_of(call.dims(1)) + elements_of(call.dims(2))) * Amount(3), bytes,
                     "≈ 3 per element");
  }
  if (call.is({"store_cache"}) && call.has(0) && call.has(1)) {
    Bytes bytes;
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
    work.assumptions.emplace_back("Every argument read or written once");
    return work;
  }
  return std::nullopt;
}

// Lists of parameters, gradients and states.
OpWork optimizer_work(const ReadCall& call, int64_t flops_each) {
  if (call.inputs.empty() || !call.inputs[0].is_list)
    return unknown("Shapes of lists not recorded");
  Amount elements(0), all(0);
  for (const Dims& dims : call.inputs[0].list) elements = elements + elements_of(dims);
  Bytes bytes = bytes_of_inputs(call, all);
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
  work.assumptions.push_back(fmt::format("About {} FLOP per parameter", flops_each));
  return work;
}

// ---- which formula

bool is_communication_name(std::string_view name) {
  return name.starts_with("nccl:") || name.starts_with("c10d::") ||
         name.starts_with("_c10d_functional") || name == "record_param_comms";
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

std::optional<OpWork> product_work(const ReadCall& call) {
  if (call.is({"mm", "bmm", "_scaled_mm", "_int_mm"})) {
    return matrix_times_matrix(call, 0, std::nullopt);
  }
  if (call.is({"addmm", "baddbmm", "_addmm_activation"})) return matrix_times_matrix(call, 1, 0);
  if (call.is({"linear", "gemm_a16w16", "rocm_unquantized_gemm", "_weight_int8pack_mm"})) {
    return linear_work(call);
  }
  if (call.is({"matmul"})) return matmul_work(call);
  if (call.is({"mv", "dot", "vdot"})) return matrix_times_vector(call, 0);
  if (call.is({"addmv"})) return matrix_times_vector(call, 1);
  if (call.is({"einsum"})) return unknown("Equation of einsum not recorded");
  if (const auto at = convolution_inputs(call)) return convolution_work(call, *at);
  if (const auto at = attention_inputs(call)) return attention_work(call, *at);
  if (call.name.find("varlen") != std::string::npos ||
      call.name.find("paged") != std::string::npos) {
    return unknown("Lengths of sequences not recorded");
  }
  return std::nullopt;
}

OpWork other_work(const ReadCall& call) {
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
    Bytes bytes;
    if (call.is({"cat", "stack"})) {
      bytes = bytes_of_inputs(call, elements);
    } else if (call.has(0)) {
      elements = elements_of(call.dims(0));
      bytes.add(elements, call.bytes_of(0));
    }
    if (!has_tensor(call)) return unknown("Input shapes not recorded");
    int64_t size = call.bytes_of(0);
    if (call.is({"to", "_to_copy"})) size = bytes_of_number_format(call, 1).value_or(size);
    if (call.is({"repeat"})) {
      const auto times = call.numbers(1);
      if (!times) return unknown("Number of copies not recorded");
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
    Bytes bytes;  // the whole gradient is written
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
    return call.inputs.empty() ? unknown("Input shapes not recorded") : elementwise_work(call, 1);
  }
  return unknown("No formula for this op");
}

// "aten::add_" -> "add", in place.
void read_name(std::string_view name, ReadCall& call) {
  call.is_aten = name.starts_with("aten::");
  const std::size_t scope = name.rfind("::");
  if (scope != std::string_view::npos) name.remove_prefix(scope + 2);
  if (const std::size_t overload = name.find('.'); overload != std::string_view::npos) {
    name = name.substr(0, overload);
  }
  if (name.size() > 1 && name.ends_with('_') && !name.ends_with("__")) {
    name.remove_suffix(1);
    call.is_in_place = true;
  }
  call.name = std::string(name);
  std::ranges::transform(call.name, call.name.begin(),
                         [](unsigned char c) { return std::tolower(c); });
}

}  // namespace

std::string_view to_text(WorkKind kind) {
  switch (kind) {
    case WorkKind::gemm:
      return "GEMM";
    case WorkKind::convolution:
      return "convolution";
    case WorkKind::attention:
      return "attention";
    case WorkKind::normalization:
      return "normalization";
    case WorkKind::softmax:
      return "softmax";
    case WorkKind::elementwise:
      return "elementwise";
    case WorkKind::copy:
      return "copy";
    case WorkKind::pooling:
      return "pooling";
    case WorkKind::reduction:
      return "reduction";
    case WorkKind::gather:
      return "gather";
    case WorkKind::optimizer:
      return "optimizer";
    case WorkKind::unknown:
      break;
  }
  return "unknown";
}

OpWork work_of(const OpCall& call) {
  if (is_communication_name(call.name)) return unknown("Moves data between GPUs");
  ReadCall read;
  read_name(call.name, read);
  read.is_backward = call.is_backward;
  auto inputs = read_shapes(call.input_shapes);
  if (!inputs || inputs->empty()) return unknown("Input shapes not recorded");
  read.inputs = *std::move(inputs);
  read.outputs = read_shapes(call.output_shapes);
  read.types = read_texts(call.input_types);
  read.parameters = read_texts(call.parameters);
  read.data_bytes = profile::bytes_of_data_type(call.data_type);
  if (auto work = product_work(read)) return *std::move(work);
  // Gradients of other ops of DLProf pass over other tensors than the forward op.
  if (read.is_backward && !read.is_aten) return unknown("No formula for the backward pass");
  return other_work(read);
}

double flops_per_token(const ModelSize& model) {
  return 6 * model.parameters + 12 * model.layers * model.hidden * model.sequence;
}

double model_flops_utilization(const ModelSize& model, double tokens_per_second, double gpus,
                               double peak_flops) {
  return 100 * flops_per_token(model) * tokens_per_second / (gpus * peak_flops);
}

}  // namespace dlview::aggregate
