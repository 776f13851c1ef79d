#include "aggregate/limits/counter_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "profile/tensor_core_rules.h"

namespace dlview::aggregate {
namespace {

using profile::CounterMetric;
using profile::CounterValue;
using profile::KernelCounters;
using profile::Row;

// What a metric measures. Those of FLOP come in three, by precision: double, single, half.
enum class Fact : uint8_t {
  duration,
  compute,
  memory,
  dram,
  l1,
  l2,
  dram_read,
  dram_write,
  dram_bytes,
  dram_rate,
  l2_bytes,
  l1_bytes,
  occupancy,
  theoretical_occupancy,
  registers,
  waves,
  sm_count,
  limit_registers,
  limit_shared_memory,
  limit_warps,
  limit_blocks,
  limit_barriers,
  sm_clock,
  dram_clock,
  peak_ffma,   // instructions of threads per cycle
  peak_fp32,   // FLOP per cycle
  peak_dram,   // bytes per cycle
  flop_count,  // of a precision, of the launch
  add,         // instructions of threads
  mul,
  fma,
  add_per_cycle,
  mul_per_cycle,
  fma_per_cycle,
  fma_flop_per_cycle,
  tensor_flop,     // of a number format
  tensor_percent,  // of any tensor pipe
  tensor_instructions,
  device_name,
};
constexpr std::size_t kFacts = static_cast<std::size_t>(Fact::device_name) + 1;
constexpr std::size_t kPrecisions = 3;

struct Name {
  Fact fact;
  std::string_view metric;      // on the raw page and of --metrics
  std::string_view label = {};  // on the details page
  std::string_view unit = {};   // that the label needs; empty = any
};
// Of several names of a fact the first that a launch has counts. Labels "SOL ..." are of 2019 to
// 2021.
constexpr std::array kNames{
    Name{Fact::duration, "gpu__time_duration.sum", "Duration", "ns"},
    Name{Fact::duration, "gpu__time_duration.avg"},
    Name{Fact::duration, "gpu__time_duration.max"},
    Name{Fact::compute, "sm__throughput.avg.pct_of_peak_sustained_elapsed",
         "Compute (SM) Throughput", "%"},
    Name{Fact::compute, "", "SOL SM", "%"},
    Name{Fact::memory, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
         "Memory Throughput", "%"},
    Name{Fact::memory, "", "SOL Memory", "%"},
    Name{Fact::dram, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "DRAM Throughput",
         "%"},
    Name{Fact::dram, "dram__throughput.avg.pct_of_peak_sustained_elapsed", "SOL FB", "%"},
    Name{Fact::dram, "", "SOL DRAM", "%"},
    Name{Fact::l1, "l1tex__throughput.avg.pct_of_peak_sustained_active", "L1/TEX Cache Throughput",
         "%"},
    Name{Fact::l1, "", "SOL L1/TEX Cache", "%"},
    Name{Fact::l1, "", "SOL TEX", "%"},
    Name{Fact::l2, "lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2 Cache Throughput", "%"},
    Name{Fact::l2, "", "SOL L2", "%"},
    Name{Fact::l2, "", "SOL L2 Cache", "%"},
    Name{Fact::dram_read, "dram__bytes_read.sum"},
    Name{Fact::dram_read, "dram__bytes_op_read.sum"},
    Name{Fact::dram_write, "dram__bytes_write.sum"},
    Name{Fact::dram_write, "dram__bytes_op_write.sum"},
    Name{Fact::dram_bytes, "dram__bytes.sum"},
    Name{Fact::dram_rate, "dram__bytes.sum.per_second", "Memory Throughput", "B/s"},
    Name{Fact::dram_rate, "", "DRAM Bandwidth", "B/s"},
    Name{Fact::l2_bytes, "lts__t_bytes.sum"},
    Name{Fact::l1_bytes, "l1tex__t_bytes.sum"},
    Name{Fact::occupancy, "sm__warps_active.avg.pct_of_peak_sustained_active", "Achieved Occupancy",
         "%"},
    Name{Fact::theoretical_occupancy, "sm__maximum_warps_per_active_cycle_pct",
         "Theoretical Occupancy", "%"},
    Name{Fact::registers, "launch__registers_per_thread", "Registers Per Thread"},
    Name{Fact::waves, "launch__waves_per_multiprocessor", "Waves Per SM"},
    Name{Fact::sm_count, "launch__sm_count", "# SMs"},
    Name{Fact::sm_count, "device__attribute_multiprocessor_count"},
    Name{Fact::limit_registers, "launch__occupancy_limit_registers", "Block Limit Registers"},
    Name{Fact::limit_shared_memory, "launch__occupancy_limit_shared_mem", "Block Limit Shared Mem"},
    Name{Fact::limit_warps, "launch__occupancy_limit_warps", "Block Limit Warps"},
    Name{Fact::limit_blocks, "launch__occupancy_limit_blocks", "Block Limit SM"},
    Name{Fact::limit_barriers, "launch__occupancy_limit_barriers", "Block Limit Barriers"},
    Name{Fact::sm_clock, "sm__cycles_elapsed.avg.per_second", "SM Frequency", "Hz"},
    Name{Fact::sm_clock, "smsp__cycles_elapsed.avg.per_second"},
    Name{Fact::sm_clock, "gpc__cycles_elapsed.avg.per_second"},
    Name{Fact::dram_clock, "dram__cycles_elapsed.avg.per_second", "DRAM Frequency", "Hz"},
    Name{Fact::peak_ffma, "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained",
         "Theoretical Predicated-On FFMA Thread Instructions Executed"},
    Name{Fact::peak_ffma, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained"},
    Name{Fact::peak_fp32, "", "Theoretical Predicated-On FFMA Operations"},
    Name{Fact::peak_dram, "dram__bytes.sum.peak_sustained", "Theoretical DRAM Bytes Accessible"},
    Name{Fact::device_name, "device__attribute_display_name"},
};

// Of CUDA cores. FP16 instructions work on pairs: ncu counts each twice.
struct Precision {
  char letter;              // of instructions: dadd, fadd, hadd
  std::string_view counts;  // flop_count_dp.sum
  MathType type;
  double per_instruction;  // of a thread: FLOP of an add or mul; an fma has twice as many
};
constexpr std::array<Precision, kPrecisions> kPrecisionList{{{'d', "dp", MathType::fp64, 1},
                                                             {'f', "sp", MathType::fp32, 1},
                                                             {'h', "hp", MathType::fp16, 2}}};

constexpr std::array<std::pair<Fact, std::string_view>, 3> kInstructions{
    {{Fact::add, "add"}, {Fact::mul, "mul"}, {Fact::fma, "fma"}}};

// The number formats of sources of the tensor pipe.
constexpr std::array<std::pair<std::string_view, MathType>, 9> kTensorSources{{
    {"fp64", MathType::fp64_tensor},
    {"tf32", MathType::tf32_tensor},
    {"fp16", MathType::fp16_tensor},
    {"bf16", MathType::bf16_tensor},
    {"fp8", MathType::fp8_tensor},
    {"e4m3", MathType::fp8_tensor},
    {"e5m2", MathType::fp8_tensor},
    {"int8", MathType::int8_tensor},
    {"uint8", MathType::int8_tensor},
}};

struct Use {
  Fact fact = Fact::duration;
  std::size_t rank = 0;       // the smaller counts
  std::size_t precision = 0;  // in kPrecisionList
  std::optional<MathType> type;
};

// "gpu__time_duration.sum" of "Duration (gpu__time_duration.sum)"; else the whole name.
std::pair<std::string_view, std::string_view> label_and_metric(std::string_view name) {
  if (!name.ends_with(')')) return {name, name};
  const std::size_t open = name.rfind(" (");
  if (open == std::string_view::npos || name.find("__", open) == std::string_view::npos) {
    return {name, name};
  }
  return {name.substr(0, open), name.substr(open + 2, name.size() - open - 3)};
}

bool skip(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<Use> use_of_instructions(std::string_view label, std::string_view metric) {
  for (std::size_t i = 0; i < kPrecisions; ++i) {
    const Precision& precision = kPrecisionList[i];
    if (metric == fmt::format("flop_count_{}.sum", precision.counts)) {
      return Use{Fact::flop_count, 0, i, {}};
    }
    for (const auto& [fact, operation] : kInstructions) {
      std::string_view rest = metric;
      const bool is_sm = skip(rest, "sm__");
      const bool is_name = (is_sm || skip(rest, "smsp__")) &&
                           skip(rest, "sass_thread_inst_executed_op_") &&
                           skip(rest, std::string_view(&precision.letter, 1)) &&
                           skip(rest, operation) && skip(rest, "_pred_on.sum");
      const auto per_cycle = static_cast<Fact>(static_cast<int>(fact) + 3);
      const std::size_t rank = is_sm ? 0 : 1;
      if (is_name && rest.empty()) return Use{fact, rank, i, {}};
      if (is_name && rest == ".per_cycle_elapsed") return Use{per_cycle, rank, i, {}};
      std::string upper = fmt::format("{}{}", precision.letter, operation);
      for (char& c : upper) c = static_cast<char>(c - 'a' + 'A');
      if (label == fmt::format("Predicated-On {} Thread Instructions Executed Per Cycle", upper)) {
        return Use{per_cycle, 2, i, {}};
      }
      if (fact == Fact::fma &&
          label == fmt::format("Predicated-On {} Operations Per Cycle", upper)) {
        return Use{Fact::fma_flop_per_cycle, 0, i, {}};
      }
    }
  }
  return std::nullopt;
}

// What a counter of Tensor Core FLOP counts: "fp16_dst_fp32" of
// "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32_sparsity_off.sum". Counters with "op_" count one
// kind of instruction, those with "sparsity_" a part of what the name without it counts.
struct TensorCounter {
  std::string_view formats;  // empty = of all
  std::size_t rank = 0;      // the more is in its name, the larger
};

std::optional<TensorCounter> tensor_counter(std::string_view metric) {
  std::string_view rest = metric;
  if (!skip(rest, "sm__ops_path_tensor_") || !rest.ends_with(".sum")) return std::nullopt;
  rest.remove_suffix(4);
  TensorCounter counter;
  for (const std::string_view part : {"_sparsity_on", "_sparsity_off"}) {
    if (!rest.ends_with(part)) continue;
    rest.remove_suffix(part.size());
    counter.rank += 1;
  }
  if (rest.starts_with("op_")) {
    counter.rank += 2;
    const std::size_t source = rest.find("_src_");
    rest = source == std::string_view::npos ? std::string_view() : rest.substr(source + 1);
  } else if (!rest.starts_with("src_")) {
    return std::nullopt;
  }
  skip(rest, "src_");
  counter.formats = rest;
  return counter;
}

std::optional<Use> use_of_tensor(std::string_view metric) {
  if (const auto counter = tensor_counter(metric)) {
    Use use{Fact::tensor_flop, counter->rank, 0, {}};
    const std::string_view source = counter->formats.substr(0, counter->formats.find('_'));
    for (const auto& [name, type] : kTensorSources) {
      if (source == name) use.type = type;
    }
    return use;
  }
  const bool is_pipe =
      metric.starts_with("sm__pipe_tensor") || metric.starts_with("sm__inst_executed_pipe_tensor");
  if (is_pipe && metric.find(".avg.pct_of_peak_sustained_") != std::string_view::npos) {
    return Use{Fact::tensor_percent, 0, 0, {}};
  }
  if (metric.starts_with("sm__inst_executed_pipe_tensor") && metric.ends_with(".sum")) {
    return Use{Fact::tensor_instructions, 0, 0, {}};
  }
  return std::nullopt;
}

std::optional<Use> use_of(const CounterMetric& known) {
  const auto [label, metric] = label_and_metric(known.name);
  for (std::size_t rank = 0; rank < kNames.size(); ++rank) {
    const Name& name = kNames[rank];
    const bool is_label = label == name.label && (name.unit.empty() || name.unit == known.unit);
    if (metric == name.metric || is_label) return Use{name.fact, rank, 0, {}};
  }
  if (auto use = use_of_instructions(label, metric)) return use;
  return use_of_tensor(metric);
}

// What the values of a launch say.
struct Found {
  struct Value {
    std::optional<double> value;
    std::size_t rank = 0;
  };
  std::array<std::array<Value, kPrecisions>, kFacts> values;
  std::array<double, kMathTypes> tensor{};
  std::optional<double> tensor_flops, tensor_percent;
  double tensor_instructions = 0;

  std::optional<double> of(Fact fact, std::size_t precision = 0) const {
    return values[static_cast<std::size_t>(fact)][precision].value;
  }
  void add(const Use& use, double value) {
    if (use.fact == Fact::tensor_flop) {
      tensor_flops = tensor_flops.value_or(0) + value;
      if (use.type) tensor[static_cast<std::size_t>(*use.type)] += value;
      return;
    }
    if (use.fact == Fact::tensor_instructions) {
      tensor_instructions += value;
      return;
    }
    if (use.fact == Fact::tensor_percent) {
      tensor_percent = std::max(tensor_percent.value_or(0), value);
      return;
    }
    Value& place = values[static_cast<std::size_t>(use.fact)][use.precision];
    if (!place.value || use.rank < place.rank) place = {value, use.rank};
  }
};

std::optional<double> product(const std::optional<double>& one, const std::optional<double>& two,
                              double factor = 1) {
  if (!one || !two) return std::nullopt;
  return *one * *two * factor;
}

// FLOP of a precision: counted, from instructions, or from instructions per cycle.
std::optional<double> flops_of(const Found& found, std::size_t precision) {
  if (const auto counted = found.of(Fact::flop_count, precision)) return counted;
  const double factor = kPrecisionList[precision].per_instruction;
  const auto add = found.of(Fact::add, precision), mul = found.of(Fact::mul, precision),
             fma = found.of(Fact::fma, precision);
  if (add && mul && fma) return factor * (*add + *mul + 2 * *fma);
  const auto adds = found.of(Fact::add_per_cycle, precision),
             muls = found.of(Fact::mul_per_cycle, precision);
  auto fmas = product(found.of(Fact::fma_per_cycle, precision), 2);
  if (!fmas) fmas = found.of(Fact::fma_flop_per_cycle, precision);
  const auto clock = found.of(Fact::sm_clock), duration = found.of(Fact::duration);
  if (!adds || !muls || !fmas || !clock || !duration) return std::nullopt;
  return factor * (*adds + *muls + *fmas) * *clock * *duration * 1e-9;
}

// `uses_tensor_cores`: whether the name of the kernel says so.
template <typename UsesTensorCores>
void add_flops(const Found& found, const UsesTensorCores& uses_tensor_cores, CounterFacts& facts) {
  facts.tensor_flops = found.tensor_flops;
  facts.tensor_pipe_percent = found.tensor_percent;
  std::array<double, kMathTypes> by_type = found.tensor;
  std::optional<double> others;
  for (std::size_t i = 0; i < kPrecisions; ++i) {
    const auto flops = flops_of(found, i);
    if (!flops) continue;
    others = others.value_or(0) + *flops;
    by_type[static_cast<std::size_t>(kPrecisionList[i].type)] += *flops;
  }
  // Counters of Tensor Core FLOP read 0 for instructions that they do not count, such as wgmma.
  const bool has_uncounted =
      !(facts.tensor_flops > 0.0) &&
      (found.tensor_percent > kTensorNoisePercent || found.tensor_instructions > 0 ||
       ((others || facts.tensor_flops) && uses_tensor_cores()));
  if (has_uncounted) {
    facts.tensor_flops.reset();
    return;
  }
  // Beside Tensor Cores, work of CUDA cores that was not counted is small.
  if (facts.tensor_flops > 0.0 || (others && facts.tensor_flops)) {
    facts.flops = *facts.tensor_flops + others.value_or(0);
  } else if (others) {
    facts.flops = others;
  }
  const auto most = std::ranges::max_element(by_type);
  if (facts.flops && *most > 0) facts.type = static_cast<MathType>(most - by_type.begin());
}

void add_occupancy_limit(const Found& found, CounterFacts& facts) {
  constexpr std::array<std::pair<Fact, std::string_view>, 5> kLimits{
      {{Fact::limit_registers, "registers"},
       {Fact::limit_shared_memory, "shared memory"},
       {Fact::limit_warps, "warps"},
       {Fact::limit_blocks, "blocks"},
       {Fact::limit_barriers, "barriers"}}};
  std::optional<double> least;
  for (const auto& [fact, name] : kLimits) {
    const auto blocks = found.of(fact);
    if (!blocks || (least && *blocks >= *least)) continue;
    least = blocks;
    facts.occupancy_limit = name;
  }
}

template <typename UsesTensorCores>
CounterFacts facts_from(const Found& found, const UsesTensorCores& uses_tensor_cores) {
  CounterFacts facts;
  facts.duration_ns = found.of(Fact::duration);
  facts.compute_percent = found.of(Fact::compute);
  facts.memory_percent = found.of(Fact::memory);
  facts.dram_percent = found.of(Fact::dram);
  facts.l1_percent = found.of(Fact::l1);
  facts.l2_percent = found.of(Fact::l2);
  facts.dram_read_bytes = found.of(Fact::dram_read);
  facts.dram_write_bytes = found.of(Fact::dram_write);
  facts.dram_bytes = found.of(Fact::dram_bytes);
  if (facts.dram_read_bytes && facts.dram_write_bytes) {
    facts.dram_bytes = *facts.dram_read_bytes + *facts.dram_write_bytes;
  }
  if (!facts.dram_bytes) {
    facts.dram_bytes = product(found.of(Fact::dram_rate), facts.duration_ns, 1e-9);
  }
  facts.l2_bytes = found.of(Fact::l2_bytes);
  facts.l1_bytes = found.of(Fact::l1_bytes);
  facts.occupancy_percent = found.of(Fact::occupancy);
  facts.theoretical_occupancy_percent = found.of(Fact::theoretical_occupancy);
  facts.registers = found.of(Fact::registers);
  facts.waves = found.of(Fact::waves);
  facts.sm_count = found.of(Fact::sm_count);
  facts.sm_clock_hz = found.of(Fact::sm_clock);
  facts.dram_clock_hz = found.of(Fact::dram_clock);
  auto fp32_per_cycle = product(found.of(Fact::peak_ffma), 2);
  if (!fp32_per_cycle) fp32_per_cycle = found.of(Fact::peak_fp32);
  facts.peak_fp32_flops = product(fp32_per_cycle, facts.sm_clock_hz);
  facts.peak_dram_bandwidth = product(found.of(Fact::peak_dram), facts.dram_clock_hz);
  add_flops(found, uses_tensor_cores, facts);
  add_occupancy_limit(found, facts);
  return facts;
}

// Whether kernels use Tensor Cores by the rules for names; each name is looked at once.
class TensorKernels {
 public:
  explicit TensorKernels(const KernelCounters& counters) : counters_(counters) {}

  bool have(const profile::CounterLaunch& launch) {
    if (launch.cc_major && *launch.cc_major < profile::kFirstTensorCores.major) return false;
    const auto [found, is_new] = known_.try_emplace(launch.kernel, false);
    if (is_new) {
      const std::string_view name = counters_.text(launch.kernel);
      found->second =
          profile::tensor_core_use(name, std::nullopt, false).use == profile::TensorCoreUse::yes;
    }
    return found->second;
  }

 private:
  const KernelCounters& counters_;
  std::unordered_map<profile::StringId, bool> known_;
};

// Adds up the counters of Tensor Core FLOP of a launch. Of counters for the same formats those with
// the least in their names count: others are parts of them. A section may show a metric that the
// command line asked for, too: it counts once.
class TensorSums {
 public:
  explicit TensorSums(const std::vector<CounterMetric>& metrics) {
    std::unordered_map<std::string_view, std::size_t> names, formats;
    for (const CounterMetric& known : metrics) {
      const std::string_view metric = label_and_metric(known.name).second;
      Name name;
      if (const auto counter = tensor_counter(metric)) {
        name.number = names.try_emplace(metric, names.size()).first->second;
        name.formats = formats.try_emplace(counter->formats, formats.size()).first->second;
        name.is_of_all = counter->formats.empty();
      }
      names_.push_back(name);
    }
    last_launch_.resize(names.size(), SIZE_MAX);
    ranks_.resize(formats.size());
  }

  void add(std::size_t launch, Row metric, const Use& use, double value) {
    std::size_t& last = last_launch_[names_[metric].number];
    if (last == launch) return;
    last = launch;
    values_.push_back({metric, &use, value});
  }
  // Adds what was given to the facts of the launch, and forgets it.
  void finish(Found& found) {
    bool has_formats = false;
    for (const Value& value : values_) {
      ranks_[names_[value.metric].formats] = SIZE_MAX;
      has_formats |= !names_[value.metric].is_of_all;
    }
    for (const Value& value : values_) {
      std::size_t& rank = ranks_[names_[value.metric].formats];
      rank = std::min(rank, value.use->rank);
    }
    for (const Value& value : values_) {
      const Name& name = names_[value.metric];
      if (value.use->rank != ranks_[name.formats] || (name.is_of_all && has_formats)) continue;
      found.add(*value.use, value.value);
    }
    values_.clear();
  }

 private:
  struct Name {
    std::size_t number = 0, formats = 0;
    bool is_of_all = false;
  };
  struct Value {
    Row metric = 0;
    const Use* use = nullptr;
    double value = 0;
  };
  std::vector<Name> names_;               // by metric
  std::vector<std::size_t> last_launch_;  // that has the metric, by number of its name
  std::vector<std::size_t> ranks_;        // by number of formats, of the launch
  std::vector<Value> values_;             // of the launch
};

// The first words of the description: up to a colon or the end of the sentence.
std::string title_of(const profile::CounterRule& rule) {
  const std::string_view text = rule.description;
  const std::size_t end = std::min(text.find(": "), text.find(". "));
  std::string title(text.substr(0, std::min(end, text.size())));
  if (title.ends_with('.')) title.pop_back();
  return title;
}

}  // namespace

std::vector<CounterFacts> facts_of(const KernelCounters& counters,
                                   const LimitThresholds& thresholds) {
  std::vector<std::optional<Use>> uses;
  for (const CounterMetric& metric : counters.metrics) uses.push_back(use_of(metric));
  TensorKernels tensor_kernels(counters);
  TensorSums tensor(counters.metrics);
  // Sections share names of metrics. By number of a name: the launch whose `above_100` has it.
  std::unordered_map<std::string_view, std::size_t> names;
  std::vector<std::size_t> name_numbers;
  for (const CounterMetric& metric : counters.metrics) {
    name_numbers.push_back(names.try_emplace(metric.name, names.size()).first->second);
  }
  std::vector<std::size_t> is_above_in(names.size(), SIZE_MAX);
  std::vector<CounterFacts> all;
  all.reserve(counters.launches.size());
  for (std::size_t launch = 0; launch < counters.launches.size(); ++launch) {
    Found found;
    std::string_view device;
    std::vector<std::string> above_100;
    const std::size_t end = counters.end_of_values(launch);
    for (std::size_t i = counters.launches[launch].first_value; i < end; ++i) {
      const CounterValue& value = counters.values[i];
      const CounterMetric& metric = counters.metrics[value.metric];
      const auto& use = uses[value.metric];
      if (use && use->fact == Fact::device_name) device = counters.text(value.text);
      if (std::isnan(value.value)) continue;
      if (metric.unit == "%" && value.value > 100 &&
          std::exchange(is_above_in[name_numbers[value.metric]], launch) != launch) {
        above_100.push_back(metric.name);
      }
      if (!use) continue;
      if (use->fact == Fact::tensor_flop) {
        tensor.add(launch, value.metric, *use, value.value);
      } else {
        found.add(*use, value.value);
      }
    }
    tensor.finish(found);
    CounterFacts facts =
        facts_from(found, [&] { return tensor_kernels.have(counters.launches[launch]); });
    facts.device_name = device;
    facts.above_100 = std::move(above_100);
    facts.speed_of_light =
        speed_of_light(facts.compute_percent, facts.memory_percent, facts.waves, thresholds);
    all.push_back(std::move(facts));
  }
  for (const profile::CounterRule& rule : counters.rules) {
    if (rule.name == "SOLBottleneck" && rule.launch < all.size() && all[rule.launch].rule.empty()) {
      all[rule.launch].rule = title_of(rule);
    }
  }
  return all;
}

}  // namespace dlview::aggregate
