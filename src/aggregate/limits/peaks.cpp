#include "aggregate/limits/peaks.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace dlview::aggregate {
namespace {

constexpr double kTera = 1e12, kGiga = 1e9;

// Where the numbers of a row come from.
constexpr std::string_view kDataSheet = "data sheet", kDeviceProperties = "device properties",
                           kClock = "SMs × clock";

// Dense rates at boost clock in TFLOP/s (INT8: TOP/s), memory in GB/s; 0 = none, or not known. FP16
// and FP8 of GeForce are with FP32 accumulation, as frameworks use it.
struct TableRow {
  std::string_view gpu;
  // Words of the device's name that the GPU has, and words that it does not have, by blanks.
  std::string_view words, no_words;
  int64_t sm_count;  // a device with another one is another product, or a part of this; 0 = any
  double fp64, fp64_tensor, fp32, fp32_tensor, tf32, fp16_tensor, bf16_tensor, fp8, int8;
  double bandwidth;
  int64_t l2_mb;
};

// NVIDIA's data sheets: V100 (volta-v100-datasheet-update-us-1165301-r5), T4
// (t4-tensor-core-datasheet-951643), A10, A100 (a100-datasheet-us-nvidia-1758950-r4), H100, H200,
// HGX B200, GB200, L4, L40S, GeForce; AMD's of the Instinct series. Bandwidth as devices report it
// where that is known (V100, T4, A100, H100, H200, GH200, B200, GeForce), else from the data sheet.
// Figures with sparsity are not in here.
constexpr TableRow kTable[] = {
    {"V100S PCIe", "V100S", "", 80, 8.2, 0, 16.4, 0, 0, 130, 0, 0, 0, 1134, 6},
    {"V100 PCIe", "V100 PCIE", "V100S", 80, 7.0, 0, 14, 0, 0, 112, 0, 0, 0, 900, 6},
    {"V100 SXM2", "V100 DGXS", "", 80, 7.8, 0, 15.7, 0, 0, 125, 0, 0, 62.8, 900, 6},
    {"V100 SXM2", "V100 SXM2", "", 80, 7.8, 0, 15.7, 0, 0, 125, 0, 0, 62.8, 900, 6},
    {"T4", "T4", "T4G", 40, 0.25, 0, 8.1, 0, 0, 65, 0, 0, 130, 320.064, 4},
    {"A10", "A10", "", 72, 0.49, 0, 31.2, 0, 62.5, 125, 125, 0, 250, 600, 6},
    {"A100 80GB PCIe", "A100 80GB PCIE", "", 108, 9.7, 19.5, 19.5, 0, 156, 312, 312, 0, 624,
     1935.36, 40},
    {"A100 80GB SXM", "A100 SXM4 80GB", "", 108, 9.7, 19.5, 19.5, 0, 156, 312, 312, 0, 624, 2039.04,
     40},
    {"A100 40GB", "A100 SXM4 40GB", "", 108, 9.7, 19.5, 19.5, 0, 156, 312, 312, 0, 624, 1555.2, 40},
    {"A100 40GB", "A100 PCIE 40GB", "", 108, 9.7, 19.5, 19.5, 0, 156, 312, 312, 0, 624, 1555.2, 40},
    {"H100 PCIe", "H100 PCIE", "", 114, 26, 51, 51, 0, 378, 756, 756, 1513, 1513, 2039.04, 50},
    {"H100 NVL", "H100 NVL", "", 132, 30, 60, 60, 0, 417.5, 835.5, 835.5, 1671, 1671, 3900, 50},
    {"H100 SXM", "H100 80GB HBM3", "", 132, 34, 67, 67, 0, 494.7, 989.4, 989.4, 1978.9, 1978.9,
     3352.32, 50},
    {"H200", "H200", "NVL GH200", 132, 34, 67, 67, 0, 494.7, 989.4, 989.4, 1978.9, 1978.9, 4916.736,
     60},
    {"GH200 480GB", "GH200 480GB", "", 132, 34, 67, 67, 0, 494.7, 989.4, 989.4, 1978.9, 1978.9,
     4022.784, 60},
    {"B200", "B200", "GB200", 148, 37, 0, 75, 0, 1125, 2250, 2250, 4500, 4500, 7672.32, 126},
    {"GB200", "GB200", "", 0, 40, 0, 80, 0, 1250, 2500, 2500, 5000, 5000, 8000, 126},
    {"L4", "L4", "", 58, 0.47, 0, 30.3, 0, 60, 121, 121, 242.5, 242.5, 300, 48},
    {"L40S", "L40S", "", 142, 1.43, 0, 91.6, 0, 183, 362, 362, 733, 733, 864, 96},
    {"RTX 3090", "RTX 3090", "TI LAPTOP", 82, 0.56, 0, 35.6, 0, 35.6, 71, 71, 0, 285, 936.096, 6},
    {"RTX 4090", "RTX 4090", "D LAPTOP", 128, 1.29, 0, 82.6, 0, 82.6, 165.2, 165.2, 330.3, 660.6,
     1008.096, 72},
    {"RTX 5090", "RTX 5090", "D LAPTOP", 170, 1.64, 0, 104.8, 0, 104.8, 209.5, 209.5, 419, 838,
     1792, 96},
    {"MI210", "MI210", "", 104, 22.6, 45.3, 22.6, 45.3, 0, 181, 181, 0, 181, 1638.4, 0},
    {"MI250X, one die", "MI250X", "", 110, 23.95, 47.85, 23.95, 47.85, 0, 191.5, 191.5, 0, 191.5,
     1638.4, 0},
    {"MI300X", "MI300X", "", 304, 81.7, 163.4, 163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9,
     5300, 0},
};

// FLOP per clock and SM, a multiply-add counted as two (NVIDIA). 0 = none.
struct RateRow {
  int32_t major, minor;
  double fp64, fp64_tensor, fp32, fp16, tf32, half_tensor, fp8, int8;
  bool has_bf16;
};
constexpr RateRow kRates[] = {
    {7, 0, 64, 0, 128, 256, 0, 1024, 0, 0, false},
    {7, 5, 4, 0, 128, 256, 0, 1024, 0, 2048, false},
    {8, 0, 64, 128, 128, 512, 1024, 2048, 0, 4096, true},
    {8, 6, 4, 0, 256, 256, 512, 1024, 0, 2048, true},
    {8, 9, 4, 0, 256, 256, 512, 1024, 2048, 2048, true},
    {9, 0, 128, 256, 256, 512, 2048, 4096, 8192, 8192, true},
    {10, 0, 128, 0, 256, 0, 4096, 8192, 16384, 16384, true},
    {12, 0, 4, 0, 256, 256, 512, 1024, 2048, 2048, true},
};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    } else {
      end_word();
    }
  }
  end_word();
  return words;
}

