// The reports of `nsys stats` as tables, under nsys's names, column titles and row orders, for any
// Profile that has a Trace (spec.md 16, 46), and some recipes of `nsys recipe`.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "aggregate/iterations.h"
#include "base/result.h"
#include "profile/profile.h"
#include "report/table.h"

namespace dlview::report::nsys {

// Both ends included.
struct Window {
  int64_t start_ns = 0, stop_ns = 0;
  bool holds(int64_t time_ns) const { return start_ns <= time_ns && time_ns <= stop_ns; }
  bool operator==(const Window&) const = default;
};

// The input of a report; the profile has a trace and outlives the table. With a window, only what
// begins in it on the CPU counts: calls and ranges by their start, GPU activity by the start of its
// API call, without a call by its own start (spec.md 46).
struct Input {
  const profile::Profile& profile;
  std::optional<Window> window = std::nullopt;

  const profile::Trace& trace() const { return *profile.trace; }
  bool counts(int64_t start_ns) const { return !window || window->holds(start_ns); }
  // The rows of a table of calls or ranges, or of work, that count.
  std::vector<std::size_t> rows(const profile::Column<int64_t>& start_ns) const;
  std::vector<std::size_t> rows(const profile::GpuWork& work) const;
};

// Returns the time of these iterations. All of them mean the whole capture: nullopt then, so that
// events outside all iterations count too, as in nsys.
std::optional<Window> window_of(const aggregate::Iterations& iterations,
                                const aggregate::IterationRange& range);

// The data that a report needs.
struct Needs {
  std::string_view what;    // "CUDA kernels"
  std::string_view remedy;  // how to get a file with it; a sentence
  bool (*are_met)(const profile::Trace&);
};

// Returns the remedy for the recorder of the trace: options of nsys do not help a user of the
// PyTorch profiler. Empty if that recorder has none.
std::string_view remedy_of(const Needs& needs, const profile::Trace& trace);

// Whether the report is held against what nsys printed for real files. Without one, columns, order
// and rounding follow nsys's guide and the proved reports of the same kind; recipes of `nsys
// recipe` are dlview's own tables of what the recipe shows.
enum class Reference : uint8_t { none, nsys_2023_4 };

struct ReportInfo {
  std::string_view name;      // "cuda_gpu_kern_sum"
  std::string_view old_name;  // "gpukernsum", its name before nsys 2022.4, or ""
  std::string_view title;     // "CUDA GPU Kernel Summary"
  std::string_view help;      // what a row is; a sentence
  const Needs& needs;         // without it there is nothing to print
  Reference reference;
  // Returns nullopt if nsys prints nothing.
  std::optional<Table> (*make)(const Input&);
};

// In order of name.
std::span<const ReportInfo> reports();

// "cuda_api_sum,gpukernsum", in the given order, each once; an unknown name is an Error that lists
// the valid ones.
base::Result<std::vector<const ReportInfo*>> parse_report_list(std::string_view list);

// The report as the table of its name; nothing where nsys has nothing to print.
std::optional<Table> make_report(const ReportInfo& report, const Input& input);

}  // namespace dlview::report::nsys
