// Summary files as a fuzzer changes them: unpacked, without directory and checksums.
#pragma once

#include <string>
#include <string_view>

namespace dlview::fuzz {

// Of each section: kind, column, block, two bytes of its length (the lower first), its bytes.
std::string sections_of(std::string_view file);

// The file that a program would write with these sections, whatever they hold.
std::string file_of(std::string_view sections);

}  // namespace dlview::fuzz
