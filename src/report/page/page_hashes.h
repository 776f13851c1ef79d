// SHA-256 of the style of a page, and of its script, in hexadecimal.
#pragma once

#include <string_view>

namespace dlview::report::page {

extern const std::string_view kStyleSha256, kScriptSha256;

}  // namespace dlview::report::page
