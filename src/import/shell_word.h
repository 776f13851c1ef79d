// A path as a word of a command that a message advises.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>

namespace dlview::import {

// In single quotes where a POSIX shell would read it as anything but itself.
inline std::string shell_word(const std::filesystem::path& path) {
  constexpr std::string_view kPlain = "/._-+=:,@%";
  const std::string text = path.string();
  const bool is_plain = std::ranges::all_of(text, [kPlain](unsigned char c) {
    return c >= 0x80 || std::isalnum(c) != 0 ||
           kPlain.find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (is_plain && !text.empty() && text.front() != '-') return text;
  std::string word = text.starts_with('-') ? "'./" : "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + '\'';
}

}  // namespace dlview::import
