#include "aggregate/limits/limit_advice.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "aggregate/limits/headroom.h"
#include "aggregate/limits/launch_facts.h"
#include "aggregate/limits/work_cells.h"
#include "base/units.h"
#include "profile/communication.h"
#include "profile/kernel_patterns.h"
#include "profile/recorded.h"
#include "profile/streams.h"

namespace dlview::aggregate {
namespace {

using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::kNoRow;
using profile::kNoText;
using profile::OpIndex;
using profile::Profile;
using profile::Row;
using profile::StringId;

// A switch of formats or sizes that saves less is not worth the work.
constexpr double kLeastGainPercent = 20;
// Sizes of two kernels of a chain: a cast to half reads and writes 6 bytes, an addition 12.
constexpr double kMostUnlike = 2.5;
constexpr double kLeastLayoutPercent = 5;   // of the time of the op
constexpr double kLeastUnknownPercent = 5;  // of the range
constexpr std::size_t kMostCollect = 3, kNamesInText = 4;

// Records counters of the kernel; empty = of all kernels.
std::string count_command(std::string_view kernel) {
  std::string command(profile::kCountCommand);
  if (!kernel.empty()) {
    command.insert(command.find(" --launch-count"), fmt::format(" --kernel-name regex:{}", kernel));
  }
  return command;
}

// Sums of one kind of advice on one op.
struct Tally {
  int64_t kernels = 0, time_ns = 0;
  double save_ns = 0;
  int64_t worst_ns = -1;  // of the group or launch whose evidence is shown
  std::string evidence;
  std::set<std::string_view> names;

  void add(int64_t count, int64_t ns, double saved_ns) {
    kernels += count;
    time_ns += ns;
    save_ns += saved_ns;
  }
};

class Advisor {
 public:
  Advisor(const Profile& profile, const Aggregation& aggregation, const LimitIndex& index,
          const AdviceOptions& options, const std::function<void(const AdvicePlace&)>& on_place)
      : profile_(profile),
        aggregation_(aggregation),
        index_(index),
        work_(index.work()),
        on_place_(on_place),
        launches_(profile, index, options, best_tensor_rates(aggregation, index),
                  best_tensor_rates(aggregation, index, RatedCalls::aligned)) {}

  std::vector<LimitAdvice> advise() {
    const InstanceSpan span = instances_of(aggregation_);
    first_ = span.first;
    last_ = span.last;
    rows_ = index_.rows(aggregation_, LimitsBy::op);
    for (const LimitRow& row : rows_) {
      range_ns_ += row.time_ns;
      if (row.op != kNoRow) row_of_[row.op] = &row;
    }
    if (profile_.kernels.size() > 0) {
      look_at_kernels();
      look_at_chains();
      look_at_parts();
    }
    for (const auto& [key, tally] : tallies_) add_tally(key.second, key.first, tally);
    look_at_rows();
    std::ranges::stable_sort(advice_, [](const LimitAdvice& a, const LimitAdvice& b) {
      if (a.save_ns.has_value() != b.save_ns.has_value()) return a.save_ns.has_value();
      if (a.save_ns && *a.save_ns != *b.save_ns) return *a.save_ns > *b.save_ns;
      return a.time_ns > b.time_ns;
    });
    return std::move(advice_);
  }

 private:
  using Family = LaunchFacts::Family;

  int64_t duration(KernelIndex kernel) const {
    return profile_.kernels.gpu_stop_ns[kernel] - profile_.kernels.gpu_start_ns[kernel];
  }
  OpIndex op_of(KernelIndex kernel) const {
    return profile_.instances.op[profile_.kernels.instance[kernel]];
  }
  const LimitRow* row_of(OpIndex op) const {
    const auto found = row_of_.find(op);
    return found == row_of_.end() ? nullptr : found->second;
  }
  // Whether the op reaches a roof, so that more warps or blocks would not help.
  bool reaches_roof(OpIndex op) const {
    const LimitRow* row = row_of(op);
    if (row == nullptr) return false;
    const Limit limit = row->limit();
    return limit == Limit::math || limit == Limit::memory || limit == Limit::both ||
           row->memory.percent.value_or(0) >= 50 || row->math.percent.value_or(0) >= 50;
  }

