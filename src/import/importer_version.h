// The cache keeps what the importers made of a file.
#pragma once

#include <cstdint>

namespace dlview::import {

// To be raised when an importer, or what it uses of the room profile, makes other rows or values of
// the same file.
inline constexpr uint32_t kImporterVersion = 3;

}  // namespace dlview::import
