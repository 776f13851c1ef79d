// Fuzzy search: how well a text answers what was typed. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace dlview::ui {

// Every word of the query has to be in the text, its letters in order but not necessarily together,
// case aside. Higher is better: whole words first, then pieces, then scattered letters; of equal
// ones the shorter text. An empty query fits everything.
std::optional<int> fuzzy_score(std::string_view query, std::string_view text);

}  // namespace dlview::ui
