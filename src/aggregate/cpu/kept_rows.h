// KeptRows: the rows that filters keep, gathered once so that a range of iterations costs no more
// than what is left of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregate/cpu/device_timeline.h"
#include "aggregate/row_filter.h"
#include "aggregate/stats.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

struct KeptRows {
  // Rows that count, ascending.
  std::vector<profile::Row> instances, kernels, memory_ops;
  std::vector<InstanceTimes> times;     // one for each of `instances`
  std::vector<DeviceEvents> on_device;  // by device row: what unions cover, clipped to the windows
};

// `times` are those of all instances, with all their events; `communicates` those of
// profile::communication_kernels(). Runs on all cores.
KeptRows keep_rows(const profile::Profile& profile, const std::vector<InstanceTimes>& times,
                   const std::vector<uint8_t>& communicates, const RowFilter& filter);

// Those of the ascending rows that lie in [first, end).
std::span<const profile::Row> rows_between(const std::vector<profile::Row>& rows,
                                           profile::Row first, profile::Row end);

}  // namespace dlview::aggregate::cpu
