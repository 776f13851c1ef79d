// Tensor shapes as DLProf's iteration report prints them.
#pragma once

#include <string>
#include <string_view>

namespace dlview::report::dlprof {

// "[[1,3,32,32],[6]]" with the format "N,C,H,W;K" -> "<N:1, C:3, H:32, W:32>; <K:6>". A shape whose
// format is missing or has another number of letters is printed plain: "<1, 3, 32, 32>". A single
// number is a shape of one. All that is no list of integers and lists of integers is "", however
// deep it is nested.
std::string shape_text(std::string_view json, std::string_view format);

}  // namespace dlview::report::dlprof