// A MIG slice, which has the name of the whole GPU.
bool is_part_of_gpu(const GpuProperties& gpu) {
  const std::vector<std::string> words = words_of(gpu.name);
  return std::ranges::find(words, "MIG") != words.end();
}

const TableRow* row_of(const GpuProperties& gpu) {
  const std::vector<std::string> words = words_of(gpu.name);
  const auto has = [&words](const std::string& word) {
    return std::ranges::find(words, word) != words.end();
  };
  if (is_part_of_gpu(gpu)) return nullptr;
  const auto found = std::ranges::find_if(kTable, [&](const TableRow& row) {
    const std::vector<std::string> wanted = words_of(row.words), others = words_of(row.no_words);
    return std::ranges::all_of(wanted, has) && std::ranges::none_of(others, has) &&
           (row.sm_count == 0 || gpu.sm_count.value_or(row.sm_count) == row.sm_count);
  });
  return found == std::end(kTable) ? nullptr : found;
}

void set(std::optional<Peak>& peak, double per_second, std::string_view source,
         std::optional<double> clock_hz = std::nullopt) {
  if (peak || !(per_second > 0)) return;
  peak = Peak{per_second, std::string(source), clock_hz};
}

void set(GpuPeaks& peaks, MathType type, double per_second, std::string_view source,
         std::optional<double> clock_hz = std::nullopt) {
  set(peaks.flops[static_cast<std::size_t>(type)], per_second, source, clock_hz);
}

