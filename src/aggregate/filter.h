// Filter: a part of the run, described by texts that mean the same in another capture of it.
// docs/dev/spec.md 13 and 22 to 26 define what each kind matches. Filters of one kind are
// alternatives (any must match), different kinds combine (all must match).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dlview::aggregate {

enum class FilterKind : uint8_t {
  // Keep whole op instances with all their events.
  op,
  op_type,
  group,
  direction,
  eligible,
  // Keep GPU events, and the instances that have any.
  kernel,
  device,
  tensor_core,
  // Clips unions, and counts events by their GPU start.
  time,
};
inline constexpr std::array kFilterKinds{
    FilterKind::op,        FilterKind::op_type,     FilterKind::group,
    FilterKind::direction, FilterKind::eligible,    FilterKind::kernel,
    FilterKind::device,    FilterKind::tensor_core, FilterKind::time};

// Like an iteration: holds what starts from start_ns to stop_ns, both included, and is
// stop - start long.
struct TimeWindow {
  int64_t start_ns = 0, stop_ns = 0;
  auto operator<=>(const TimeWindow&) const = default;
};

struct Filter {
  FilterKind kind = FilterKind::op;
  // op: id or name; op_type; group: its name, "/net/conv/"; direction; kernel: Kernels::name.
  std::string text = {};
  int64_t number = 0;      // device: the CUDA ordinal; eligible, tensor_core: 0 or 1
  TimeWindow window = {};  // time
  auto operator<=>(const Filter&) const = default;
};

// In order, no doubles: equal sets of filters are equal vectors.
std::vector<Filter> canonical(std::vector<Filter> filters);

// Whether the filters on GPUs, if there are any, name this CUDA ordinal.
bool keep_device(const std::vector<Filter>& filters, int64_t device_id);

std::string_view to_text(FilterKind kind);     // "op_type"
std::string value_text(const Filter& filter);  // "conv2d", "2", "1000:2000"
std::string to_text(const Filter& filter);     // "op_type=conv2d"

// The inverse of the two texts. Fails for an unknown kind and for a value that no filter of the
// kind can have. Does not check whether a profile has the value.
base::Result<Filter> parse_filter(std::string_view kind, std::string_view value);

}  // namespace dlview::aggregate
