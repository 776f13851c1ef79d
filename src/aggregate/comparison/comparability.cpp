#include "aggregate/comparison/comparability.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "aggregate/comparison/matching_names.h"
#include "aggregate/key_names.h"
#include "aggregate/steady.h"
#include "base/units.h"
#include "profile/communication.h"
#include "profile/recorded.h"
#include "profile/whole_graphs.h"

namespace dlview::aggregate {
namespace {

using profile::Evidence;
using profile::KernelIndex;
using profile::Profile;
using profile::StringId;

constexpr int64_t kFewIterations = 10;
constexpr double kLaunchesDiffer = 0.05, kGoodMatch = 0.9, kPoorMatch = 0.5, kOverhead = 0.02,
                 kDriftP = 0.01, kAlike = 0.01, kShareAlike = 0.8, kMostError = 0.01,
                 kLeastKernelShare = 0.5, kRepeatedShare = 0.9;
constexpr std::size_t kFewestAlike = 3, kFewestLaunches = 5, kMostDurations = 10'000;
constexpr uint64_t kReservoirSeed = 0x6b65726e656c;

std::vector<int64_t> range_durations(const ComparedRun& run, const IterationRange& range) {
  const std::vector<int64_t> all = durations_of(run.table->iterations);
  return {all.begin() + static_cast<std::ptrdiff_t>(range.first),
          all.begin() + static_cast<std::ptrdiff_t>(range.last + 1)};
}

// A name in an export may have line breaks: a reason is one line wherever it is printed.
std::string on_one_line(std::string text) {
  constexpr char kFirstPrintable = ' ';
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < kFirstPrintable) c = ' ';
  }
  return text;
}

// JSON without white space; empty if nothing was recorded, which exports write as null.
std::string compact_shapes(std::string_view json) {
  std::string text;
  for (const char c : json) {
    if (static_cast<unsigned char>(c) > ' ') text += c;
  }
  return text == "null" ? "" : text;
}

std::string shown_shapes(const std::string& shapes) {
  constexpr std::size_t kMostShown = 80;
  return shapes.size() <= kMostShown ? shapes : shapes.substr(0, kMostShown) + "…";
}

std::string percent_text(double share) {
  return fmt::format("{:.1f}%", 100 * share);
}

// The standard error of the median as a share of it, from the median absolute deviation, for normal
// noise.
double median_error(const std::vector<int64_t>& values) {
  const int64_t median = median_of(values);
  if (median <= 0) return 0;
  constexpr double kDeviation = 1.4826, kOfMedian = 1.2533;
  const auto deviation = static_cast<double>(median_of(distances_from(median, values)));
  return kOfMedian * kDeviation * deviation / std::sqrt(static_cast<double>(values.size())) /
         static_cast<double>(median);
}

// The launches of a kernel with one grid: all of their time, and the durations of some, each chosen
// with the same probability.
struct LaunchTimes {
  uint64_t count = 0;
  double sum_ns = 0;
  std::vector<int64_t> chosen_ns;

  void add(int64_t duration_ns, std::mt19937_64& random) {
    ++count;
    sum_ns += static_cast<double>(duration_ns);
    if (chosen_ns.size() < kMostDurations) {
      chosen_ns.push_back(duration_ns);
    } else if (const uint64_t place = random() % count; place < kMostDurations) {
      chosen_ns[place] = duration_ns;
    }
  }
};
// By (name, grid).
using Grid = std::tuple<uint32_t, int32_t, int32_t, int32_t>;
using LaunchesOfGrids = std::map<Grid, LaunchTimes>;

template <typename KeyOf>
LaunchesOfGrids launches_of(const ComparedRun& run, const IterationRange& range,
                            const KeyOf& key_of) {
  const Profile& profile = *run.profile;
  const auto& kernels = profile.kernels;
  const InstanceSpan span = instances_of(run.table->iterations, range);
  const KernelIndex first = profile.instances.first_kernel[span.first],
                    last = profile.instances.first_kernel[span.last];
  std::map<StringId, bool> communicates;
  LaunchesOfGrids launches;
  std::mt19937_64 random(kReservoirSeed);
  for (KernelIndex k = first; k < last; ++k) {
    const auto [known, is_new] = communicates.try_emplace(kernels.name[k]);
    if (is_new) {
      known->second = profile::communication_of(profile.text(kernels.name[k])).has_value();
    }
    if (known->second) continue;
    const profile::Dim3& grid = profile.launches.grid[kernels.launch[k]];
    launches[{key_of(kernels.name[k]), grid.x, grid.y, grid.z}].add(
        kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k], random);
  }
  return launches;
}

