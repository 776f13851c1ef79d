// Samples of GPU metrics, into Trace::counters: GPU_METRICS with the names of
// TARGET_INFO_GPU_METRICS, or in exports up to 2022 GENERIC_EVENTS, whose values are JSON texts.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "import/nsys/tables.h"

namespace dlview::import::nsys {

base::Status read_gpu_metrics(Context& context, profile::Trace& trace);

// Calls use(key, value) for each member of a flat JSON object whose values are texts or numbers,
// both as they are written: escapes stay, quotes do not. Returns whether the text is such an
// object. O(n).
using UseMember = std::function<void(std::string_view key, std::string_view value)>;
bool for_each_member(std::string_view json, const UseMember& use);

// The text of a JSON string, as far as names of metrics need it: \/, \" and \\ are replaced.
std::string unescaped(std::string_view text);

}  // namespace dlview::import::nsys