  void report(const AdvicePlace& place) const {
    if (on_place_) on_place_(place);
  }
  Tally& tally(OpIndex op, AdviceKind kind, int64_t ns, const std::string& evidence) {
    Tally& found = tallies_[{op, kind}];
    if (ns > found.worst_ns) {
      found.worst_ns = ns;
      found.evidence = evidence;
    }
    return found;
  }

  void look_at_kernels() {
    for (InstanceIndex instance = first_; instance < last_; ++instance) {
      const OpIndex op = profile_.instances.op[instance];
      for (KernelIndex kernel = profile_.instances.first_kernel[instance];
           kernel < profile_.instances.first_kernel[instance + 1]; ++kernel) {
        look_at_kernel(op, kernel);
      }
    }
  }

  void look_at_kernel(OpIndex op, KernelIndex kernel) {
    const int64_t ns = duration(kernel);
    const LaunchFacts& facts = launches_.facts_of(kernel);
    if (facts.family == Family::communication) return;
    const int64_t start_ns = profile_.kernels.gpu_start_ns[kernel];
    if (ns < kSmallKernelNs) {
      Tally& small = tally(op, AdviceKind::small_kernels, 0, "");
      small.add(1, ns, 0);
    }
    if (is_layout_kernel(kernel)) {
      tally(op, AdviceKind::channels_last, 0, "").add(1, ns, static_cast<double>(ns));
    }
    if (ns < kSmallKernelNs) return;
    if (facts.tail_percent && !reaches_roof(op)) {
      const double saved_ns = static_cast<double>(ns) * *facts.tail_percent / 100;
      tally(op, AdviceKind::tail_waves, ns, facts.tail_text).add(1, ns, saved_ns);
      report({AdviceKind::tail_waves, kernel, 1, start_ns, start_ns + ns, ns,
              static_cast<int64_t>(saved_ns)});
    }
    if (facts.occupancy && !reaches_roof(op)) {
      tally(op, AdviceKind::occupancy, ns, facts.occupancy_text)
          .add(1, ns, static_cast<double>(ns));
      report({AdviceKind::occupancy, kernel, 1, start_ns, start_ns + ns, ns, ns});
    }
  }

  bool is_layout_kernel(KernelIndex kernel) {
    const StringId name = profile_.kernels.name[kernel];
    const auto [place, is_new] = is_layout_.try_emplace(name, false);
    if (is_new) place->second = profile::is_layout_transpose(profile_.text(name));
    return place->second;
  }

  // Calls of GEMMs and convolutions that could run faster on Tensor Cores, or with other sizes.
  void look_at_parts() {
    const auto parts = work_.parts();
    auto part = std::ranges::lower_bound(parts, first_, {}, &WorkIndex::Part::instance);
    for (; part != parts.end() && part->instance < last_; ++part) {
      const WorkGroup& group = work_.groups()[part->group];
      const OpWork& its = work_.works()[group.work];
      if (its.kind != WorkKind::gemm && its.kind != WorkKind::convolution) continue;
      const KernelIndex kernel = longest_kernel(*part);
      if (kernel == kNoRow) continue;
      const LaunchFacts& facts = launches_.facts_of(kernel);
      const auto time_ns = static_cast<double>(part->kernel_ns);
      const auto add = [&](AdviceKind kind, double best_ns, const std::string& evidence) {
        const double saved_ns = time_ns - best_ns;
        if (saved_ns < time_ns * kLeastGainPercent / 100) return;
        tally(group.op, kind, part->kernel_ns, evidence)
            .add(part->kernels, part->kernel_ns, saved_ns);
        report({kind, kernel, part->kernels, profile_.kernels.gpu_start_ns[kernel],
                profile_.kernels.gpu_stop_ns[kernel], part->kernel_ns,
                static_cast<int64_t>(saved_ns)});
      };
      if (facts.tensor_best_ns && !is_memory_side(group.op)) {
        add(AdviceKind::tensor_cores, *facts.tensor_best_ns,
            rate_text(its, part->kernel_ns, facts));
      } else if (facts.is_unaligned) {
        add(AdviceKind::aligned_sizes, *facts.aligned_best_ns, facts.unaligned);
      }
    }
  }

