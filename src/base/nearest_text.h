// Suggests what a misspelled name was meant to be.
#pragma once

#include <set>
#include <string_view>

namespace dlview::base {

// The text with the same words in another order; else the one that differs by the fewest typing
// errors, as far as these are few enough for it to have been meant; empty when there is none.
std::string_view nearest_text(const std::set<std::string_view>& texts, std::string_view wanted);

}  // namespace dlview::base
