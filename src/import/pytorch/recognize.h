// Tells whether a file is a trace of the PyTorch profiler: Chrome's JSON as Kineto writes it, also
// compressed with gzip. Looks at the first part of the content, not at the name.
#pragma once

#include <string_view>

#include "base/progress.h"
#include "base/result.h"
#include "import/byte_source.h"
#include "profile/profile.h"

namespace dlview::import::pytorch {

// `json`: the first part of a file, unpacked. Traces of other programs in the same format are none.
bool begins_as_trace(std::string_view json);

// Returns whether the source is a trace, or a folder of traces as TensorBoard and HTA read them;
// checks only a few of its files.
bool is_trace(const ByteSource& source);

// An Error that says what a trace is, and how to record a profile that dlview opens.
base::Result<profile::Profile> load_trace(const ByteSource& source, base::Progress& progress);

}  // namespace dlview::import::pytorch
