#include "profile/python_frames.h"

namespace dlview::profile {

bool is_internal_frame(std::string_view name) {
  constexpr std::string_view kModuleFile = "torch/nn/modules/module.py(";
  if (name.starts_with("<built-in")) return true;
  return name.find(kModuleFile) != std::string_view::npos &&
         (name.ends_with("): _call_impl") || name.ends_with("): _wrapped_call_impl"));
}

}  // namespace dlview::profile
