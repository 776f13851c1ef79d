// The work of one call of an op, from its input shapes: floating-point operations and the fewest
// bytes that have to move between the GPU and its memory (docs/dev/spec.md, Limits).
//
// A multiply-add counts as two. Bytes count every tensor once. Both are lower bounds of what the
// GPU does (attention with an unrecorded mask: an upper bound), and so are the rates from them.
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
  std::string_view data_type = {};      // "bfloat16"
  std::string_view input_shapes = {};   // JSON: [[32,3,224,224],[64,3,7,7]], and what DLProf writes
  std::string_view input_types = {};    // JSON of PyTorch: ["c10::BFloat16","float"]
  std::string_view output_shapes = {};  // of DLProf
  std::string_view parameters = {};     // PyTorch's Concrete Inputs: ["","","","[2, 2]","[3, 3]"]
};

// O(length of the texts). Damaged texts give an unknown work.
OpWork work_of(const OpCall& call);

// Numbers of a model for MFU (PaLM, arXiv 2204.02311, appendix B): 6P + 12LHS per token.
struct ModelSize {
  double parameters = 0, layers = 0, hidden = 0, sequence = 0;
};
double flops_per_token(const ModelSize& model);
// Percent of the peak of `gpus` GPUs, dense FLOP/s each.
double model_flops_utilization(const ModelSize& model, double tokens_per_second, double gpus,
                               double peak_flops);

}  // namespace dlview::aggregate
