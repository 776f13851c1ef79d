// What the text of an NVTX range says: what kind of range it is, its name without running numbers,
// and what PyTorch writes behind the name. Names are views into the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profile/trace.h"

namespace dlview::import::capture {

enum class RangeKind : uint8_t {
  marker_trace,   // DLProf: {'traceMarker': [...], 'funcStack': '...'}
  marker_op,      // DLProf: {'mod': ..., 'op': ..., 'args': [...]}
  marker_config,  // DLProf: {"model_config": {...}}
  framework_op,   // "aten::add", "AddmmBackward0", "Conv2D: resnet/conv1"
  library,        // of a library that ops call: cuBLAS, NCCL, MPI
  user
};

// What the name of a range's NVTX domain tells about its text.
enum class DomainKind : uint8_t { other, library, tensorflow };
inline constexpr std::size_t kDomainKinds = 3;

// A library is one that the ops of a framework or a program call.
DomainKind kind_of_domain(std::string_view name);

struct RangeText {
  RangeKind kind = RangeKind::user;
  std::string_view name;  // without what PyTorch adds: "aten::add"
  std::string_view type;  // of a framework's op: "add"
  bool backward = false;
  std::optional<int64_t> seq;  // pairs a backward op with the forward op that caused it
  std::string sizes;           // shapes of the inputs, a JSON list of lists; empty = not told
};

RangeText read_range_text(std::string_view text, DomainKind domain);

// A name apart from the number that it counts with: "step 12" is "step", 12; "Step 10 to 20" is
// "Step", 10; "ProfilerStep#3" is "ProfilerStep", 3.
struct NumberedName {
  std::string_view name;
  std::optional<int64_t> number;
  // Whether the words say that it counts ("step", "batch") or what it is ("layer", "rank"); else
  // only the other ranges of that name can tell.
  enum class Meaning : uint8_t { unknown, counts, names } meaning = Meaning::unknown;
};

NumberedName split_number(std::string_view text);

}  // namespace dlview::import::capture
