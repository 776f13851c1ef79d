// Compiles, until a key is misspelled: tests/CMakeLists.txt compiles it with each of the macros,
// and expects the compiler to name the function that says what is wrong.

#include "aggregate/metrics.h"
#include "report/columns.h"

namespace dlview {

constexpr report::ColumnId kColumn = "kernel_name";
constexpr aggregate::MetricId kMetric = "gpu_utilization";

#if defined(DLVIEW_MISSPELLED_COLUMN)
constexpr report::ColumnId kNoColumn = "kernel_nmae";
#elif defined(DLVIEW_MISSPELLED_METRIC)
constexpr aggregate::MetricId kNoMetric = "gpu_utilisation";
#endif

}  // namespace dlview