  bool is_memory_side(OpIndex op) const {
    const LimitRow* row = row_of(op);
    return row != nullptr && (row->limit() == Limit::memory || row->by_intensity == Limit::memory);
  }

  static std::string rate_text(const OpWork& work, int64_t ns, const LaunchFacts& facts) {
    const double rate = static_cast<double>(*work.flops) / static_cast<double>(ns) * 1e9;
    const double best = static_cast<double>(*work.flops) / *facts.tensor_best_ns * 1e9;
    return fmt::format(
        "FP32 on CUDA cores at {}/s; {} {}/s", base::format_flop(rate),
        facts.uses_measured_rate ? "TF32 calls of this profile reach" : "at the peak of TF32",
        base::format_flop(best));
  }

  // Of the kernels of a part, which stand together in the instance.
  KernelIndex longest_kernel(const WorkIndex::Part& part) const {
    KernelIndex longest;
    const auto groups = work_.group_of_kernel();
    for (KernelIndex kernel = profile_.instances.first_kernel[part.instance];
         kernel < profile_.instances.first_kernel[part.instance + 1]; ++kernel) {
      if (groups[kernel] != part.group) continue;
      if (longest == kNoRow || duration(kernel) > duration(longest)) longest = kernel;
    }
    return longest;
  }

  // Kernels of a chain: pointwise ones of about the same size that follow each other in a stream.
  void look_at_chains() {
    const profile::Streams streams = profile::find_streams(profile_);
    std::vector<KernelIndex> kernels;
    for (KernelIndex kernel = profile_.instances.first_kernel[first_];
         kernel < profile_.instances.first_kernel[last_]; ++kernel) {
      kernels.push_back(kernel);
    }
    std::ranges::sort(kernels, {}, [&](KernelIndex kernel) {
      return std::tuple(streams.of_kernel[kernel], profile_.kernels.gpu_start_ns[kernel],
                        Row{kernel});
    });
    std::vector<KernelIndex> chain;
    Row stream = kNoRow;
    std::size_t iteration = 0;
    double size = 0;
    for (const KernelIndex kernel : kernels) {
      const LaunchFacts& facts = launches_.facts_of(kernel);
      const std::size_t its_iteration = iteration_of(kernel);
      const bool continues = !chain.empty() && stream == streams.of_kernel[kernel] &&
                             iteration == its_iteration && is_alike(size, facts.size);
      if (facts.family != Family::pointwise || facts.size == 0) {
        end_chain(chain);
        continue;
      }
      if (!continues) end_chain(chain);
      chain.push_back(kernel);
      stream = streams.of_kernel[kernel];
      iteration = its_iteration;
      size = facts.size;
    }
    end_chain(chain);
  }

  static bool is_alike(double a, double b) {
    return a > 0 && b > 0 && a <= b * kMostUnlike && b <= a * kMostUnlike;
  }

  std::size_t iteration_of(KernelIndex kernel) const {
    const auto& rows = aggregation_.iteration_table->iterations.rows;
    const InstanceIndex instance = profile_.kernels.instance[kernel];
    const auto found = std::ranges::upper_bound(rows, instance, {}, &Iteration::last_instance);
    return static_cast<std::size_t>(found - rows.begin());
  }

