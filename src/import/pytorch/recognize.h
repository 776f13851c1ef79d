// Tells whether a file is a trace of the PyTorch profiler: Chrome's JSON as Kineto writes it, also
// compressed with gzip. Looks at the first part of the content, not at the name.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "import/byte_source.h"

namespace dlview::import::pytorch {

// `json`: the first part of a file, unpacked. Traces of other programs in the same format are none.
bool begins_as_trace(std::string_view json);

// Returns whether the source is a trace, or a folder of traces as TensorBoard and HTA read them;
// checks only a few of its files.
bool is_trace(const ByteSource& source);

// Returns a trace in the folder; looks at a few files only.
std::optional<std::filesystem::path> find_trace(const std::filesystem::path& folder);

}  // namespace dlview::import::pytorch
