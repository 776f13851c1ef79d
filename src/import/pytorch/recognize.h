// Recognizes traces of the PyTorch profiler: Chrome's JSON as Kineto writes it, plain or compressed
// with gzip. Reads the first part of the content, not the name.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "import/byte_source.h"

namespace dlview::import::pytorch {

// `json`: the first part of a file, unpacked. False for traces of other programs in this format.
bool begins_as_trace(std::string_view json);

// Returns whether the source is a trace, or a folder of traces as TensorBoard and HTA read them.
// Checks only a few files of a folder.
bool is_trace(const ByteSource& source);

// Returns a trace in the folder; checks only a few files.
std::optional<std::filesystem::path> find_trace(const std::filesystem::path& folder);

}  // namespace dlview::import::pytorch