  // A fused kernel still reads and writes as much as the longest of them.
  void end_chain(std::vector<KernelIndex>& chain) {
    const auto count = std::ssize(chain);
    if (count < kShortestChain) {
      chain.clear();
      return;
    }
    int64_t time_ns = 0;
    KernelIndex longest = chain.front();
    std::vector<std::string_view> names;
    for (const KernelIndex kernel : chain) {
      time_ns += duration(kernel);
      if (duration(kernel) > duration(longest)) longest = kernel;
      const std::string_view name = name_in_chain(kernel);
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    const int64_t saved_ns = time_ns - duration(longest);
    const std::size_t more = names.size() - std::min(names.size(), kNamesInText);
    names.resize(names.size() - more);
    const std::string evidence =
        fmt::format("{} kernels in a row on one stream, {} together: {}{}", count,
                    base::format_duration(time_ns), fmt::join(names, ", "),
                    more > 0 ? fmt::format(" and {} more", more) : "");
    tally(op_of(longest), AdviceKind::fuse, time_ns, evidence)
        .add(count, time_ns, static_cast<double>(saved_ns));
    report({AdviceKind::fuse, chain.front(), count, profile_.kernels.gpu_start_ns[chain.front()],
            profile_.kernels.gpu_stop_ns[chain.back()], time_ns, saved_ns});
    chain.clear();
  }

  std::string_view name_in_chain(KernelIndex kernel) const {
    const WorkGroup& group = work_.group_of(kernel);
    const bool is_known = work_.works()[group.work].kind != WorkKind::unknown;
    const std::string_view name = profile_.text(group.name);
    return is_known && !name.empty() ? name : profile_.text(profile_.kernels.name[kernel]);
  }

  double share_of_range(int64_t ns) const {
    return range_ns_ == 0 ? 0 : 100 * static_cast<double>(ns) / static_cast<double>(range_ns_);
  }

  LimitAdvice& add(AdviceKind kind, const LimitRow* row, int64_t kernels, int64_t time_ns) {
    LimitAdvice& advice = advice_.emplace_back();
    advice.kind = kind;
    if (row != nullptr) advice.op = row->op;
    if (row != nullptr) advice.limit = row->limit();
    advice.kernels = kernels;
    advice.time_ns = time_ns;
    return advice;
  }

  void add_tally(AdviceKind kind, OpIndex op, const Tally& sums) {
    const LimitRow* row = row_of(op);
    if (row == nullptr || share_of_range(sums.time_ns) < kLeastAdviceShare) return;
    const double part = 100 * static_cast<double>(sums.time_ns) /
                        static_cast<double>(std::max<int64_t>(row->time_ns, 1));
    switch (kind) {
      case AdviceKind::small_kernels:
        if (sums.kernels < kFewestSmallKernels || part < 50) return;
        break;
      case AdviceKind::channels_last:
        if (part < kLeastLayoutPercent) return;
        break;
      default:
        break;
    }
    LimitAdvice& advice = add(kind, row, sums.kernels, sums.time_ns);
    advice.evidence = sums.evidence;
    if (kind != AdviceKind::small_kernels) advice.save_ns = sums.save_ns;
    switch (kind) {
      case AdviceKind::tensor_cores:
        advice.advice = tensor_core_advice(profile_);
        break;
      case AdviceKind::aligned_sizes:
        advice.advice =
            "Pad channels, features or vocabulary to a multiple of 8 (FP16, BF16) or 16 (FP8, "
            "INT8)";
        break;
      case AdviceKind::channels_last:
        advice.advice =
            "Keep model and input in channels-last: memory_format=torch.channels_last, or "
            "data_format='channels_last' in TensorFlow";
        advice.evidence = fmt::format(
            "{} kernels convert layouts here: {}, {} of the op", base::format_count(sums.kernels),
            base::format_duration(sums.time_ns), base::format_percent(part));
        break;
      case AdviceKind::fuse:
        advice.advice =
            "Fuse them: torch.compile, XLA, or one kernel by hand. Intermediate tensors then stay "
            "in registers";
        break;
      case AdviceKind::tail_waves:
        advice.advice =
            "Use a larger batch or merge GEMMs, or let split-K or a smaller tile fill the GPU "
            "(upper bound of the gain)";
        break;
      case AdviceKind::occupancy:
        advice.advice = sums.evidence.find("registers") != std::string::npos
                            ? "Use fewer registers (__launch_bounds__, smaller tiles per thread)"
                        : sums.evidence.find("shared memory") != std::string::npos
                            ? "Use less shared memory per block, or larger blocks"
                            : "Use larger blocks";
        // All of the time is no bound that helps.
        advice.save_ns =
            row->save_ns ? std::optional(std::min(*row->save_ns, sums.save_ns)) : std::nullopt;
        break;
      case AdviceKind::small_kernels:
        advice.advice = "Fuse them, capture the step in a CUDA graph, or use a larger batch";
        advice.evidence = fmt::format("{} kernels shorter than 10 µs, {} on average",
                                      base::format_count(sums.kernels),
                                      base::format_duration(sums.time_ns / sums.kernels));
        break;
      default:
        break;
    }
  }

  void look_at_rows() {
    std::size_t collected = 0;
    int64_t unknown_ns = 0, without_peaks_ns = 0;
    std::vector<const LimitRow*> by_time;
    for (const LimitRow& row : rows_) by_time.push_back(&row);
    std::ranges::stable_sort(by_time, std::greater(), &LimitRow::time_ns);
    bool has_work = false;
    for (const LimitRow* row : by_time) {
      has_work |= row->flops.value.has_value() || row->bytes.value.has_value();
      if (row->limit() == Limit::unknown) unknown_ns += row->time_ns;
      if (share_of_range(row->time_ns) < kLeastAdviceShare) continue;
      look_at_row(*row);
      const bool is_unknown = row->limit() == Limit::unknown && row->measured_ns == 0;
      if (!is_unknown || share_of_range(row->time_ns) < kLeastUnknownPercent) continue;
      // Nsight Compute runs kernels one by one: those that wait for others never end.
      if (profile::communication_of(longest_kernel_of(row->op))) continue;
      if (row->flops.value && row->peak_flops == nullptr) {
        without_peaks_ns += row->time_ns;
      } else if (++collected <= kMostCollect) {
        collect_counters(*row);
      }
    }
    if (!has_work && unknown_ns > 0) collect_shapes(unknown_ns);
    if (without_peaks_ns > 0) collect_peaks(without_peaks_ns);
  }

  static std::string percent_text(const Share& share) {
    return share.origin == Origin::estimated
               ? fmt::format("at least {}", base::format_percent(*share.percent))
               : base::format_percent(*share.percent);
  }

  void look_at_row(const LimitRow& row) {
    const Limit limit = row.limit();
    if (limit == Limit::both && row.math.percent && row.memory.percent) {
      LimitAdvice& advice = add(AdviceKind::near_roofs, &row, row.kernels, row.time_ns);
      advice.save_ns = row.save_ns;
      advice.advice = "Near both roofs: only an algorithm with fewer FLOP and bytes helps";
      advice.evidence = fmt::format("{} of the math peak, {} of the bandwidth",
                                    percent_text(row.math), percent_text(row.memory));
    }
    const bool is_half = row.type == MathType::fp16_tensor || row.type == MathType::bf16_tensor;
    if (limit == Limit::math && is_half && row.device && row.math.percent &&
        has_tensor_cores(profile_.devices[*row.device], MathType::fp8_tensor)) {
      LimitAdvice& advice = add(AdviceKind::fp8, &row, row.kernels, row.time_ns);
      const auto& peak = index_.peaks(*row.device).of(MathType::fp8_tensor);
      if (peak && row.flops.value) {
        advice.save_ns = std::max(
            0.0, static_cast<double>(row.known_ns) - *row.flops.value / peak->per_second * 1e9);
      }
      advice.advice = "Use FP8 (Transformer Engine), 2:4 sparsity, or fewer operations";
      advice.evidence =
          fmt::format("{} of the {} peak", percent_text(row.math), to_text(*row.type));
    }
    if (limit == Limit::memory && row.memory.percent) {
      LimitAdvice& advice = add(AdviceKind::less_memory, &row, row.kernels, row.time_ns);
      const bool is_single = row.type == MathType::fp32 || row.type == MathType::tf32_tensor;
      // Half of the bytes, half of the time.
      if (is_single) advice.save_ns = static_cast<double>(row.time_ns) / 2;
      advice.advice = is_single
                          ? "Use a smaller format (BF16, FP16), or restructure for reuse in caches"
                          : "Restructure for reuse in caches, fuse it with its neighbors, or move "
                            "fewer bytes";
      advice.evidence = fmt::format(
          "{} of the bandwidth{}", percent_text(row.memory),
          row.memory_level.empty() ? "" : fmt::format(", busiest level {}", row.memory_level));
    }
    const double math = row.math.percent.value_or(100);
    if (row.by_busy == Limit::math && row.busy_math.percent && 2 * math < *row.busy_math.percent) {
      LimitAdvice& advice = add(AdviceKind::other_pipes, &row, row.kernels, row.time_ns);
      advice.save_ns = row.save_ns;
      advice.advice =
          "The SM is busy with other instructions: shared memory, load/store, address calculation. "
          "See the Source page of Nsight Compute";
      advice.evidence =
          fmt::format("SM busy {}, {} of the math peak",
                      base::format_percent(*row.busy_math.percent), percent_text(row.math));
    }
  }

  void collect_counters(const LimitRow& row) {
    LimitAdvice& advice = add(AdviceKind::collect, &row, row.kernels, row.time_ns);
    const std::string_view kernel = function_of(longest_kernel_of(row.op));
    advice.advice = fmt::format(
        "Record Nsight Compute counters: {}; then open the profile with --ncu counters.csv",
        count_command(kernel));
    advice.evidence =
        fmt::format("Limit unknown{}{}", row.note.empty() ? "" : ": ", std::string(row.note));
  }

  // The kernel that takes most of the op's time.
  std::string_view longest_kernel_of(OpIndex op) const {
    int64_t most_ns = 0;
    std::string_view name;
    for (const KernelAggregate& kernel : aggregation_.kernels) {
      if (kernel.op != op || kernel.gpu.sum <= most_ns) continue;
      most_ns = kernel.gpu.sum;
      name = profile_.text(kernel.name);
    }
    return name;
  }

  // Its function, without return type, namespaces and arguments; ncu looks for it in the name.
  static std::string_view function_of(std::string_view name) {
    if (name.starts_with("void ")) name.remove_prefix(5);
    name = name.substr(0, name.find_first_of("<( "));
    const std::size_t colons = name.rfind("::");
    return colons == std::string_view::npos ? name : name.substr(colons + 2);
  }

  void collect_peaks(int64_t time_ns) {
    LimitAdvice& advice = add(AdviceKind::collect, nullptr, 0, time_ns);
    advice.advice = "Add --peaks FILE, a CSV with gpu,type,tflops,gbps";
    advice.evidence = "FLOP known; peak for their number format unknown";
  }

  void collect_shapes(int64_t unknown_ns) {
    LimitAdvice& advice = add(AdviceKind::collect, nullptr, 0, unknown_ns);
    advice.advice = kRecordWork;
    advice.evidence = kNoWorkRecorded;
  }

  const Profile& profile_;
  const Aggregation& aggregation_;
  const LimitIndex& index_;
  const WorkIndex& work_;
  const std::function<void(const AdvicePlace&)>& on_place_;
  LaunchFactsFinder launches_;
  InstanceIndex first_{0}, last_{0};
  std::vector<LimitRow> rows_;
  std::unordered_map<Row, const LimitRow*> row_of_;
  int64_t range_ns_ = 0;
  std::unordered_map<StringId, bool> is_layout_;
  std::map<std::pair<OpIndex, AdviceKind>, Tally> tallies_;
  std::vector<LimitAdvice> advice_;
};

struct KindText {
  std::string_view id, title;
};
constexpr std::array<KindText, kAdviceKinds> kKindTexts{{
    {"tensor_cores", "Use Tensor Cores"},
    {"fp8", "Use a smaller format"},
    {"channels_last", "Use channels-last"},
    {"aligned_sizes", "Pad sizes"},
    {"fuse", "Fuse kernels"},
    {"less_memory", "Move fewer bytes"},
    {"near_roofs", "Reduce FLOP and bytes"},
    {"tail_waves", "Fill the last wave"},
    {"occupancy", "Raise occupancy"},
    {"small_kernels", "Launch fewer kernels"},
    {"other_pipes", "Reduce non-math instructions"},
    {"collect", "Record more data"},
}};

}  // namespace

std::string_view to_text(AdviceKind kind) {
  return kKindTexts[static_cast<std::size_t>(kind)].id;
}

std::string_view title_of(AdviceKind kind) {
  return kKindTexts[static_cast<std::size_t>(kind)].title;
}

std::vector<LimitAdvice> limit_advice(const Profile& profile, const Aggregation& aggregation,
                                      const LimitIndex& index, const AdviceOptions& options,
                                      const std::function<void(const AdvicePlace&)>& on_place) {
  return Advisor(profile, aggregation.whole(), index, options, on_place).advise();
}

}  // namespace dlview::aggregate
