// User ranges that mark the same thing, whatever epoch they are in.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "aggregate/range_paths.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// The ranges of a path, or of several that differ only in their epochs.
struct Marker : RangePath {
  std::vector<std::string> paths;  // the one with the most ranges first
};

// By path, without epochs where several paths are one.
using Markers = std::map<std::string, Marker, std::less<>>;

// A key is a name or one path: paths are one marker only where all ranges of the name are.
Markers find_markers(const profile::Profile& profile);

}  // namespace dlview::aggregate
