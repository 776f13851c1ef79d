// Decompresses the first part of a gzip file: enough to detect its contents.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dlview::import {

// For inflateInit2(): accepts gzip headers only.
inline constexpr int kGzipWindowBits = 16 + 15;

bool begins_as_gzip(std::string_view first_bytes);

// At most `limit` bytes of what `packed`, the first part of a gzip file, holds. Fewer where
// `packed` ends or is damaged: what could be unpacked before.
std::string unpack_start(std::string_view packed, std::size_t limit);

}  // namespace dlview::import
