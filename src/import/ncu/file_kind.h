// Tells files of Nsight Compute from others, and says what another one seems to be.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "import/byte_source.h"

namespace dlview::import::ncu {

// Whether a file is an Nsight Compute CSV, or its log without a table: by its first bytes.
bool is_csv(const ByteSource& source);
bool is_csv(std::string_view first_bytes);

// An error about a file with neither a table nor a log of ncu; `head`: its first bytes.
base::Error wrong_file(const std::filesystem::path& path, std::string_view head);

// The advice of errors: "Record Nsight Compute counters: ...".
std::string how_to_record();

}  // namespace dlview::import::ncu
