// Suggests texts of the profile that resemble one that was not found.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/nearest_text.h"

namespace dlview::workspace {

// The first few texts, in order, in which the wanted one is part, whatever its case: "a or b".
// Empty when there is none.
std::string similar_texts(const std::set<std::string_view>& texts, std::string_view wanted);

using base::nearest_text;

// The first few texts, and how many more there are: "a, b and 12 more".
std::string first_texts(const std::set<std::string_view>& texts);

}  // namespace dlview::workspace
