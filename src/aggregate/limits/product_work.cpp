#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "aggregate/limits/read_call.h"

namespace dlview::aggregate {
namespace {

OpWork gemm_work(const ReadCall& call, const GemmShape& gemm, TensorBytes bytes) {
  OpWork work;
  work.kind = WorkKind::gemm;
  work.gemm = gemm;
  const Amount flops = Amount(2) * Amount(gemm.batch) * Amount(gemm.m) * Amount(gemm.n) *
                       Amount(gemm.k) * Amount(call.is_backward ? 2 : 1);
  set_work(work, flops, bytes.sum());
  work.flops_exact = work.bytes_exact = true;
  const std::string batch = gemm.batch > 1 ? fmt::format("{} × ", gemm.batch) : "";
  work.formula = fmt::format("{}2{}MNK = {}2 × {} × {} × {}", call.is_backward ? "2 × " : "",
                             gemm.batch > 1 ? "B" : "", call.is_backward ? "2 × " : "",
                             batch + std::to_string(gemm.m), gemm.n, gemm.k);
  if (call.is_backward) {
    work.assumptions.emplace_back("gradients of both input and weight");
    work.flops_exact = work.bytes_exact = false;
    // One of them at least.
    if (work.flops) work.flops_least = *work.flops / 2;
    if (work.bytes) work.bytes_least = *work.bytes / 2;
  }
  return work;
}

// Rows of a matrix with a vector as its last dimension: all others are rows.
Amount rows_before_last(const Dims& dims) {
  return elements_of(Dims(dims.begin(), dims.end() - 1));
}

OpWork matrix_times_matrix(const ReadCall& call, std::size_t first,
                           std::optional<std::size_t> bias) {
  if (!call.has(first) || !call.has(first + 1)) return unknown_work("Input shapes not recorded");
  const Dims &a = call.dims(first), &b = call.dims(first + 1);
  const bool is_batched = a.size() == 3 && b.size() == 3;
  if ((a.size() != 2 || b.size() != 2) && !is_batched)
    return unknown_work("Shapes are not matrices");
  if (a.back() != b[b.size() - 2] || (is_batched && a[0] != b[0])) {
    return unknown_work("Sizes of the matrices do not match");
  }
  const GemmShape gemm{a[a.size() - 2], b.back(), a.back(), is_batched ? a[0] : 1};
  const int64_t size = call.bytes_of(first);
  TensorBytes bytes;
  bytes.add(elements_of(a), size).add(elements_of(b), call.bytes_of(first + 1));
  bytes.add(Amount(gemm.batch) * Amount(gemm.m) * Amount(gemm.n), size);
  if (bias && call.has(*bias)) bytes.add(elements_of(call.dims(*bias)), call.bytes_of(*bias));
  return gemm_work(call, gemm, bytes);
}

OpWork linear_work(const ReadCall& call) {
  if (!call.has(0) || !call.has(1)) return unknown_work("Input shapes not recorded");
  const Dims &input = call.dims(0), &weight = call.dims(1);
  if (weight.size() != 2 || weight[1] != input.back()) {
    return unknown_work("Sizes of input and weight do not match");
  }
  const auto rows = rows_before_last(input).value();
  if (!rows) return unknown_work("Shapes too large");
  const GemmShape gemm{*rows, weight[0], weight[1], 1};
  const int64_t size = call.bytes_of(0);
  const Amount out = Amount(gemm.m) * Amount(gemm.n);
  TensorBytes bytes;
  const int64_t passes = call.is_backward ? 2 : 1;  // reads and gradients of input and weight
  bytes.add(elements_of(input) * Amount(passes), size);
  bytes.add(elements_of(weight) * Amount(passes), call.bytes_of(1)).add(out, size);
  if (call.has(2)) bytes.add(elements_of(call.dims(2)), call.bytes_of(2));
  return gemm_work(call, gemm, bytes);
}

// As torch.matmul: vectors are rows or columns, leading dimensions broadcast.
OpWork matmul_work(const ReadCall& call) {
  if (!call.has(0) || !call.has(1)) return unknown_work("Input shapes not recorded");
  Dims a = call.dims(0), b = call.dims(1);
  const Amount elements = elements_of(a), other_elements = elements_of(b);
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  if (a.back() != b[b.size() - 2]) return unknown_work("Sizes of the matrices do not match");
  GemmShape gemm{a[a.size() - 2], b.back(), a.back(), 1};
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  Amount batch(1);
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t right = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1) return unknown_work("Batch sizes do not match");
    batch = batch * Amount(left == 1 ? right : left);
  }
  if (!batch.value()) return unknown_work("Shapes too large");
  // One matrix for all of the batch is one large product.
  gemm.batch = *batch.value();
  TensorBytes bytes;
  bytes.add(elements, call.bytes_of(0)).add(other_elements, call.bytes_of(1));
  bytes.add(batch * Amount(gemm.m) * Amount(gemm.n), call.bytes_of(0));
  return gemm_work(call, gemm, bytes);
}

