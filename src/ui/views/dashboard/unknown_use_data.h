// UnknownUseData: the GPU time of kernels of which nobody knows whether they use Tensor Cores, for
// any range at once. Where there are many kernels they are looked for in the background.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "aggregate/tensor_core_uses.h"
#include "ui/background.h"
#include "ui/model.h"

namespace dlview::ui {

// Of one file.
class UnknownUseData {
 public:
  // Nothing while the kernels that the filters keep are looked for.
  std::optional<int64_t> gpu_ns(const Model& model, Background& background);
  // Of the whole run; null until they have been looked for.
  std::shared_ptr<const aggregate::UnknownTensorCoreUse> all() const { return all_.get(); }

 private:
  using Use = aggregate::UnknownTensorCoreUse;
  struct Filtered {
    std::vector<aggregate::Filter> filters;
    Use use;
  };

  Late<std::shared_ptr<const profile::Profile>, Use> all_;
  Late<std::vector<aggregate::Filter>, Filtered> filtered_;
};

}  // namespace dlview::ui
