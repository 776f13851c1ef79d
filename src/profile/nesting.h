// The meaning of the slashes of a path. "/Forward/conv 1/2" can be a range "conv 1/2" inside
// "Forward", or three ranges. A path has all names as the file has them. Its *nesting* has the same
// length, and a '/' only where one range is inside another: "/Forward/conv 1\\\\2".
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"

namespace dlview::profile {

// A name as a part of a nesting: each slash in it becomes kSlashInName.
inline constexpr char kSlashInName = '\\';
std::string nesting_of_name(std::string_view name);

// The nesting of the path of an op or a user range. In any other text each slash nests.
std::string_view nesting_of(const Profile& profile, std::string_view path);

// "/Forward/conv 1/2" -> "conv 1/2"
std::string_view last_name(const Profile& profile, std::string_view path);

}  // namespace dlview::profile
