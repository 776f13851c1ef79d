// The numbers on screen, declared once: what each is called, how it is computed and from which
// rows. Tooltips read these declarations.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace dlview::aggregate {

enum class Unit : uint8_t { none, ns, percent, count, bytes, bytes_per_second };
// How overlapping times are treated; see aggregation.h.
enum class Accounting : uint8_t { none, sum, union_, exclusive, mean };

struct Metric {
  std::string_view id;     // "gpu_utilization"
  std::string_view title;  // "GPU utilization"
  Unit unit;
  Accounting accounting;
  std::string_view formula;  // one or two sentences in the words of the guide
  std::string_view source;   // the tables of a DLProf database it comes from
  // False: filters do not change it (decisions.md 22, 25).
  bool obeys_filters = true;
};

std::span<const Metric> all_metrics();
// A metric without formula, titled "Unknown metric", where no metric has the id.
const Metric& metric(std::string_view id);
std::string_view to_text(Accounting accounting);  // "plain sum", "union", "exclusive", "mean", ""

}  // namespace dlview::aggregate