double all_ns_of(const LaunchesOfGrids& launches) {
  double sum_ns = 0;
  for (const auto& grid : launches) sum_ns += grid.second.sum_ns;
  return sum_ns;
}

class ReasonFinder {
 public:
  ReasonFinder(const RunPair& runs, const RangePair& ranges, const Waterfall& waterfall,
               const RunFloor& floor)
      : runs_(runs),
        ranges_(ranges),
        waterfall_(waterfall),
        floor_(floor),
        before_(*runs.before().profile),
        after_(*runs.after().profile) {}

  ComparabilityReport find() {
    report_.is_same_capture = is_same_capture(before_, after_);
    if (report_.is_same_capture) care("same_capture", "Both profiles hold the same capture.");
    check_iterations();
    check_matching();
    check_system();
    check_recording();
    check_work();
    report_.uniform = uniform_change(runs_, ranges_);
    if (report_.uniform) {
      const double change = std::abs(report_.uniform->factor - 1), limit = floor_.limit();
      care("uniform_change",
           fmt::format("Kernels with the same name and grid ({} of kernel time) are {} {} by one "
                       "factor{}, as when clocks or power limits differ.",
                       percent_text(report_.uniform->kernel_share), percent_text(change),
                       report_.uniform->factor > 1 ? "slower" : "faster",
                       change > limit ? ""
                                      : fmt::format(", within the {} noise between runs",
                                                    percent_text(limit))));
    }
    std::ranges::stable_sort(report_.reasons, std::ranges::greater{}, &Reason::level);
    return std::move(report_);
  }

 private:
  void care(std::string_view id, std::string text) {
    report_.reasons.push_back({Comparability::with_care, id, on_one_line(std::move(text))});
  }
  void refuse(std::string_view id, std::string text) {
    report_.reasons.push_back({Comparability::not_comparable, id, on_one_line(std::move(text))});
  }

  template <typename Text>
  void differ(std::string_view id, std::string_view what, const Text& before, const Text& after) {
    const auto shown = [](const Text& text) {
      return text.empty() ? std::string("not recorded") : std::string(text);
    };
    if (before == after) return;
    care(id, fmt::format("{} differs: {} before, {} after.", what, shown(before), shown(after)));
  }

  void check_iterations() {
    const bool before = runs_.before().is_split(), after = runs_.after().is_split();
    if (before != after) {
      refuse("split",
             fmt::format("The run {} is not split into iterations.", before ? "after" : "before"));
      return;
    }
    if (!before) {
      refuse("split",
             "Neither run is split into iterations: only totals are compared. Choose "
             "an iteration marker for each.");
      return;
    }
    const auto marker = [](const Profile& profile, const Cut& cut) {
      return key_op_label(profile, cut.key_op);
    };
    differ("marker", "Iteration marker", marker(before_, runs_.before().cut),
           marker(after_, runs_.after().cut));
    const int64_t fewest = std::min(ranges_.before.size(), ranges_.after.size());
    if (fewest < int64_t{kFewestForStatistics}) {
      refuse("iterations", fmt::format("Fewer than {} iterations on a side: no statistics.",
                                       kFewestForStatistics));
    } else if (fewest < kFewIterations) {
      care("iterations",
           fmt::format("Fewer than {} iterations on a side: wide intervals.", kFewIterations));
    }
    for (const bool is_before : {true, false}) {
      const std::vector<int64_t> durations = is_before
                                                 ? range_durations(runs_.before(), ranges_.before)
                                                 : range_durations(runs_.after(), ranges_.after);
      check_series(durations, is_before ? "before" : "after");
    }
  }

  void check_series(const std::vector<int64_t>& durations, std::string_view side) {
    if (static_cast<int64_t>(durations.size()) < kFewIterations) return;
    const double correlation = serial_correlation(durations);
    if (correlation > 2 / std::sqrt(static_cast<double>(durations.size()))) {
      care("serial_correlation",
           fmt::format("Iterations {} resemble their neighbors (serial correlation {:.2f}): they "
                       "say less than their number.",
                       side, correlation));
    }
    if (trend_p(durations) < kDriftP) {
      care("drift", fmt::format("Iterations {} drift over the range, for example because the GPU "
                                "heats up.",
                                side));
    }
  }

