// Tells whether a file is a trace of the PyTorch profiler: Chrome's JSON as Kineto writes it, also
// compressed with gzip. Looks at the first part of the content, not at the name.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace dlview::import::pytorch {

// `json`: the first part of a file, unpacked. Traces of other programs in the same format are none.
bool is_trace(std::string_view json);
bool is_trace_file(const std::filesystem::path& path);

// A trace in the folder, as TensorBoard and HTA read them; looks at a few files only.
std::optional<std::filesystem::path> find_trace(const std::filesystem::path& folder);

// What a trace is, and how to record a profile that dlview opens.
base::Error cannot_open_trace(const std::filesystem::path& path);
base::Error cannot_open_folder(const std::filesystem::path& folder,
                               const std::filesystem::path& trace);

}  // namespace dlview::import::pytorch