OpWork matrix_times_vector(const ReadCall& call, std::size_t first) {
  if (!call.has(first) || !call.has(first + 1)) return unknown_work("Input shapes not recorded");
  const Dims &a = call.dims(first), &b = call.dims(first + 1);
  if (a.size() > 2 || b.size() != 1 || a.back() != b[0]) return unknown_work("Sizes do not match");
  const GemmShape gemm{a.size() == 2 ? a[0] : 1, 1, b[0], 1};
  TensorBytes bytes;
  bytes.add(elements_of(a), call.bytes_of(first)).add(elements_of(b), call.bytes_of(first + 1));
  bytes.add(Amount(gemm.m), call.bytes_of(first));
  return gemm_work(call, gemm, bytes);
}

// Where a convolution has its parameters; 0 = it has none.
struct ConvolutionInputs {
  std::size_t input = 0, weight = 1, bias = 2;
  std::size_t stride = 3, padding = 4, dilation = 5, transposed = 0, groups = 6, mask = 0;
  std::size_t output_padding = 0;
  std::optional<std::size_t> gradient = std::nullopt;  // of the output, in a backward pass
};

std::optional<ConvolutionInputs> convolution_inputs(const ReadCall& call) {
  if (call.is({"conv1d", "conv2d", "conv3d"})) return ConvolutionInputs{};
  if (call.is({"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"})) {
    return ConvolutionInputs{.dilation = 7, .groups = 6, .output_padding = 5};
  }
  if (call.is({"convolution", "_convolution", "convolution_overrideable"})) {
    return ConvolutionInputs{.transposed = 6, .groups = 8, .output_padding = 7};
  }
  if (call.is({"cudnn_convolution"})) {
    return ConvolutionInputs{.bias = 0, .stride = 3, .padding = 2, .dilation = 4, .groups = 5};
  }
  if (call.is({"cudnn_convolution_transpose"})) {
    return ConvolutionInputs{
        .bias = 0, .stride = 4, .padding = 2, .dilation = 5, .groups = 6, .output_padding = 3};
  }
  if (call.is({"miopen_convolution_transpose"})) {
    return ConvolutionInputs{
        .stride = 5, .padding = 3, .dilation = 6, .groups = 7, .output_padding = 4};
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
                             .output_padding = 8,
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

// 1 where it is not recorded; nullopt = no number of groups.
std::optional<int64_t> groups_of(const ReadCall& call, const ConvolutionInputs& at,
                                 bool transposed) {
  const Dims &input = call.dims(at.input), &weight = call.dims(at.weight);
  if (at.groups == 0) return 1;
  if (!transposed && weight[1] > 0 && input[1] % weight[1] == 0) {
    return std::max<int64_t>(input[1] / weight[1], 1);
  }
  const auto numbers = call.numbers(at.groups);
  if (!numbers) return 1;
  const bool is_usable =
      numbers->size() == 1 && numbers->front() >= 1 && numbers->front() <= kMostSize;
  return is_usable ? std::optional(numbers->front()) : std::nullopt;
}

OpWork convolution_work(const ReadCall& call, const ConvolutionInputs& at) {
  if (!call.has(at.input) || !call.has(at.weight)) return unknown_work("Input shapes not recorded");
  const Dims &input = call.dims(at.input), &weight = call.dims(at.weight);
  if (input.size() < 3 || input.size() != weight.size()) {
    return unknown_work("Shapes do not fit a convolution");
  }
  if (std::ranges::any_of(input, [](int64_t size) { return size > kMostSize; }) ||
      std::ranges::any_of(weight, [](int64_t size) { return size > kMostSize; })) {
    return unknown_work("Shapes too large");
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
  const Dims dilation = of_dimensions(call, at.dilation, count).value_or(Dims(count, 1));
  const auto is_too_large = [](int64_t size) { return size < -kMostSize || size > kMostSize; };
  if (std::ranges::any_of(dilation, is_too_large)) return unknown_work("Shapes too large");
  const bool is_same_padding =
      at.padding < call.parameters.size() && call.parameters[at.padding] == "same";
  if (is_same_padding) {
    padding = Dims(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      (*padding)[i] = dilation[i] * (kernel[i] - 1) / 2;
    }
  }
  std::optional<Dims> out;
  bool is_plain = false;  // assumed, whatever the stride was
  if (at.gradient && call.has(*at.gradient) && call.dims(*at.gradient).size() == input.size()) {
    out = Dims(call.dims(*at.gradient).begin() + 2, call.dims(*at.gradient).end());
  } else if (stride && padding) {
    out = convolution_output(in, kernel, *stride, *padding, dilation, transposed);
    if (!out) return unknown_work("The kernel is larger than its input");
    const auto more = transposed ? of_dimensions(call, at.output_padding, count) : std::nullopt;
    for (std::size_t i = 0; more && i < count; ++i) {
      if (is_too_large((*more)[i])) return unknown_work("Shapes too large");
      (*out)[i] += (*more)[i];
    }
  } else if (!call.outputs || call.outputs->empty() ||
             call.outputs->front().dims.size() != input.size()) {
    out =
        convolution_output(in, kernel, Dims(count, 1), Dims(count, 0), Dims(count, 1), transposed);
    if (!out) return unknown_work("Stride and padding not recorded");
    is_plain = true;
  } else {
    const Dims& recorded = call.outputs->front().dims;
    out = Dims(recorded.begin() + 2, recorded.end());
    // DLProf stores this output whatever the stride and padding are.
    const auto plain =
        convolution_output(in, kernel, Dims(count, 1), Dims(count, 0), Dims(count, 1), transposed);
    is_plain = !call.is_aten && plain == out;
    if (call.is_aten) work.assumptions.emplace_back("output size of the backward call");
  }
  if (is_plain) {
    work.assumptions.emplace_back("stride 1, padding 0");
    work.flops_exact = work.bytes_exact = false;
  }
  const std::optional<int64_t> recorded_groups = groups_of(call, at, transposed);
  if (!recorded_groups) return unknown_work("Number of groups not usable");
  const int64_t groups = *recorded_groups;
  const int64_t out_channels = transposed ? weight[1] * groups : weight[0];
  const Amount batch(input[0]), taps = elements_of(kernel);
  // Of a transposed convolution each input element meets all taps.
  const Amount positions = elements_of(transposed ? in : *out);
  const Amount products =
      batch * positions * taps *
      (transposed ? Amount(input[1]) * Amount(weight[1]) : Amount(weight[0]) * Amount(weight[1]));
  int64_t passes = 1, least_passes = 1;
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
      least_passes = passes;
      has_bias_gradient = flags.size() > 2 && read_flag(flags[2]).value_or(false);
    } else {
      work.assumptions.emplace_back("gradients of both input and weight");
      work.flops_exact = work.bytes_exact = false;
    }
  }
  const Amount flops = Amount(2) * products * Amount(passes);
  const Amount in_elements = elements_of(input), weight_elements = elements_of(weight);
  const Amount out_elements = batch * Amount(out_channels) * elements_of(*out);
  const int64_t size = call.bytes_of(at.input);
  const Amount of_pass = in_elements + weight_elements + out_elements;
  TensorBytes bytes, least_bytes;
  bytes.add(of_pass * Amount(passes), size);
  // A larger stride leaves a part of the input unread.
  least_bytes.add(is_plain ? weight_elements : of_pass * Amount(least_passes), size);
  if (at.bias != 0 && call.has(at.bias)) {
    bytes.add(elements_of(call.dims(at.bias)), call.bytes_of(at.bias));
  }
  if (has_bias_gradient) bytes.add(Amount(out_channels), size);
  set_work(work, flops, bytes.sum());
  if (is_plain || least_passes < passes) {
    work.flops_least = is_plain ? 0 : (Amount(2) * products * Amount(least_passes)).value();
    work.bytes_least = least_bytes.sum() ? least_bytes.sum()->value() : std::nullopt;
  }
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
    return unknown_work("Input shapes not recorded");
  }
  if (at.lengths != 0 && call.has(at.lengths))
    return unknown_work("Lengths of sequences not recorded");
  const Dims &q = call.dims(at.query), &k = call.dims(at.query + 1), &v = call.dims(at.query + 2);
  if (q.size() != 4 || k.size() != 4 || v.size() != 4) {
    return unknown_work("Shapes do not fit query, key and value");
  }
  const std::size_t tokens = at.heads_first ? 2 : 1, heads = at.heads_first ? 1 : 2;
  const int64_t queries = q[tokens], keys = k[tokens];
  OpWork work;
  work.kind = WorkKind::attention;
  work.flops_exact = work.bytes_exact = true;
  work.assumptions.emplace_back(at.heads_first ? "layout batch, heads, tokens, size"
                                               : "layout batch, tokens, heads, size");
  const std::optional<bool> causal = at.causal == 0 ? std::nullopt : call.flag(at.causal);
  if (!causal) {
    work.assumptions.emplace_back("no causal mask (FLOP is an upper bound)");
    work.flops_exact = false;
  }
  // A mask leaves half of the pairs at least, where there are as many queries as keys.
  const bool may_be_masked = !causal && queries == keys;
  // Pairs of query and key that a causal mask leaves: the first query with the first key, and in
  // flash attention the last with the last.
  Amount pairs = Amount(queries) * Amount(keys);
  if (causal.value_or(false)) {
    const int64_t full = std::max<int64_t>(queries - keys, 0), rising = queries - full;
    // rising * (rising + 1) is even.
    const auto twice = (Amount(rising) * Amount(rising + 1)).value();
    if (!twice) return unknown_work("Shapes too large");
    pairs = Amount(*twice / 2) + Amount(full) * Amount(keys);
    if (!at.heads_first && queries != keys) {
      // Above the diagonal that ends at the last key and the last query: a triangle of as many
      // rows as both have, without its diagonal.
      const int64_t rows = std::min(queries, keys);
      const auto above = (Amount(rows) * Amount(rows - 1)).value();
      if (!above) return unknown_work("Shapes too large");
      const auto square = (Amount(rows) * Amount(keys)).value();
      if (!square) return unknown_work("Shapes too large");
      pairs = Amount(*square - *above / 2);
      work.assumptions.emplace_back("causal mask aligned to the last key");
    }
  }
  const Amount forward =
      Amount(2) * Amount(q[0]) * Amount(q[heads]) * pairs * (Amount(q[3]) + Amount(v[3]));
  const Amount elements = elements_of(q) + elements_of(k) + elements_of(v);
  const Amount result = Amount(q[0]) * Amount(q[heads]) * Amount(queries) * Amount(v[3]);
  const int64_t size = call.bytes_of(at.query);
  TensorBytes bytes;
  if (at.is_backward) {
    // Five products where the forward pass has two; its output and gradients besides.
    const auto five = (forward * Amount(5)).value();
    if (!five) return unknown_work("Shapes too large");
    bytes.add(Amount(2) * (elements + result), size);
    set_work(work, Amount(*five / 2), bytes.sum());
    work.assumptions.emplace_back("backward = 2.5 × forward, with recomputation");
  } else {
    bytes.add(elements + result, size);
    set_work(work, forward, bytes.sum());
  }
  if (!causal && work.flops) work.flops_least = may_be_masked ? *work.flops / 2 : 0;
  work.formula = fmt::format("{}2 × B × H × pairs × (Dqk + Dv) = {}2 × {} × {} × {} × ({} + {})",
                             at.is_backward ? "2.5 × " : "", at.is_backward ? "2.5 × " : "", q[0],
                             q[heads], pairs.value().value_or(0), q[3], v[3]);
  return work;
}

}  // namespace

