// Differences of two iterations and of two runs.
#pragma once

#include <array>

#include "report/columns/column_spec.h"

namespace dlview::report::columns {

inline constexpr auto kComparisonColumns = std::to_array<ColumnSpec>({
    // Differences of two iterations, by op and by kernel. On screen, the titles contain the
    // numbers of the iterations.
    text("op_id", "Op ID"),
    text("op_name", "Op name", {.width = 180, .share = 1}),
    text("op_type", "Op type", {.width = 110, .share = 0.3f}),
    word("time", "CPU/GPU", {.width = 72}),
    text("differences.kernel_name", "Kernel name", {.width = 180, .share = 1}),
    time("ns", "Time", {.width = 92}),
    time("against_ns", "Other time", {.width = 92}),
    time("difference_ns", "Difference", {.width = 92}),
    count("differences.calls", "Calls", {.width = 84}),
    count("against_calls", "Other calls", {.width = 84}),
    count("launches", "Launches", {.width = 96}),
    count("against_launches", "Other launches", {.width = 96}),
    count("only_in", "Runs only in", {.width = 88}),

    // Comparison of two runs: waterfall, op_changes, kernel_changes, op_matches, verdict,
    // checks. Times and calls are per iteration and GPU.
    word("run_comparison.level", "Level"),
    word("run_comparison.change", "Change", {.width = 96}),
    word("stack_part", "Part", {.width = 132}),
    text("changed_name", "Name", {.width = 200, .share = 1}),
    text("op_before", "Op before", {.width = 160, .share = 1}),
    text("op_after", "Op after", {.width = 160, .share = 1}),
    text("kernel_before", "Kernel before", {.width = 160, .share = 1}),
    text("kernel_after", "Kernel after", {.width = 160, .share = 1}),
    word("matched_by", "Matched by", {.width = 84}),
    real("before_calls", "Calls before", {.metric = "compared_calls", .width = 84}),
    real("after_calls", "Calls after", {.metric = "compared_calls", .width = 84}),
    time("before_ns", "Before", {.width = 92}),
    time("after_ns", "After", {.width = 92}),
    percent("share_of_difference", "Share of difference", {.width = 84}),
    percent("median_change_pct", "Change of median", {.width = 84}),
    percent("interval_low_pct", "Interval, low", {.width = 84}),
    percent("interval_high_pct", "Interval, high", {.width = 84}),
    real("q_value", "q", {.width = 64}),
    time("overlapped_before_ns", "Overlapped before", {.width = 92}),
    time("overlapped_after_ns", "Overlapped after", {.width = 92}),
    time("by_calls_ns", "Of it by calls", {.width = 92}),
    time("by_time_per_call_ns", "Of it by time per call", {.width = 92}),
    text("changed_row", "Row"),
    word("run_comparison.verdict", "Verdict"),
    real("p_value", "p", {.width = 64}),
    percent("floor_pct", "Noise floor", {.width = 84}),
    word("floor_source", "Floor source"),
    count("slower_ops", "Slower ops", {.width = 84}),
    count("faster_ops", "Faster ops", {.width = 84}),
    text("verdict_text", "In words"),
    word("check", "Check"),
    word("check_level", "Level"),
    text("check_text", "Finding"),
});

}  // namespace dlview::report::columns
