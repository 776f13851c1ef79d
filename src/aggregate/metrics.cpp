#include "aggregate/metrics.h"

namespace dlview::aggregate {
namespace {

constexpr Metric kUnknown{"", "Unknown metric", Unit::none, Accounting::none, "", "", true};

}  // namespace

std::span<const Metric> all_metrics() {
  return kMetrics;
}

const Metric& metric(MetricId id) {
  return id.metric_ == nullptr ? kUnknown : *id.metric_;
}

std::string_view to_text(Accounting accounting) {
  switch (accounting) {
    case Accounting::sum:
      return "sum";
    case Accounting::union_:
      return "union";
    case Accounting::exclusive:
      return "exclusive";
    case Accounting::mean:
      return "mean";
    case Accounting::none:
      break;
  }
  return "";
}

}  // namespace dlview::aggregate