std::optional<Dims> of_dimensions(const ReadCall& call, std::size_t input, std::size_t count) {
  auto numbers = input == 0 ? std::nullopt : call.numbers(input);
  if (!numbers || numbers->empty()) return std::nullopt;
  if (numbers->size() == 1) numbers->resize(count, numbers->front());
  return numbers->size() == count ? numbers : std::nullopt;
}

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

std::optional<ConvolutionSizes> convolution_sizes(const ReadCall& call) {
  const auto at = convolution_inputs(call);
  if (!at || !call.has(at->input) || !call.has(at->weight)) return std::nullopt;
  ConvolutionSizes sizes{call.dims(at->input), call.dims(at->weight), {}};
  if (at->gradient && call.has(*at->gradient)) sizes.output = call.dims(*at->gradient);
  return sizes;
}

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
  if (call.is({"einsum"})) return unknown_work("Equation of einsum not recorded");
  if (const auto at = convolution_inputs(call)) return convolution_work(call, *at);
  if (const auto at = attention_inputs(call)) return attention_work(call, *at);
  if (call.name.find("varlen") != std::string::npos ||
      call.name.find("paged") != std::string::npos) {
    return unknown_work("Lengths of sequences not recorded");
  }
  return std::nullopt;
}

}  // namespace dlview::aggregate
