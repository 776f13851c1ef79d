// The report "per operator": what limits each op of the range, how well it uses the GPU, and what
// to do about it, as one HTML file without scripts or as a PDF. It has no path, user or host.
//
// Percentages of charts: counted by Nsight Compute, DRAM else the mean of GPU metrics, else
// estimated (hatched), else a gap:
//   Tensor Cores  active cycles of the Tensor pipe; estimated: FLOP/s from shapes / peak of the
//   type memory        DRAM throughput; estimated: bytes/s from shapes / peak bandwidth occupancy
//   active warps; estimated: PyTorch's estimate, else theoretical occupancy
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/limits/limit_advice.h"
#include "aggregate/limits/limits.h"
#include "base/result.h"
#include "profile/profile.h"

namespace dlview::report {

// A share of the GPU, as a chart draws it.
struct ReportShare {
  std::optional<double> percent;  // may exceed 100; nullopt = a gap
  aggregate::Origin origin = aggregate::Origin::none;
  bool has_no_form = false;  // of Tensor Cores: pooling, activation, normalization
};
inline constexpr std::size_t kReportCharts = 3;
inline constexpr std::array<std::string_view, kReportCharts> kReportChartTitles{
    "Tensor Core utilization", "Memory throughput", "SM occupancy"};

struct ReportBar {
  std::string name;
  int64_t time_ns = 0;  // the width
  std::array<ReportShare, kReportCharts> shares;
  std::size_t op = 0;  // in OperatorReport::ops, of a bar of the network
};

struct ReportOp {
  profile::OpIndex op;  // kNoRow = of counters alone
  std::string name, type, shape, data_type;
  int64_t calls = 0, time_ns = 0;
  double share_percent = 0;  // of the kernel time of the range
  aggregate::Limit limit = aggregate::Limit::unknown;
  std::string limit_text;         // "memory", "memory side · at least 24% of the roof"
  std::string tensor_cores;       // "yes", "no", "unknown", "not applicable"
  std::string achieved;           // "107 of 989 TFLOP/s"; empty = unknown
  std::optional<double> save_ns;  // the priority
};

// Ops shown with their kernels.
struct ReportDetail {
  std::size_t op = 0;  // in OperatorReport::ops
  std::string formula;
  std::vector<ReportBar> kernels;  // longest first; those beyond the first become one
};

struct ReportAdvice {
  std::optional<std::size_t> op;  // nullopt = of the range
  std::string advice, evidence;
  std::optional<double> save_ns;
};
struct ReportAdviceGroup {
  std::string_view title;
  std::vector<ReportAdvice> advice;
};

struct OperatorReport {
  std::string title;               // "Ops of run.pt.trace.json"
  std::vector<std::string> facts;  // GPU, peaks and their source, coverage, range
  struct ClassShare {
    aggregate::Limit limit = aggregate::Limit::unknown;
    std::string name;  // "memory", "unknown, memory side"
    std::string_view color;
    int64_t time_ns = 0;
    double percent = 0;
  };
  std::vector<ClassShare> classes;  // of the kernel time
  int64_t time_ns = 0;
  std::vector<ReportOp> ops;       // largest savings first, then by time
  std::vector<ReportBar> network;  // in order of their first kernel
  std::vector<ReportDetail> details;
  std::vector<ReportAdviceGroup> advice;
};

inline constexpr std::size_t kReportDetails = 10, kReportKernels = 40;

// `name`: of the profile's file, without folders. `details`: ops shown with their kernels, at most.
// The whole range, whatever the filters. O(kernels of the range).
OperatorReport make_operator_report(const profile::Profile& profile,
                                    const aggregate::Aggregation& aggregation,
                                    const aggregate::LimitIndex& index, std::string_view name,
                                    std::size_t details = kReportDetails);

void write_operator_html(const OperatorReport& report, std::ostream& out);
// Fails in a build without Pango, and says so.
base::Status write_operator_pdf(const OperatorReport& report, const std::filesystem::path& path);

// "61.2%", "at least 8.7% (estimated)", "not applicable", "unknown".
std::string share_text(const ReportShare& share, std::size_t chart);
// "#rrggbb" of a class; of a chart.
std::string_view color_of(aggregate::Limit limit);
std::string_view color_of_chart(std::size_t chart);
// Cut in the middle to so many characters.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace dlview::report
