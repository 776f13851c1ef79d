// A run with known work: ops whose FLOP, bytes, tiles and limiter are planted, as an Nsight Systems
// export, a DLProf database or a PyTorch trace; beside it the CSV that Nsight Compute would have
// written for its kernels, and the truth about both. Equal options give equal files on every
// machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "generate/nsys.h"
#include "generate/target.h"

namespace dlview::generate {

enum class LimitsGpu : uint8_t { v100, a100, h100 };
enum class LimitsFormat : uint8_t { nsys, dlprof, pytorch };

enum class CsvPage : uint8_t {
  details,
  details_rules,
  details_all,  // with rules and the column "Body Item Label"
  raw,
  per_kernel,
  per_gpu,
  per_nvtx,
  oldest,  // as of 2019 to 2021: no grid, block, device or compute capability
  metrics  // as of --metrics NAMES
};
enum class CsvLocale : uint8_t { c, en, de, fr, ch };
enum class CsvUnits : uint8_t { base, automatic };  // B and ns, or KB, ms, ...
enum class CsvNames : uint8_t {
  demangled,  // as c++filt writes them, and PyTorch's profiler
  mangled,
  function,   // without arguments and template arguments
  old_style,  // of Nsight Compute to 2024, Nsight Systems and DLProf: casts and namespaces
  new_style   // of Nsight Compute since 2025: neither, and lambdas cut short
};
enum class CsvNvtx : uint8_t {
  none,
  same,    // the ranges of the profile
  other,   // ranges that the profile does not have
  rename,  // --print-nvtx-rename: "range/kernel"
};
enum class CsvGpu : uint8_t { same, v100, a100, h100 };  // on which the kernels were measured

// What stands around the table, or in it.
struct CsvQuirks {
  bool utf16 = false;  // little-endian with a byte order mark, as PowerShell redirects
  bool bom = false;    // of UTF-8
  bool crlf = false;
  bool log = false;      // lines of ncu and of the program around the table
  bool header = false;   // a second header in the middle: ids begin at 0 again
  bool missing = false;  // "n/a" and "no data" for figures that nothing depends on
};

struct CountersOptions {
  CsvPage page = CsvPage::details;
  CsvLocale locale = CsvLocale::c;
  CsvUnits units = CsvUnits::automatic;
  CsvNames names = CsvNames::old_style;
  CsvNvtx nvtx = CsvNvtx::none;
  CsvGpu gpu = CsvGpu::same;
  CsvQuirks quirks = {};
  int64_t every = 1;          // measures each N-th launch,
  int64_t first = INT64_MAX;  // at most so many
};

struct LimitsOptions {
  LimitsFormat format = LimitsFormat::nsys;
  NsysSchema schema = NsysSchema::v2026;  // of an export
  LimitsGpu gpu = LimitsGpu::a100;
  int64_t iterations = 10;
  uint64_t seed = 1;
  std::filesystem::path counters_path;  // empty: no counters
  CountersOptions counters;
};

// Percent is 0..100 of the peaks of the data sheet, which the truth names.
struct LimitsTruth {
  struct Op {
    std::string name, type, data_type;
    std::string planted;  // "math", "memory", "both", "neither"
    int64_t calls = 0, kernels = 0, time_ns = 0;
    int64_t flops = 0, bytes = 0;               // of a call, from its shapes; both without padding
    bool flops_exact = true;                    // else one FLOP per element, a convention
    double peak_flops = 0, peak_bandwidth = 0;  // per second
    double math_percent = 0, memory_percent = 0;  // achieved, from shapes
    // What shapes alone prove: "math", "memory", "both", else "unknown".
    std::string by_flops_estimated;
    std::string by_intensity;  // "math", "memory", "no FLOP"
    // Of a GEMM; 0 = none.
    int64_t m = 0, n = 0, k = 0, batch = 0;
    int64_t tile_m = 0, tile_n = 0, tiles = 0;  // tiles: 0 = split-K and the like
    double waves = 0;                           // tiles / (SMs x blocks per SM)
    double tile_efficiency_percent = 0;
    std::string kernel;  // as the profile names it
    int64_t blocks_per_sm = 0;
  };
  // A row of ncu_launches: a measured launch, or a row of a summary.
  struct Launch {
    int64_t id = 0;
    std::string kernel;  // as the CSV names it
    std::string state;   // "joined", "none", "ambiguous", "refused"
    int level = 0;       // 1..4 of a joined or refused one
    bool by_occurrence = false;
    // Kernels it must join: numbers by start on the GPU from 0, in the whole profile.
    std::vector<int64_t> kernels;
    int64_t candidates = 0, profile_launches = 0, measured_launches = 0;
    int64_t duration_ns = 0;
    int64_t dram_bytes = 0;
    // Counted; nullopt = the GPU counts no FLOP of Tensor Cores (before 9.0), or not on this page.
    std::optional<int64_t> flops;
    double compute_percent = 0, memory_percent = 0, dram_percent = 0, waves = 0;
    std::string by_busy;         // "math", "memory", "both", "neither"
    std::string speed_of_light;  // "high throughput", "high compute", ... as Nsight Compute's rule
  };
  std::string gpu, measured_gpu;
  std::vector<Op> ops;
  std::vector<Launch> launches;
};

// An Error says which options exclude each other.
base::Result<LimitsTruth> generate_limits(const std::filesystem::path& path,
                                          const LimitsOptions& options, base::Progress& progress,
                                          IfExists if_exists = IfExists::fail);

std::string to_json(const LimitsTruth& truth);

// A CSV of `launches` launches with `metrics` metrics each, on the page details or raw, for
// benchmarks and limits. Memory does not grow with it.
void write_large_counters(std::ostream& out, int64_t launches, int64_t metrics, CsvPage page);

}  // namespace dlview::generate
