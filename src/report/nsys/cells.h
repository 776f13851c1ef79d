// Headers and numbers as `nsys stats` prints them: reals with one decimal and halves away from
// zero, sizes in MB with three decimals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "profile/profile.h"
#include "report/table.h"

namespace dlview::report::nsys {

// "Total Time (ns)", "Bytes (MB)".
std::string header_of(const Column& column);

// Appends the text of a cell of a column with that unit; "" where it has no value.
void append_cell(std::string& text, const Cell& cell, aggregate::Unit unit);

// Names as the reports show them.

// The text of an id that a Key holds; "" for kNoText.
inline std::string_view text_of(const profile::Profile& profile, int64_t id) {
  return id == profile::kNoText ? "" : profile.text(static_cast<profile::StringId>(id));
}

// An API call without "_v" and exactly four digits at the end: "cudaLaunchKernel_v7000" loses its
// version, "cuMemcpyHtoD_v2" and "cudaGraphLaunch_v10000" do not.
std::string_view call_label(std::string_view name);

// "[CUDA memcpy Host-to-Device]".
std::string_view copy_name(profile::CopyKind copy_kind);
inline constexpr std::string_view kMemsetName = "[CUDA memset]";

// "Pageable"; "" for a kind that is not recorded or unknown.
std::string_view memory_kind_name(profile::MemoryKind memory_kind);

// "  20   32    1".
std::string dimensions(const profile::Dim3& size);

// `--timeunit`: the reports' times in another unit than ns.

struct TimeUnit {
  std::string_view symbol;  // "ms"
  int64_t ns = 1;
  int decimals = 0;  // enough for 1 ns
};
inline constexpr TimeUnit kNanoseconds{"ns", 1, 0};

// "ms", "msec" or "milliseconds", and likewise for the other units; another name is an Error that
// lists the symbols.
base::Result<TimeUnit> parse_time_unit(std::string_view name);

// The table with its times as texts of that unit, to the ns, and the unit in their titles. Reals
// are rounded to the ns, halves away from zero.
Table in_time_unit(Table table, const TimeUnit& unit);

}  // namespace dlview::report::nsys
