#include "base/shell_quote.h"

#include <algorithm>

namespace dlview::base {
namespace {

bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("/._-+=,:@%").find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_quoted(std::string_view path) {
  const bool is_option = path.starts_with('-');
  if (!path.empty() && !is_option && std::ranges::all_of(path, is_plain)) return std::string(path);
  std::string quoted = is_option ? "'./" : "'";
  for (const char c : path) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + '\'';
}

}  // namespace dlview::base
