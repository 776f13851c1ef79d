// 13 million samples of GPU metrics, as a public capture has them: opening the export, arranging
// the lanes, and what they cost in a frame of the Timeline that has moved.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "aggregate/limits/gpu_samples.h"
#include "base/progress.h"
#include "generate/nsys.h"
#include "import/open.h"
#include "timeline/metric_lane.h"
#include "ui/theme.h"
#include "ui/views/timeline/metric_rows.h"

namespace dlview::bench {
namespace {

constexpr int64_t kSamples = 13'000'000, kGpuMetrics = 14, kPeriodNs = 102'176;
constexpr int32_t kColumns = 1'690;  // of the plot in a window of 1920
constexpr float kLaneHeight = 30;

// Kernels of a small run, and samples that go on after its end.
class MetricsFile {
 public:
  MetricsFile()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("dlview-gpu-metrics-{}.sqlite", getpid())) {
    base::Progress progress;
    generate::DemoOptions demo;
    demo.iterations = 20;
    demo.kernels = 20'000;
    demo.gpus = 1;
    if (!generate::generate_nsys(path_, demo, generate::NsysSchema::v2026, progress,
                                 generate::IfExists::replace, {.metric_period_ns = kPeriodNs})
             .ok()) {
      return;
    }
    sqlite3* database = nullptr;
    sqlite3_open(path_.c_str(), &database);
    const std::string sql = fmt::format(
        "PRAGMA synchronous = OFF; DELETE FROM GPU_METRICS; DELETE FROM TARGET_INFO_GPU_METRICS;"
        "INSERT INTO TARGET_INFO_GPU_METRICS VALUES "
        "(281479271677952, 0, '', 0, 'PCIe TX Throughput'), (281479271677952, 0, '', 1, 'GPC Clock "
        "Frequency'), (281479271677952, 0, '', 2, 'DRAM Write Throughput'), (281479271677952, 0, "
        "'', 3, 'SYS Clock Frequency'), (281479271677952, 0, '', 4, 'PCIe RX Throughput'), "
        "(281479271677952, 0, '', 5, 'GR Active'), (281479271677952, 0, '', 6, 'SM Active'), "
        "(281479271677952, 0, '', 7, 'SM Issue'), (281479271677952, 0, '', 8, 'Tensor Active'), "
        "(281479271677952, 0, '', 9, 'Vertex/Tess/Geometry Warps in Flight'), (281479271677952, 0, "
        "'', 10, 'Pixel Warps in Flight'), (281479271677952, 0, '', 11, 'Compute Warps in Flight'),"
        "(281479271677952, 0, '', 12, 'Unallocated Warps in Active SMs'), (281479271677952, 0, '', "
        "13, 'DRAM Read Throughput');"
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {0} - 1) "
        "INSERT INTO GPU_METRICS SELECT i / {1} * {2} - 23532, 281479271677952, i % {1}, "
        "(i * 7919) % 101 FROM n;",
        kSamples, kGpuMetrics, kPeriodNs);
    is_written_ = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    sqlite3_close(database);
  }
  ~MetricsFile() { std::filesystem::remove(path_); }
  bool is_written() const { return is_written_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool is_written_ = false;
};

const MetricsFile& metrics_file() {
  static const MetricsFile file;
  return file;
}

const profile::Profile* metrics_profile(benchmark::State& state) {
  static const auto profile = [] {
    base::Progress progress;
    return metrics_file().is_written() ? import::open_profile(metrics_file().path(), progress)
                                       : base::Result<profile::Profile>(base::Error{});
  }();
  if (!profile) state.SkipWithError("the export cannot be made or opened");
  return profile ? &*profile : nullptr;
}

void gpu_metrics_open(benchmark::State& state) {
  if (metrics_profile(state) == nullptr) return;
  for (auto _ : state) {
    base::Progress progress;
    benchmark::DoNotOptimize(import::open_profile(metrics_file().path(), progress));
  }
  state.SetItemsProcessed(state.iterations() * kSamples);
}
BENCHMARK(gpu_metrics_open)->Unit(benchmark::kMillisecond)->UseRealTime();

void gpu_metrics_lanes(benchmark::State& state) {
  const profile::Profile* const profile = metrics_profile(state);
  if (profile == nullptr) return;
  for (auto _ : state) benchmark::DoNotOptimize(timeline::metric_lanes(*profile->trace, 0));
}
BENCHMARK(gpu_metrics_lanes)->Unit(benchmark::kMillisecond)->UseRealTime();

void gpu_metrics_prepare_means(benchmark::State& state) {
  const profile::Profile* const profile = metrics_profile(state);
  if (profile == nullptr) return;
  for (auto _ : state) benchmark::DoNotOptimize(aggregate::GpuSamples(*profile));
}
BENCHMARK(gpu_metrics_prepare_means)->Unit(benchmark::kMillisecond)->UseRealTime();

// All lanes on one core, about one part in state.range(0) of the run; another one in each frame.
void gpu_metrics_frame(benchmark::State& state) {
  const profile::Profile* const profile = metrics_profile(state);
  if (profile == nullptr) return;
  static const std::vector<timeline::MetricLane> lanes = timeline::metric_lanes(*profile->trace, 0);
  const int64_t whole_ns = kSamples / kGpuMetrics * kPeriodNs;
  const int64_t length_ns = whole_ns / state.range(0) * 99 / 100;
  const ui::Palette& palette = ui::palette(ui::ThemeKind::dark);
  int64_t moved_ns = 0;
  std::size_t rectangles_of_all = 0;
  for (auto _ : state) {
    moved_ns = (moved_ns + std::max<int64_t>(1, length_ns / 7)) % (whole_ns - length_ns);
    const timeline::ColumnTimes columns(timeline::TimeMap({moved_ns, length_ns}, kColumns));
    std::vector<render::Rectangle> rectangles;
    float top = 0;
    for (const timeline::MetricLane& lane : lanes) {
      const ui::Box box{0, top, kColumns, top + kLaneHeight};
      ui::add_metric_row(palette, lane, timeline::prepare_metric(lane, columns), box, rectangles);
      top += kLaneHeight;
    }
    rectangles_of_all += rectangles.size();
    benchmark::DoNotOptimize(rectangles.data());
  }
  state.counters["rectangles"] = benchmark::Counter(static_cast<double>(rectangles_of_all),
                                                    benchmark::Counter::kAvgIterations);
}
BENCHMARK(gpu_metrics_frame)->Arg(1)->Arg(10)->Arg(100)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dlview::bench
