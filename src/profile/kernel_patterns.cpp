#include "profile/kernel_patterns.h"

#include <re2/re2.h>

namespace dlview::profile {
namespace {

bool has_part(std::string_view name, const re2::RE2& pattern) {
  return re2::RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), pattern);
}

}  // namespace

std::string_view layout_transpose_pattern() {
  return R"re((?i)n(c\d*d?hw|d?hwc)\w{0,8}?(to|2)_?(folded)?_?n(c\d*d?hw|d?hwc))re"
         R"re(|SwapDimension1And2InTensor3)re";
}

bool is_layout_transpose(std::string_view kernel_name) {
  const std::string_view pattern = layout_transpose_pattern();
  static const re2::RE2 kPattern(re2::StringPiece(pattern.data(), pattern.size()));
  return has_part(kernel_name, kPattern);
}

bool is_product_on_cuda_cores(std::string_view kernel_name) {
  static const re2::RE2 kPattern(
      R"re((^|[_\W\d])g?[sdcz]gemm(\W|_|$)|_simt_|_ffma_|scudnn_|[Ww]inograd|convolve(Nd)?_)re"
      R"re(|(^|[_\W])[dw]grad(2d|Nd)?_(alg\d|engine))re");
  return has_part(kernel_name, kPattern);
}

}  // namespace dlview::profile
