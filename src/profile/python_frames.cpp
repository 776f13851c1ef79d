#include "profile/python_frames.h"

#include <algorithm>

namespace dlview::profile {

FrameName split_frame_name(std::string_view name) {
  constexpr std::string_view kBeforeFunction = "): ";
  const std::size_t end = name.rfind(kBeforeFunction);
  const std::size_t open = end == name.npos ? name.npos : name.rfind('(', end);
  if (open == name.npos || open == 0) return {name, {}, {}};
  const std::string_view line = name.substr(open + 1, end - open - 1);
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  if (line.empty() || !std::ranges::all_of(line, is_digit)) return {name, {}, {}};
  return {name.substr(end + kBeforeFunction.size()), name.substr(0, open), line};
}

std::string_view bare_function(std::string_view function) {
  for (const std::string_view before : {"<built-in method ", "<built-in function "}) {
    if (!function.starts_with(before)) continue;
    function.remove_prefix(before.size());
    return function.substr(0, function.find_first_of(" >"));
  }
  return function;
}

bool is_internal_frame(std::string_view name) {
  constexpr std::string_view kModuleFile = "torch/nn/modules/module.py(";
  if (name.starts_with("<built-in")) return true;
  return name.find(kModuleFile) != std::string_view::npos &&
         (name.ends_with("): _call_impl") || name.ends_with("): _wrapped_call_impl"));
}

}  // namespace dlview::profile
