#include "profile/python_frames.h"

#include <algorithm>

namespace dlview::profile {
namespace {

struct PassingOn {
  std::string_view file, function;
};
// What runs the function that it is given: calls of modules, overrides of functions by modes and
// subclasses of Tensor, operators of libraries, and decorators such as torch.no_grad().
constexpr PassingOn kPassingOn[] = {
    {"torch/nn/modules/module.py", "_call_impl"},
    {"torch/nn/modules/module.py", "_wrapped_call_impl"},
    {"torch/overrides.py", "handle_torch_function"},
    {"torch/utils/_device.py", "__torch_function__"},
    {"torch/_tensor.py", "__torch_function__"},
    {"torch/_ops.py", "__call__"},
    {"torch/utils/_contextlib.py", "decorate_context"},
    {"torch/autograd/grad_mode.py", "decorate_context"},
};

// Whether the path ends with the file.
bool is_file(std::string_view path, std::string_view file) {
  if (!path.ends_with(file)) return false;
  path.remove_suffix(file.size());
  return path.empty() || path.back() == '/' || path.back() == '\\';
}

}  // namespace

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
  if (name.starts_with("<built-in")) return true;
  const FrameName frame = split_frame_name(name);
  return std::ranges::any_of(kPassingOn, [&frame](const PassingOn& each) {
    return frame.function == each.function && is_file(frame.file, each.file);
  });
}

}  // namespace dlview::profile
