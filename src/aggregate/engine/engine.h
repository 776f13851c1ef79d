// Engine: sums rows. Splits, filters and the use of the sums are the same for all engines, see
// engine_aggregator.h. Integers are bit for bit equal between engines.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/engine/coverage.h"
#include "aggregate/engine/layouts.h"
#include "aggregate/row_filter.h"

namespace dlview::aggregate {

// All rows of the profile, or those that the filters keep.
enum class Part : uint8_t { all, kept };

struct RowCells {
  Cells ops, events;
  bool operator==(const RowCells&) const = default;
};

// One thread at a time. What fails throws: std::bad_alloc, or std::runtime_error that says why.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;  // "cpu", "cuda"
  // Why it is this one that answers; empty where there was no choice.
  virtual std::string reason() const { return {}; }

  // As Aggregator::prepare_filters().
  virtual bool prepare_filters() { return false; }
  // Sets the filter of Part::kept.
  virtual void set_filter(const RowFilter& filter) = 0;
  // Sets the iterations of kernel_totals() and groups(); they must stay valid until the next call.
  virtual void set_iterations(const Iterations& iterations) = 0;

  // Sums instance rows [first, end) and their events.
  virtual RowCells rows(Part part, profile::Row first, profile::Row end) = 0;
  // Sums the iterations of the range; see GroupLayout.
  virtual Cells groups(Part part, const IterationRange& range) = 0;
  // One for each iteration.
  virtual std::vector<KernelTotals> kernel_totals(Part part) = 0;
  // Returns the coverage of a device before each of the times, which ascend. Part::kept: only its
  // GPU events.
  virtual std::vector<Coverage> covered_before(Part part, profile::DeviceIndex device,
                                               std::span<const int64_t> times_ns) = 0;
};

}  // namespace dlview::aggregate
