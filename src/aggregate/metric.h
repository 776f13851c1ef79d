// How a number on screen is declared (metric_list.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace dlview::aggregate {

enum class Unit : uint8_t { none, ns, percent, count, bytes, bytes_per_second, flop };
// How overlapping times are treated; see aggregation.h.
enum class Accounting : uint8_t { none, sum, union_, exclusive, mean };

struct Metric {
  std::string_view id;     // "gpu_utilization"
  std::string_view title;  // "GPU utilization"
  Unit unit;
  Accounting accounting;
  std::string_view formula;  // one or two sentences in the words of the guide
  std::string_view source;   // the tables of a DLProf database it comes from
  // False: filters do not change it (spec.md 22, 25).
  bool obeys_filters = true;
};

}  // namespace dlview::aggregate