  void check_matching() {
    const MatchRate before = runs_.rate_before(ranges_.before),
                    after = runs_.rate_after(ranges_.after);
    const bool has_gpu = before.gpu.all_ns > 0 && after.gpu.all_ns > 0;
    const double rate = has_gpu ? std::min(before.gpu.rate(), after.gpu.rate())
                                : std::min(before.cpu.rate(), after.cpu.rate());
    if (const int64_t skipped = runs_.matching().skipped(); skipped > 0) {
      care("names_not_compared",
           fmt::format("{} ops without a partner are too many of one type: their names were not "
                       "compared. Pair ops with --pair.",
                       base::format_count(skipped)));
    }
    if (rate < kPoorMatch) {
      refuse("match_rate",
             fmt::format("Only {} of the {} time has matching ops: {}.", percent_text(rate),
                         has_gpu ? "GPU" : "CPU",
                         has_gpu && repeats_per_gpu()
                             ? fmt::format("{} before, {} after, and each GPU has its own ops",
                                           gpu_count(before_), gpu_count(after_))
                             : "another program"));
    } else if (rate < kGoodMatch) {
      care("match_rate", fmt::format("{} of the {} time has matching ops.", percent_text(rate),
                                     has_gpu ? "GPU" : "CPU"));
    }
  }

  static std::string gpu_count(const Profile& profile) {
    return base::counted(static_cast<int64_t>(profile.devices.size()), "GPUs");
  }

  // Whether the ops without a partner are those that the run with more GPUs has once for each: as
  // in a process that drives several. Communication exists only with several GPUs.
  bool repeats_per_gpu() const {
    if (before_.devices.size() == after_.devices.size()) return false;
    const bool more_before = before_.devices.size() > after_.devices.size();
    const Profile& profile = more_before ? before_ : after_;
    using Path = std::tuple<std::string, std::string_view, std::string_view>;
    const auto path_of = [&profile](profile::OpIndex op) {
      const auto& ops = profile.ops;
      return Path{without_running_numbers(profile.text(ops.name[op])), profile.text(ops.type[op]),
                  profile.text(ops.direction[op])};
    };
    std::set<Path> matched;
    for (const OpMatch& match : runs_.matching().matches()) {
      matched.insert(path_of(more_before ? match.before : match.after));
    }
    int64_t all_ns = 0, repeated_ns = 0;
    for (const PartBar& part : waterfall_.parts) {
      if (!is_gpu_part(part.part) || part.part == StackPart::exposed_communication) continue;
      for (const OpBar& op : part.ops) {
        if (!op.is_only_before() && !op.is_only_after()) continue;
        all_ns += op.before_sum_ns + op.after_sum_ns;
        if (op.is_only_before() != more_before) continue;
        const bool repeats = matched.contains(path_of(more_before ? op.before : op.after));
        repeated_ns += repeats ? op.before_sum_ns + op.after_sum_ns : 0;
      }
    }
    return all_ns > 0 &&
           static_cast<double>(repeated_ns) >= kRepeatedShare * static_cast<double>(all_ns);
  }

