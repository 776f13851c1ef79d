#include "generate/limits.h"

#include "base/unfinished_file.h"
#include "generate/limits/counters.h"
#include "generate/option_limits.h"

namespace dlview::generate {
namespace {

base::Error excluded(std::string_view option, std::string_view why, std::string_view fix) {
  return {"Invalid " + std::string(option), std::string(why), std::string(fix)};
}

base::Status check_limits(const LimitsOptions& options) {
  constexpr int64_t kMostPlantedIterations = 100'000;
  DLVIEW_TRY(check_options({{"--iterations", options.iterations, 1, kMostPlantedIterations}}));
  if (options.counters_path.empty()) return base::Success{};
  const CountersOptions& counters = options.counters;
  DLVIEW_TRY(check_options({{"--ncu-launches every", counters.every, 1, INT64_MAX},
                            {"--ncu-launches first", counters.first, 0, INT64_MAX}}));
  if (counters.nvtx != CsvNvtx::none && options.format != LimitsFormat::nsys) {
    return excluded("--ncu-nvtx", "only exports have NVTX ranges", "Use --format nsys");
  }
  if (counters.page == CsvPage::per_nvtx &&
      (counters.nvtx == CsvNvtx::none || counters.nvtx == CsvNvtx::rename)) {
    return excluded("--ncu-page", "a summary by range needs ranges",
                    "Add --ncu-nvtx same or --ncu-nvtx other");
  }
  const bool has_no_ranges =
      counters.page == CsvPage::per_kernel || counters.page == CsvPage::per_gpu;
  if (has_no_ranges && (counters.nvtx == CsvNvtx::same || counters.nvtx == CsvNvtx::other)) {
    return excluded("--ncu-nvtx", "this summary has no ranges",
                    "Use --ncu-page per-nvtx or --ncu-nvtx rename");
  }
  if (counters.page == CsvPage::oldest && counters.nvtx != CsvNvtx::none) {
    return excluded("--ncu-nvtx", "the oldest page has no ranges", "Use another --ncu-page");
  }
  if (counters.page == CsvPage::oldest && counters.names == CsvNames::new_style) {
    return excluded("--ncu-names", "new names began in 2025, the oldest page ended in 2021",
                    "Use --ncu-names old");
  }
  if (counters.quirks.header && limits::is_summary(counters.page)) {
    return excluded("--ncu-quirks", "a summary has one header", "Leave out \"header\"");
  }
  if (counters.quirks.missing &&
      (limits::is_summary(counters.page) || counters.page == CsvPage::metrics ||
       counters.page == CsvPage::oldest)) {
    return excluded("--ncu-quirks", "this page has no hit rates that can be missing",
                    "Leave out \"missing\"");
  }
  if (counters.quirks.utf16 && counters.quirks.bom) {
    return excluded("--ncu-quirks", "\"bom\" is of UTF-8, and \"utf16\" has its own",
                    "Choose one of them");
  }
  return base::Success{};
}

const limits::Gpu& measured_gpu(const LimitsOptions& options) {
  switch (options.counters.gpu) {
    case CsvGpu::same:
      break;
    case CsvGpu::v100:
      return limits::gpu_of(LimitsGpu::v100);
    case CsvGpu::a100:
      return limits::gpu_of(LimitsGpu::a100);
    case CsvGpu::h100:
      return limits::gpu_of(LimitsGpu::h100);
  }
  return limits::gpu_of(options.gpu);
}

}  // namespace

base::Result<LimitsTruth> generate_limits(const std::filesystem::path& path,
                                          const LimitsOptions& options, base::Progress& progress,
                                          IfExists if_exists) {
  DLVIEW_TRY(check_limits(options));
  const bool has_counters = !options.counters_path.empty();
  if (has_counters) DLVIEW_TRY(check_target(options.counters_path, if_exists));
  const limits::PlantedRun run = limits::plan_run(options);
  switch (options.format) {
    case LimitsFormat::nsys:
      DLVIEW_TRY(limits::write_export(run, options.schema, path, progress, if_exists));
      break;
    case LimitsFormat::dlprof:
      DLVIEW_TRY(limits::write_database(run, path, progress, if_exists));
      break;
    case LimitsFormat::pytorch:
      DLVIEW_TRY(limits::write_trace(run, path, if_exists));
      break;
  }
  const limits::Gpu& gpu = measured_gpu(options);
  if (!has_counters) return limits::truth_of(run, options, gpu, {}, {});
  const std::vector<limits::Measured> measured = limits::measure(run, gpu, options);
  const std::vector<limits::CsvRow> rows = limits::rows_of(run, measured, options.counters);
  base::Result<base::UnfinishedFile> target = base::UnfinishedFile::create(options.counters_path);
  if (!target) return std::move(target).error();
  limits::write_counters(target->out(), run, gpu, measured, rows, options.counters);
  DLVIEW_TRY(target->finish());
  return limits::truth_of(run, options, gpu, measured, rows);
}

}  // namespace dlview::generate
