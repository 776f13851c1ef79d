// The work of one call of an op, from its input shapes: floating-point operations and the fewest
// bytes that have to move between the GPU and its memory (docs/dev/spec.md, Limits).
//
// A multiply-add counts as two. Bytes count every tensor once. Both are lower bounds of what the
// GPU does, and so are the rates from them, unless an assumption may count too much: then
// flops_least and bytes_least are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlview::aggregate {

enum class WorkKind : uint8_t {
  unknown,  // no formula, or shapes are missing
  gemm,
  convolution,
  attention,
  normalization,
  softmax,
  elementwise,
  copy,  // copies and casts
  pooling,
  reduction,
  gather,  // embeddings and indexing
  optimizer,
};
// "GEMM", "convolution".
std::string_view to_text(WorkKind kind);

// batch matrices of M x K times K x N.
struct GemmShape {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  bool operator==(const GemmShape&) const = default;
};

struct OpWork {
  WorkKind kind = WorkKind::unknown;
  std::optional<int64_t> flops, bytes;  // nullopt = unknown; 0 is 0
  // Lower bounds where flops and bytes are none; nullopt = they are.
  std::optional<int64_t> flops_least, bytes_least;
  bool flops_exact = false, bytes_exact = false;
  std::optional<GemmShape> gemm;  // of a GEMM, or a convolution as implicit GEMM
  std::string formula;            // "2MNK = 2 × 8944 × 2816 × 1024"; empty = unknown
  // What the formula takes for granted: "stride 1, padding 0".
  std::vector<std::string> assumptions;
  std::string why_unknown;  // "equation of einsum not recorded"; empty if known
  bool operator==(const OpWork&) const = default;
};

// What is recorded of a call; empty = not recorded.
struct OpCall {
  std::string_view name = {};  // "aten::addmm", of DLProf the op type "linear"
  bool is_backward = false;
  std::string_view data_type = {};     // "bfloat16"
  std::string_view input_shapes = {};  // JSON: [[32,3,224,224],[64,3,7,7]], and what DLProf writes
  std::string_view input_types = {};   // JSON of PyTorch: ["c10::BFloat16","float"]
  // Of DLProf, or of an aten op as another call tells it (ConvolutionSizes).
  std::string_view output_shapes = {};
  std::string_view parameters = {};  // PyTorch's Concrete Inputs: ["","","","[2, 2]","[3, 3]"]
};

// O(length of the texts). Damaged texts give an unknown work.
OpWork work_of(const OpCall& call);

// Dimensions of the tensors of a convolution. Older traces have no strides: the backward call,
// which has the gradient of the output among its inputs, tells the output of the forward call.
struct ConvolutionSizes {
  std::vector<int64_t> input, weight;
  std::vector<int64_t> output;  // empty = not recorded
};
// nullopt = the call is not a convolution, transposed or not, or its shapes are not recorded.
std::optional<ConvolutionSizes> convolution_sizes(const OpCall& call);

}  // namespace dlview::aggregate