  static std::string gpu_text(const Profile& profile) {
    std::map<std::string, int> names;
    for (const profile::Device& device : profile.devices) {
      // Traces have no compute capability, and old exports no name.
      std::string name = device.name.empty() ? "unknown GPU" : device.name;
      if (const auto capability = device.compute_capability()) {
        name += fmt::format(" ({}.{})", capability->major, capability->minor);
      }
      ++names[name];
    }
    std::vector<std::string> texts;
    for (const auto& [name, count] : names) {
      texts.push_back(count == 1 ? name : fmt::format("{}× {}", count, name));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  void check_system() {
    const bool before = profile::tells_of(before_, Evidence::gpu_work),
               after = profile::tells_of(after_, Evidence::gpu_work);
    if (before != after) {
      refuse("gpu_work",
             fmt::format("The run {} has no GPU activity.", before ? "after" : "before"));
    }
    differ("gpu", "GPU", gpu_text(before_), gpu_text(after_));
    const auto &from = before_.system, &to = after_.system;
    differ("framework", "Framework", from.framework, to.framework);
    differ("cuda", "CUDA version", from.cuda_version, to.cuda_version);
    differ("driver", "Driver version", from.driver_version, to.driver_version);
    differ("format", "Format", before_.source.format, after_.source.format);
  }

  static bool has_whole_graphs(const Profile& profile) {
    const auto& names = profile.kernels.name;
    StringId last = UINT32_MAX;
    for (KernelIndex k{0}; k < names.size(); ++k) {
      if (names[k] == last) continue;
      last = names[k];
      if (profile::is_whole_graph(profile.text(last))) return true;
    }
    return false;
  }

  static bool has_graph_nodes(const Profile& profile) {
    if (!profile.trace) return false;
    const auto& nodes = profile.trace->kernels.graph_node;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (nodes[k] != 0 && nodes[k] != profile::kNoValue) return true;
    }
    return false;
  }

  void check_recording() {
    const auto check = [this](Evidence evidence, std::string_view what) {
      const bool before = profile::tells_of(before_, evidence),
                 after = profile::tells_of(after_, evidence);
      if (before == after) return;
      care("recorded", fmt::format("{} were recorded only {}.", what, before ? "before" : "after"));
    };
    check(Evidence::api_calls, fmt::format("Calls of the {}", profile::gpu_api(before_)));
    check(Evidence::ranges, "Ops");
    if (const bool before = has_whole_graphs(before_); before != has_whole_graphs(after_)) {
      const char *const whole = before ? "before" : "after", *const other =
                                                                 before ? "after" : "before";
      refuse(
          "graphs",
          has_graph_nodes(before ? after_ : before_)
              ? fmt::format("CUDA graphs were traced as a whole {}, and node by node {}. Record "
                            "both with --cuda-graph-trace=node.",
                            whole, other)
              : fmt::format("CUDA graphs were traced as a whole {}, and the run {} has none: the "
                            "kernels inside are unknown. Record the run {} with "
                            "--cuda-graph-trace=node.",
                            whole, other, whole));
    }
    for (const bool is_before : {true, false}) {
      const Profile& profile = is_before ? before_ : after_;
      const double share = overhead_share(profile);
      if (share <= kOverhead) continue;
      care("overhead", fmt::format("The profiler itself takes {} of the run {}.",
                                   percent_text(share), is_before ? "before" : "after"));
    }
  }

  static double overhead_share(const Profile& profile) {
    if (!profile.trace || profile.last_ns <= 0) return 0;
    const auto& overheads = profile.trace->overheads;
    std::vector<base::Interval> spans;
    for (std::size_t i = 0; i < overheads.size(); ++i) {
      spans.push_back({overheads.start_ns[i], overheads.end_ns[i]});
    }
    return static_cast<double>(base::IntervalSet::union_of(std::move(spans)).total_ns()) /
           static_cast<double>(profile.last_ns);
  }

  void check_work() {
    double launches_before = 0, launches_after = 0;
    for (const PartBar& part : waterfall_.parts) {
      for (const OpBar& op : part.ops) {
        if (!op.by) continue;
        for (const KernelBar& kernel : op.kernels) {
          launches_before += waterfall_.calls_before(kernel);
          launches_after += waterfall_.calls_after(kernel);
        }
      }
    }
    const double most = std::max(launches_before, launches_after);
    if (most > 0 && std::abs(launches_after - launches_before) > kLaunchesDiffer * most) {
      care("launches",
           fmt::format("Matched ops launch {} kernels and memory operations per "
                       "iteration and GPU before, {} after.",
                       base::format_number(launches_before), base::format_number(launches_after)));
    }
    check_inputs();
  }

  using Shapes = std::map<profile::Row, StringId>;
  static Shapes shapes_of(const ComparedRun& run) {
    const auto& instances = run.profile->instances;
    Shapes shapes;
    for (auto i = run.typical.first_instance; i < run.typical.last_instance; ++i) {
      shapes.try_emplace(instances.op[i], instances.input_shapes[i]);
    }
    return shapes;
  }

  void check_inputs() {
    const Shapes before = shapes_of(runs_.before()), after = shapes_of(runs_.after());
    int64_t compared = 0, only_before = 0, only_after = 0, differ = 0, types = 0;
    std::string example;
    for (const OpMatch& match : runs_.matching().matches()) {
      const std::string_view type_before = before_.text(before_.ops.data_type[match.before]),
                             type_after = after_.text(after_.ops.data_type[match.after]);
      if (!type_before.empty() && !type_after.empty() && type_before != type_after) ++types;
      const auto from = before.find(match.before), to = after.find(match.after);
      if (from == before.end() || to == after.end()) continue;
      const std::string shapes_before = compact_shapes(before_.text(from->second)),
                        shapes_after = compact_shapes(after_.text(to->second));
      if (shapes_before.empty() || shapes_after.empty()) {
        only_before += shapes_before.empty() ? 0 : 1;
        only_after += shapes_after.empty() ? 0 : 1;
        continue;
      }
      ++compared;
      if (shapes_before == shapes_after) continue;
      ++differ;
      if (example.empty()) {
        example = fmt::format("{}: {} before, {} after",
                              readable_key(before_.text(before_.ops.name[match.before])),
                              shown_shapes(shapes_before), shown_shapes(shapes_after));
      }
    }
    if (compared == 0 && (only_before == 0) != (only_after == 0)) {
      care("recorded", fmt::format("Input shapes were recorded only {}.",
                                   only_before > 0 ? "before" : "after"));
    }
    if (differ > 0) {
      care("shapes", fmt::format("Input shapes differ in {} of {} matched ops ({}).", differ,
                                 compared, example));
    }
    if (types > 0) care("data_types", fmt::format("Data types differ in {} matched ops.", types));
  }

  const RunPair& runs_;
  const RangePair& ranges_;
  const Waterfall& waterfall_;
  const RunFloor& floor_;
  const Profile &before_, &after_;
  ComparabilityReport report_;
};

}  // namespace

