// What names and other texts of a PyTorch profiler trace say. docs/dev/formats.md (PyTorch traces)
// defines ops.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profile/kinds.h"

namespace dlview::import::pytorch {

// Before the name of a backward op that the autograd engine evaluates.
inline constexpr std::string_view kEvaluation = "autograd::engine::evaluate_function: ";

// The name that ops show of an event called `name`; nullopt if the event is none. It is one if its
// name is "namespace::op" or "autograd::engine::evaluate_function: X" (then X), if it is a function
// of the backward pass with a sequence number, or a kernel of Triton. Functions that hold the ops
// of a compiled graph or a checkpoint are none.
std::optional<std::string_view> op_name(std::string_view name, bool has_sequence_number,
                                        bool is_triton);
// "aten::addmm" is of type "addmm", "AddmmBackward0" of type "AddmmBackward".
std::string_view op_type(std::string_view op_name);
// "step[DECODE bs=*]" of "step[DECODE bs=32]", "execute_context_*(*)_generation_*(*)" of
// "execute_context_1(888)_generation_0(0)": the numbers of an annotation that begins with the word
// for a step and has some in brackets are its arguments. Nothing for other names: "Linear(64, 8)",
// "batch_norm(64, 1)" and "blocks[0]" tell layers apart.
std::optional<std::string> without_step_arguments(std::string_view name);

// Kinds of a copy or a memset, from its name, "Memcpy HtoD (Pageable -> Device)", or the direction
// of MTIA's copies, "DEVICE_TO_HOST". not_recorded or unknown where the text does not have them.
struct MemoryKinds {
  profile::CopyKind copy = profile::CopyKind::unknown;
  profile::MemoryKind source = profile::MemoryKind::not_recorded;
  profile::MemoryKind target = profile::MemoryKind::not_recorded;
  bool operator==(const MemoryKinds&) const = default;
};
MemoryKinds memory_kinds_of(std::string_view text);

// "12.9" of "12090", "HIP 6.4.43483" of "60443483"; other texts as they are.
std::string cuda_version_of(std::string_view recorded);
std::string hip_version_of(std::string_view recorded);

}  // namespace dlview::import::pytorch
