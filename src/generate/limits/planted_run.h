// The planted ops and kernels of generate/limits.h, and what the run launches when.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "generate/limits.h"
#include "profile/kinds.h"
#include "profile/rows.h"

namespace dlview::generate::limits {

struct Gpu {
  std::string_view name;
  int cc_major = 0, cc_minor = 0;
  int64_t sm_count = 0, memory_bytes = 0, l2_bytes = 0, shared_per_sm = 0;
  double boost_hz = 0, base_hz = 0;                      // ncu locks the clock to the base
  double fp32_flops = 0, fp16_flops = 0, bandwidth = 0;  // dense, per second
  double memory_hz = 0;
  int64_t bus_bits = 0, l2_bytes_per_cycle = 0;
};
const Gpu& gpu_of(LimitsGpu gpu);

enum class PlantedLimit : uint8_t { math, memory, both, neither };
std::string_view to_text(PlantedLimit limit);

// How much of a kernel's name the styles of profilers share.
enum class NameKind : uint8_t {
  plain,           // "ampere_sgemm_128x64_nn": one text for all
  functor,         // template arguments that are types
  lambda,          // a lambda in a function named ..._kernel
  unnamed_lambda,  // a lambda in a function of another name
};

struct PlantedName {
  NameKind kind = NameKind::plain;
  std::array<std::string, 5> text;  // by CsvNames
  std::string_view of(CsvNames style) const { return text[static_cast<std::size_t>(style)]; }
};

struct PlantedKernel {
  PlantedName name;
  profile::Dim3 grid, block;
  bool tensor_cores = false;
  int64_t registers = 32, shared_bytes = 0;  // per thread, per block
  int64_t ns = 0;                            // at the boost clock
  // Counted in a launch. Thread instructions; `tensor_ops` count a multiply-add as two.
  int64_t fadd = 0, fmul = 0, ffma = 0, tensor_ops = 0;
  int64_t dram_read = 0, dram_write = 0, l2_bytes = 0, l1_bytes = 0;
  double busy_percent = 0;  // SM throughput if more than its FLOP account for
};

struct PlantedGemm {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  int64_t tile_m = 0, tile_n = 0;
};

// Tensors of an op as the three formats have them.
struct PlantedOp {
  std::string name;        // "/module/Net::forward/up/matmul"
  std::string type;        // of DLProf and pyprof: "matmul"
  std::string torch_name;  // "aten::mm"
  bool is_half = true;     // else FP32
  std::vector<std::vector<int64_t>> inputs;
  std::vector<std::string> input_types;  // "c10::Half"
  std::vector<std::string> concrete;     // of PyTorch, beside the tensors: "[1, 1]"
  std::vector<int64_t> output;
  int64_t flops = 0, bytes = 0;
  bool flops_exact = true;
  PlantedLimit limit = PlantedLimit::neither;
  bool is_gemm = false;
  PlantedGemm gemm;
  std::size_t kernel = 0;  // in PlantedRun::kernels
  bool uses_both_streams = false;
};

// In order of start. Times in ns.
struct PlantedLaunch {
  std::size_t kernel = 0;
  int64_t op = -1;        // -1: none
  int64_t iteration = 0;  // from 1; 0: before the first
  int64_t op_start_ns = 0, op_end_ns = 0;
  int64_t api_start_ns = 0, api_end_ns = 0, start_ns = 0, end_ns = 0;
  int64_t stream = 7;
  int64_t sequence = 0;  // PyTorch's number of the op call
};

struct PlantedRun {
  Gpu gpu;
  std::vector<PlantedKernel> kernels;
  std::vector<PlantedOp> ops;
  std::vector<PlantedLaunch> launches;
  std::vector<std::pair<int64_t, int64_t>> steps;  // start and end of each iteration's range
  std::pair<int64_t, int64_t> warm_up{0, 0};
};

inline constexpr int64_t kProcess = 4242, kOtherStream = 20;

PlantedRun plan_run(const LimitsOptions& options);

// Blocks that fit an SM, by what fits least: registers, shared memory, warps, blocks.
struct BlockLimits {
  int64_t registers = 0, shared_memory = 0, warps = 0, blocks = 32;
  int64_t least() const;
};
BlockLimits block_limits(const Gpu& gpu, const PlantedKernel& kernel);

// Texts of the ranges around a launch in an export, outer first.
std::vector<std::string> range_path(const PlantedRun& run, const PlantedLaunch& launch);

// The files.
base::Status write_export(const PlantedRun& run, NsysSchema schema,
                          const std::filesystem::path& path, base::Progress& progress,
                          IfExists if_exists);
base::Status write_database(const PlantedRun& run, const std::filesystem::path& path,
                            base::Progress& progress, IfExists if_exists);
base::Status write_trace(const PlantedRun& run, const std::filesystem::path& path,
                         IfExists if_exists);

}  // namespace dlview::generate::limits
