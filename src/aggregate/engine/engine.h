// Engine: adds up rows. Everything around it - cuts, filters, what becomes of the sums - is the
// same for all engines and stands in engine_aggregator.h. Integers are equal to the bit between
// engines.
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

  // While nothing is asked: a few milliseconds of what the first filter would need to be made;
  // whether more may be left of it.
  virtual bool prepare_filters() { return false; }
  // What Part::kept is from now on.
  virtual void set_filter(const RowFilter& filter) = 0;
  // The iterations that kernel_totals() and groups() are asked for from now on; they stay valid
  // until others are set.
  virtual void set_iterations(const Iterations& iterations) = 0;

  // Of instance rows [first, end) and their events.
  virtual RowCells rows(Part part, profile::Row first, profile::Row end) = 0;
  // Of the iterations of the range; see GroupLayout.
  virtual Cells groups(Part part, const IterationRange& range) = 0;
  // One for each iteration.
  virtual std::vector<KernelTotals> kernel_totals(Part part) = 0;
  // What a device did before each of these times, which ascend. Of Part::kept only its GPU events.
  virtual std::vector<Coverage> covered_before(Part part, profile::DeviceIndex device,
                                               std::span<const int64_t> times_ns) = 0;
};

}  // namespace dlview::aggregate