std::string_view to_text(Comparability comparability) {
  constexpr std::array<std::string_view, 3> kTexts{"comparable", "with care", "not comparable"};
  return kTexts[static_cast<std::size_t>(comparability)];
}

Comparability ComparabilityReport::level() const {
  return reasons.empty() ? Comparability::comparable : reasons.front().level;
}

std::optional<UniformChange> uniform_change(const RunPair& runs, const RangePair& ranges) {
  const KernelKeys& keys = runs.keys();
  const LaunchesOfGrids before = launches_of(runs.before(), ranges.before,
                                             [&](StringId name) { return keys.before(name); }),
                        after = launches_of(runs.after(), ranges.after,
                                            [&](StringId name) { return keys.after(name); });
  struct Ratio {
    double ratio = 1, weight_ns = 0, after_ns = 0;
    double error = 0;  // standard error of the ratio, as a share
  };
  std::vector<Ratio> ratios;
  double all_ns = 0;  // of these ratios, before
  for (const auto& [grid, from] : before) {
    const auto to = after.find(grid);
    if (to == after.end()) continue;
    const int64_t median = median_of(from.chosen_ns);
    if (median <= 0 || std::min(from.count, to->second.count) < kFewestLaunches) continue;
    const double error =
        std::hypot(median_error(from.chosen_ns), median_error(to->second.chosen_ns));
    if (error > kMostError) continue;
    ratios.push_back(
        {static_cast<double>(median_of(to->second.chosen_ns)) / static_cast<double>(median),
         from.sum_ns, to->second.sum_ns, error});
    all_ns += from.sum_ns;
  }
  if (ratios.size() < kFewestAlike) return std::nullopt;
  std::ranges::sort(ratios, {}, &Ratio::ratio);
  UniformChange change{.kernels = static_cast<int64_t>(ratios.size())};
  double sum_ns = 0;
  for (const Ratio& ratio : ratios) {
    sum_ns += ratio.weight_ns;
    change.factor = ratio.ratio;
    if (2 * sum_ns >= all_ns) break;
  }
  double alike_before_ns = 0, alike_after_ns = 0;
  for (const Ratio& ratio : ratios) {
    change.error += ratio.error * ratio.weight_ns / all_ns;
    if (std::abs(ratio.ratio / change.factor - 1) > kAlike + 2 * ratio.error) continue;
    alike_before_ns += ratio.weight_ns;
    alike_after_ns += ratio.after_ns;
  }
  change.share = alike_before_ns / all_ns;
  // New and replaced kernels say nothing about clocks, and are no minority that can be ignored.
  change.kernel_share =
      std::min(alike_before_ns / all_ns_of(before), alike_after_ns / all_ns_of(after));
  if (change.kernel_share < kLeastKernelShare) return std::nullopt;
  if (std::abs(change.factor - 1) <= std::max(kAlike, 2 * change.error)) return std::nullopt;
  return change.share >= kShareAlike ? std::optional(change) : std::nullopt;
}

ComparabilityReport check_comparability(const RunPair& runs, const RangePair& ranges,
                                        const Waterfall& waterfall, const RunFloor& floor) {
  return ReasonFinder(runs, ranges, waterfall, floor).find();
}

bool is_same_capture(const Profile& a, const Profile& b) {
  const auto same = [](const auto& one, const auto& other) {
    return std::ranges::equal(one.span(), other.span());
  };
  return a.instances.size() > 0 && same(a.instances.cpu_start_ns, b.instances.cpu_start_ns) &&
         same(a.instances.cpu_stop_ns, b.instances.cpu_stop_ns) &&
         same(a.kernels.gpu_start_ns, b.kernels.gpu_start_ns) &&
         same(a.kernels.gpu_stop_ns, b.kernels.gpu_stop_ns) &&
         same(a.memory_ops.gpu_start_ns, b.memory_ops.gpu_start_ns);
}

}  // namespace dlview::aggregate
