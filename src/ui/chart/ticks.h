// Where the axes of a chart have their marks: round durations and round iteration numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dlview::ui {

struct Tick {
  double value = 0;
  std::string label;
};

// From 0 to at most `maximum_ns`, no more than `most` marks above 0 (two or more), all labels in
// one unit with equal decimals: "0 ms", "100 ms", "200 ms".
std::vector<Tick> duration_ticks(double maximum_ns, int most);

// Multiples of 1, 2 or 5 times a power of ten in [first, last]; at most `most` of them.
std::vector<Tick> iteration_ticks(int64_t first, int64_t last, int most);

}  // namespace dlview::ui
