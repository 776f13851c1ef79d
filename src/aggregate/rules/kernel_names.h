// Matrix products that run on CUDA cores, by the names of a profile's kernels, each asked once.
// Only of an export: a DLProf database tells of its ops what could use Tensor Cores.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace dlview::aggregate {

class KernelNames {
 public:
  explicit KernelNames(const profile::Profile& profile);

  // A matrix product or convolution whose name says that it runs on CUDA cores, on a GPU that has
  // or may have Tensor Cores.
  bool multiplies_on_cuda_cores(profile::StringId name) const {
    return name < answers_.size() && answers_[name] == Answer::yes;
  }

 private:
  enum class Answer : uint8_t { not_asked, no, yes };
  std::vector<Answer> answers_;  // by short name; of several kernels of one name the first tells
};

}  // namespace dlview::aggregate
