#include "profile/cuda_core_products.h"

#include <re2/re2.h>

namespace dlview::profile {

bool is_product_on_cuda_cores(std::string_view kernel_name) {
  static const re2::RE2 kPattern(
      R"re((^|[_\W\d])g?[sdcz]gemm(\W|_|$)|_simt_|_ffma_|scudnn_|[Ww]inograd|convolve(Nd)?_)re"
      R"re(|(^|[_\W])[dw]grad(2d|Nd)?_(alg\d|engine))re");
  return re2::RE2::PartialMatch(re2::StringPiece(kernel_name.data(), kernel_name.size()), kPattern);
}

}  // namespace dlview::profile
