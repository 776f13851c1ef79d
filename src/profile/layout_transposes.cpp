#include "profile/layout_transposes.h"

#include <re2/re2.h>

namespace dlview::profile {

bool is_layout_transpose(std::string_view kernel_name) {
  static const re2::RE2 kPattern(
      R"re((?i)n(c\d*d?hw|d?hwc)\w{0,8}?(to|2)_?(folded)?_?n(c\d*d?hw|d?hwc))re"
      R"re(|SwapDimension1And2InTensor3)re");
  return re2::RE2::PartialMatch(re2::StringPiece(kernel_name.data(), kernel_name.size()), kPattern);
}

}  // namespace dlview::profile
