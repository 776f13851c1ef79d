// Paths in commands that a user may paste into a shell.
#pragma once

#include <string>
#include <string_view>

namespace dlview::base {

// Returns the path as one word of a POSIX shell: as it is where nothing in it means anything to the
// shell, else in single quotes. One that begins with "-" gets "./" before it.
std::string shell_quoted(std::string_view path);

}  // namespace dlview::base
