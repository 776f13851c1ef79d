// Summary files (.dlsum): a RunSummary as bytes (docs/dev/formats.md, Summary files). Equal
// summaries have equal bytes. They hold no environment variable, path or user name.
//
//   magic, version             8 + 4 bytes
//   directory                  of each section: id, place, packed and unpacked size, checksum
//   sections                   packed integers (packed.h), compressed with Zstandard
//
// What grows with ranks has sections of its own: heads, each column of rows and of groups, and the
// clocks, in blocks of 64 parts, so that one value of all ranks is read alone.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ranks/run_summary.h"

namespace dlview::ranks {

inline constexpr std::string_view kSummaryEnding = ".dlsum";

// The bytes of the file.
std::string to_bytes(const RunSummary& summary);
// `name`: of the file, for messages.
base::Result<RunSummary> from_bytes(std::string_view bytes, const std::string& name);

bool is_summary(const std::filesystem::path& path);  // by its first bytes
base::Result<RunSummary> read_summary(const std::filesystem::path& path);
// The same, but for the columns of the parts, which are read from the open file when they are
// needed. Costs the checksums of all bytes.
base::Result<RunSummary> open_summary(const std::filesystem::path& path);

}  // namespace dlview::ranks
