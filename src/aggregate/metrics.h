// The ids of the metrics (aggregate/metric_list.h), as code names them.
#pragma once

#include <span>
#include <string_view>

#include "aggregate/metric_list.h"

namespace dlview::aggregate {

void no_metric_has_this_id();  // never defined: what the compiler names when a MetricId is wrong

// A declared metric, or none. An id that is misspelled does not compile.
class MetricId {
 public:
  constexpr MetricId() = default;
  consteval MetricId(const char* id) : metric_(*id == '\0' ? nullptr : &declared(id)) {}
  // One of all_metrics().
  constexpr explicit MetricId(const Metric& declared) : metric_(&declared) {}

  constexpr bool empty() const { return metric_ == nullptr; }
  // "gpu_utilization"; empty = none.
  constexpr std::string_view text() const {
    return metric_ == nullptr ? std::string_view() : metric_->id;
  }
  friend constexpr bool operator==(const MetricId&, const MetricId&) = default;

 private:
  friend const Metric& metric(MetricId id);
  static constexpr const Metric& declared(std::string_view id) {
    for (const Metric& metric : kMetrics) {
      if (metric.id == id) return metric;
    }
    no_metric_has_this_id();
    return kMetrics[0];
  }

  const Metric* metric_ = nullptr;
};

std::span<const Metric> all_metrics();
// A metric without formula, titled "Unknown metric", for none.
const Metric& metric(MetricId id);
std::string_view to_text(Accounting accounting);  // "sum", "union", "exclusive", "mean", ""

}  // namespace dlview::aggregate
