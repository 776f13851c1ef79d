#include "import/other_json.h"

#include <algorithm>

namespace dlview::import {

std::string_view name_other_json(std::string_view json) {
  struct Mark {
    std::string_view text;  // in the first part of the file
    std::string_view what;
  };
  static constexpr Mark kMarks[] = {
      {"\"viztracer_metadata\"", "a trace of VizTracer"},
      {"\"FEE\"", "a trace of VizTracer"},  // its category of function calls
      {"\"/host:", "a trace of JAX or TensorFlow"},
      {"\"/device:", "a trace of JAX or TensorFlow"},
      {"\"/job:", "a trace of JAX or TensorFlow"},
      {"\"Ascend Hardware\"", "a trace of the Ascend PyTorch profiler"},
      {"\"CPU HIP API\"", "a trace of rocprof"},
      {"\"devtools.timeline", "a trace of Chrome DevTools"},
      {"\"disabled-by-default-", "a trace of Chrome DevTools"},
      {"https://www.speedscope.app/", "a profile for speedscope"},
      {"\"device_traces\"", "a memory snapshot of PyTorch"},
      {"\"NvtxEvent\"", "a JSON export of Nsight Systems; dlview reads SQLite exports"},
      {"\"TraceProcessEvent\"", "a JSON export of Nsight Systems; dlview reads SQLite exports"},
  };
  const auto has = [json](std::string_view text) {
    return json.find(text) != std::string_view::npos;
  };
  if (has("\"schema\"") && has("-chakra.")) {
    return "an execution trace of PyTorch, which has no GPU times";
  }
  const auto mark = std::ranges::find_if(kMarks, has, &Mark::text);
  return mark == std::end(kMarks) ? std::string_view() : mark->what;
}

}  // namespace dlview::import