void add_table_row(const TableRow& row, GpuPeaks& peaks) {
  const auto add = [&](MathType type, double tflops) {
    set(peaks, type, tflops * kTera, kDataSheet);
  };
  add(MathType::fp64, row.fp64);
  add(MathType::fp64_tensor, row.fp64_tensor);
  add(MathType::fp32, row.fp32);
  add(MathType::fp32_tensor, row.fp32_tensor);
  add(MathType::tf32_tensor, row.tf32);
  add(MathType::fp16_tensor, row.fp16_tensor);
  add(MathType::bf16_tensor, row.bf16_tensor);
  add(MathType::fp8_tensor, row.fp8);
  add(MathType::int8_tensor, row.int8);
}

void add_rates(const GpuProperties& gpu, GpuPeaks& peaks) {
  if (!gpu.sm_count || !gpu.clock_hz || *gpu.sm_count <= 0) return;
  for (int type = 0; type < kMathTypes; ++type) {
    const auto of = static_cast<MathType>(type);
    const std::optional<double> rate = flop_per_clock_and_sm(gpu, of);
    if (!rate) continue;
    set(peaks, of, *rate * static_cast<double>(*gpu.sm_count) * *gpu.clock_hz, kClock,
        gpu.clock_hz);
  }
}

// Data sheets have no FP16 outside Tensor Cores: as many times FP32 as the SM computes; where that
// is not known, FP32, in which frameworks compute it.
void add_plain_half(const GpuProperties& gpu, GpuPeaks& peaks) {
  const std::optional<Peak>& single = peaks.of(MathType::fp32);
  if (!single) return;
  const auto half_rate = flop_per_clock_and_sm(gpu, MathType::fp16);
  const auto single_rate = flop_per_clock_and_sm(gpu, MathType::fp32);
  const double factor = half_rate && single_rate ? *half_rate / *single_rate : 1;
  set(peaks, MathType::fp16, single->per_second * factor,
      fmt::format("{} × FP32 ({})", factor, single->source), single->clock_hz);
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

std::string_view without_blanks(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Cells of a line; a quoted one may have commas.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  for (std::string& cell : cells) cell = std::string(without_blanks(cell));
  return cells;
}

std::optional<double> positive(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

base::Error bad_row(std::string_view path, int64_t line, std::string detail) {
  return {"Invalid row in the peaks file", fmt::format("{}, line {}: {}", path, line, detail),
          "Columns: gpu,type,tflops,gbps, or label,peak_flops,peak_bandwidth"};
}

class PeaksReader {
 public:
  PeaksReader(std::string path, std::string_view label) : label_(label) {
    peaks_.path = std::move(path);
  }

  base::Result<UserPeaks> read(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    for (int64_t line = 1; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const base::Status read = take_line(without_blanks(text.substr(0, end)), line);
      if (!read) return read.error();
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return finish();
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  base::Status take_line(std::string_view line, int64_t number) {
    if (line.empty() || line.front() == '#') return base::Success{};
    const std::vector<std::string> cells = cells_of(line);
    if (columns_.empty()) return take_header(cells, number);
    const auto cell = [&](std::size_t column) -> std::string_view {
      return column < cells.size() ? std::string_view(cells[column]) : std::string_view();
    };
    return label_column_ != kNone ? take_labeled(cell, number) : take_row(cell, number);
  }

  base::Status take_header(const std::vector<std::string>& cells, int64_t line) {
    for (const std::string& cell : cells) columns_.push_back(lower(cell));
    const auto column = [this](std::string_view name) {
      const auto found = std::ranges::find(columns_, name);
      return found == columns_.end() ? kNone : static_cast<std::size_t>(found - columns_.begin());
    };
    label_column_ = column("label");
    gpu_ = column("gpu");
    type_ = column("type");
    flops_ = column(label_column_ == kNone ? "tflops" : "peak_flops");
    bandwidth_ = column(label_column_ == kNone ? "gbps" : "peak_bandwidth");
    const bool is_known = flops_ != kNone && bandwidth_ != kNone &&
                          (label_column_ != kNone || (gpu_ != kNone && type_ != kNone));
    if (!is_known) return bad_row(peaks_.path, line, "unknown columns in the header");
    return base::Success{};
  }

  template <typename CellOf>
  base::Status take_labeled(const CellOf& cell, int64_t line) {
    labels_ += fmt::format("{}{}", labels_.empty() ? "" : ", ", cell(label_column_));
    const auto flops = positive(cell(flops_)), bandwidth = positive(cell(bandwidth_));
    if (!flops) return bad_row(peaks_.path, line, not_positive("peak_flops", cell(flops_)));
    if (!bandwidth) {
      return bad_row(peaks_.path, line, not_positive("peak_bandwidth", cell(bandwidth_)));
    }
    if (cell(label_column_) == label_) {
      peaks_.rows.push_back({"", std::nullopt, flops, bandwidth, line});
    }
    return base::Success{};
  }

  template <typename CellOf>
  base::Status take_row(const CellOf& cell, int64_t line) {
    UserPeaks::Row row;
    row.gpu = std::string(cell(gpu_));
    row.line = line;
    const bool is_bandwidth_only = cell(type_).empty();
    if (!is_bandwidth_only) {
      row.type = parse_math_type(cell(type_));
      if (!row.type) {
        return bad_row(
            peaks_.path, line,
            fmt::format("unknown number format \"{}\"; valid: {}", cell(type_), math_type_names()));
      }
      row.flops = scaled(cell(flops_), kTera);
      if (!row.flops) return bad_row(peaks_.path, line, not_positive("tflops", cell(flops_)));
    }
    if (!cell(bandwidth_).empty()) {
      row.bandwidth = scaled(cell(bandwidth_), kGiga);
      if (!row.bandwidth) {
        return bad_row(peaks_.path, line, not_positive("gbps", cell(bandwidth_)));
      }
    }
    if (is_bandwidth_only && !row.bandwidth) {
      return bad_row(peaks_.path, line, "type and gbps are empty");
    }
    peaks_.rows.push_back(row);
    return base::Success{};
  }

  base::Result<UserPeaks> finish() {
    if (columns_.empty()) {
      return base::Error{"The peaks file is empty", peaks_.path,
                         "Columns: gpu,type,tflops,gbps, or label,peak_flops,peak_bandwidth"};
    }
    if (peaks_.rows.empty()) {
      return label_column_ == kNone
                 ? base::Error{"The peaks file has no rows", peaks_.path,
                               "Add a row such as: NVIDIA L4,FP16 Tensor,121,300"}
                 : base::Error{fmt::format("The peaks file has no row \"{}\"", label_),
                               fmt::format("Labels in {}: {}", peaks_.path, labels_),
                               "Name a row: --peaks FILE:LABEL"};
    }
    return std::move(peaks_);
  }

  static std::string not_positive(std::string_view column, std::string_view cell) {
    return fmt::format("{} is not a positive number: \"{}\"", column, cell);
  }
  static std::optional<double> scaled(std::string_view cell, double factor) {
    const auto value = positive(cell);
    return value ? std::optional(*value * factor) : std::nullopt;
  }

  std::string_view label_;
  UserPeaks peaks_;
  std::vector<std::string> columns_;
  std::string labels_;
  std::size_t label_column_ = kNone, gpu_ = kNone, type_ = kNone, flops_ = kNone,
              bandwidth_ = kNone;
};

void add_user_rows(const UserPeaks& user, const GpuProperties& gpu, GpuPeaks& peaks) {
  const std::vector<std::string> words = words_of(gpu.name);
  for (const UserPeaks::Row& row : user.rows) {
    if (!std::ranges::all_of(words_of(row.gpu), [&](const std::string& word) {
          return std::ranges::find(words, word) != words.end();
        })) {
      continue;
    }
    const std::string source = fmt::format("{}:{}", user.path, row.line);
    for (int type = 0; type < kMathTypes; ++type) {
      const auto of = static_cast<MathType>(type);
      if (row.flops && row.type.value_or(of) == of) set(peaks, of, *row.flops, source);
    }
    if (row.bandwidth) set(peaks.bandwidth, *row.bandwidth, source);
  }
}

}  // namespace

std::optional<MathType> parse_math_type(std::string_view text) {
  const std::string wanted = lower(text);
  for (int type = 0; type < kMathTypes; ++type) {
    if (lower(to_text(static_cast<MathType>(type))) == wanted) return static_cast<MathType>(type);
  }
  return std::nullopt;
}

std::string math_type_names() {
  std::string names;
  for (int type = 0; type < kMathTypes; ++type) {
    names += fmt::format("{}{}", type == 0 ? "" : ", ", to_text(static_cast<MathType>(type)));
  }
  return names;
}

bool GpuPeaks::empty() const {
  return !bandwidth && std::ranges::none_of(flops, [](const auto& peak) { return !!peak; });
}

std::optional<double> flop_per_clock_and_sm(const GpuProperties& gpu, MathType type) {
  const auto row = std::ranges::find_if(kRates, [&](const RateRow& rate) {
    return gpu.is_nvidia && gpu.cc_major == rate.major && gpu.cc_minor == rate.minor;
  });
  if (row == std::end(kRates)) return std::nullopt;
  // From Turing on, GeForce accumulates in FP32 at half the rate of the other products.
  const std::vector<std::string> words = words_of(gpu.name);
  const double halved = std::ranges::find(words, "GEFORCE") != words.end() ? 0.5 : 1;
  const auto known = [](double rate) { return rate > 0 ? std::optional(rate) : std::nullopt; };
  switch (type) {
    case MathType::fp64:
      return known(row->fp64);
    case MathType::fp64_tensor:
      return known(row->fp64_tensor);
    case MathType::fp32:
      return known(row->fp32);
    case MathType::fp32_tensor:
      return std::nullopt;  // AMD
    case MathType::tf32_tensor:
      return known(row->tf32 * halved);
    case MathType::fp16:
      return known(row->fp16);
    case MathType::fp16_tensor:
      return known(row->half_tensor * halved);
    case MathType::bf16_tensor:
      return known(row->has_bf16 ? row->half_tensor * halved : 0);
    case MathType::fp8_tensor:
      return known(row->fp8 * halved);
    case MathType::int8_tensor:
      return known(row->int8);
  }
  return std::nullopt;
}

GpuProperties properties_of(const profile::Profile& profile, profile::DeviceIndex device) {
  const profile::Device& its = profile.devices[device];
  GpuProperties gpu;
  gpu.name = its.name;
  gpu.is_nvidia = its.vendor == profile::Vendor::nvidia;
  if (const auto capability = its.compute_capability()) {
    gpu.cc_major = capability->major;
    gpu.cc_minor = capability->minor;
  }
  if (its.sm_count > 0) gpu.sm_count = its.sm_count;
  if (!profile.trace) return gpu;
  const auto recorded = std::ranges::find_if(profile.trace->gpus, [&](const auto& other) {
    return other.id == its.device_id && other.name == its.name;
  });
  if (recorded == profile.trace->gpus.end()) return gpu;
  const auto positive_or_none = [](const std::optional<int64_t>& value) {
    return value && *value > 0 ? std::optional(static_cast<double>(*value)) : std::nullopt;
  };
  gpu.clock_hz = positive_or_none(recorded->clock_rate_hz);
  gpu.bandwidth = positive_or_none(recorded->memory_bandwidth);
  return gpu;
}

base::Result<UserPeaks> parse_peaks(std::string_view text, std::string path,
                                    std::string_view label) {
  return PeaksReader(std::move(path), label).read(text);
}

GpuPeaks peaks_of(const GpuProperties& gpu, const UserPeaks* user) {
  GpuPeaks peaks;
  peaks.gpu = gpu.name;
  if (user != nullptr) add_user_rows(*user, gpu, peaks);
  // That of the whole GPU is reported for a part of it.
  if (gpu.bandwidth && !is_part_of_gpu(gpu)) {
    set(peaks.bandwidth, *gpu.bandwidth, kDeviceProperties);
  }
  if (const TableRow* row = row_of(gpu)) {
    peaks.gpu = row->gpu;
    add_table_row(*row, peaks);
    set(peaks.bandwidth, row->bandwidth * kGiga, kDataSheet);
    if (row->l2_mb > 0) peaks.l2_bytes = row->l2_mb * (int64_t{1} << 20);
  }
  add_rates(gpu, peaks);
  add_plain_half(gpu, peaks);
  return peaks;
}

}  // namespace dlview::aggregate
