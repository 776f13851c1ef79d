// Texts in commands that a user may paste into a shell.
#pragma once

#include <string>
#include <string_view>

namespace dlview::base {

// One word of a POSIX shell: as it is where nothing in it means anything to the shell, else in
// single quotes.
std::string shell_quoted(std::string_view word);

}  // namespace dlview::base
