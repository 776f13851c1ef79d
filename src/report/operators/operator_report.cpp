#include "report/operators/operator_report.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <climits>
#include <fmt/format.h>

#include "aggregate/limits/residency.h"
#include "aggregate/range_sums.h"
#include "aggregate/tensor_core_uses.h"
#include "base/units.h"
#include "profile/communication.h"
#include "profile/launch_attributes.h"

namespace dlview::report {
namespace {

using aggregate::Aggregation;
using aggregate::CounterFacts;
using aggregate::CounterJoin;
using aggregate::Limit;
using aggregate::LimitIndex;
using aggregate::LimitRow;
using aggregate::LimitsBy;
using aggregate::Origin;
using aggregate::WorkKind;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::kNoRow;
using profile::OpIndex;
using profile::Profile;
using profile::Row;
using profile::StringId;

constexpr std::size_t kMostAdvice = 20;  // of a kind

double percent_of(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

// A mean over the time that has it.
struct TimedMean {
  double sum = 0;
  int64_t ns = 0;
  void add(const std::optional<double>& value, int64_t time_ns) {
    if (!value) return;
    sum += *value * static_cast<double>(time_ns);
    ns += time_ns;
  }
  std::optional<double> mean() const {
    return ns == 0 ? std::nullopt : std::optional(sum / static_cast<double>(ns));
  }
};

// Of the kernels of one op, or of one name in it.
struct KernelSums {
  int64_t ns = 0, tensor_ns = 0, formless_ns = 0;
  TimedMean tensor, memory, occupancy, estimated_occupancy;
  void add(const KernelSums& other) {
    ns += other.ns;
    tensor_ns += other.tensor_ns;
    formless_ns += other.formless_ns;
    const auto join = [](TimedMean& to, const TimedMean& from) {
      to.sum += from.sum;
      to.ns += from.ns;
    };
    join(tensor, other.tensor);
    join(memory, other.memory);
    join(occupancy, other.occupancy);
    join(estimated_occupancy, other.estimated_occupancy);
  }
};

// Ops whose type Tensor Cores do not support.
bool is_formless(WorkKind kind) {
  switch (kind) {
    case WorkKind::normalization:
    case WorkKind::softmax:
    case WorkKind::elementwise:
    case WorkKind::copy:
    case WorkKind::pooling:
    case WorkKind::reduction:
    case WorkKind::gather:
    case WorkKind::optimizer:
      return true;
    case WorkKind::gemm:
    case WorkKind::convolution:
    case WorkKind::attention:
    case WorkKind::unknown:
      break;
  }
  return false;
}

// Names of files lose their folders: a report goes to others.
std::string without_folders(std::string_view text) {
  const std::size_t end = text.find(".py");
  if (end == std::string_view::npos) return std::string(text);
  const std::size_t slash = text.rfind('/', end);
  if (slash == std::string_view::npos) return std::string(text);
  const std::size_t space = text.rfind(' ', slash);
  const std::size_t from = space == std::string_view::npos ? 0 : space + 1;
  return std::string(text.substr(0, from)) + std::string(text.substr(slash + 1));
}

// Paler than that of the class.
std::string_view side_color(Limit side) {
  return side == Limit::math ? "#b4d9c2" : "#b5d0ee";
}

std::string file_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

class ReportMaker {
 public:
  ReportMaker(const Profile& profile, const Aggregation& aggregation, const LimitIndex& index)
      : profile_(profile), aggregation_(aggregation), index_(index), unknown_(profile) {}

  OperatorReport make(std::string_view name, std::size_t most_details) {
    const aggregate::IterationRange& range = aggregation_.selection.range;
    const auto& iterations = aggregation_.iteration_table->iterations.rows;
    first_ = iterations[static_cast<std::size_t>(range.first)].first_instance;
    last_ = iterations[static_cast<std::size_t>(range.last)].last_instance;
    rows_ = index_.rows(aggregation_, LimitsBy::op);
    for (const LimitRow& row : rows_) report_.time_ns += row.time_ns;
    add_up_kernels();
    find_shapes();
    report_.title = fmt::format("Ops of {}", file_of(name));
    add_facts(name);
    add_classes();
    for (const LimitRow& row : rows_) report_.ops.push_back(op_of(row));
    add_network();
    add_details(most_details);
    add_advice();
    return std::move(report_);
  }

 private:
  int64_t duration(KernelIndex kernel) const {
    return profile_.kernels.gpu_stop_ns[kernel] - profile_.kernels.gpu_start_ns[kernel];
  }

  const CounterFacts* counters_of(KernelIndex kernel) const {
    const CounterJoin& join = index_.join();
    if (join.set_of_kernel.empty() || join.set_of_kernel[kernel] == CounterJoin::kNoSet) {
      return nullptr;
    }
    return &index_.counter_facts()[join.launches_of(join.set_of_kernel[kernel]).front()];
  }

  void add_up_kernels() {
    const auto groups = index_.work().group_of_kernel();
    std::unordered_map<StringId, bool> communicates;
    for (InstanceIndex instance = first_; instance < last_; ++instance) {
      const OpIndex op = profile_.instances.op[instance];
      for (KernelIndex kernel = profile_.instances.first_kernel[instance];
           kernel < profile_.instances.first_kernel[instance + 1]; ++kernel) {
        const StringId name = profile_.kernels.name[kernel];
        const auto known = communicates.try_emplace(name, false);
        if (known.second) {
          known.first->second = profile::communication_of(profile_.text(name)).has_value();
        }
        KernelSums& sums = kernels_[op][name];
        first_start_.try_emplace(op, profile_.kernels.gpu_start_ns[kernel]);
        const int64_t ns = duration(kernel);
        sums.ns += ns;
        const bool uses = profile_.kernels.uses_tensor_cores[kernel] != 0;
        if (uses) sums.tensor_ns += ns;
        const bool is_known_formless =
            kernel < groups.size() &&
            is_formless(index_.work().works()[index_.work().groups()[groups[kernel]].work].kind);
        if (!uses && (is_known_formless || known.first->second)) sums.formless_ns += ns;
        if (const CounterFacts* facts = counters_of(kernel)) {
          sums.tensor.add(facts->tensor_pipe_percent, ns);
          sums.memory.add(facts->dram_percent, ns);
          sums.occupancy.add(facts->occupancy_percent, ns);
        }
        sums.estimated_occupancy.add(estimated_occupancy(kernel), ns);
      }
    }
  }

  std::optional<double> estimated_occupancy(KernelIndex kernel) const {
    const auto attributes = profile::launch_attributes(profile_, kernel);
    if (attributes.occupancy_percent) return static_cast<double>(*attributes.occupancy_percent);
    const auto residency = aggregate::residency_of(profile_, kernel);
    return residency ? std::optional(residency->occupancy_percent) : std::nullopt;
  }

  // The shape of each op that takes most of its time, and how many there are.
  void find_shapes() {
    for (const LimitRow& row : index_.rows(aggregation_, LimitsBy::shape)) {
      if (row.op == kNoRow) continue;
      Shapes& shapes = shapes_[row.op];
      const std::string_view text = aggregate::shapes_text(profile_, row.shapes);
      if (text.empty()) continue;
      ++shapes.count;
      if (row.time_ns <= shapes.most_ns) continue;
      shapes.most_ns = row.time_ns;
      shapes.text = text;
    }
  }

  void add_facts(std::string_view) {
    int64_t counted_ns = 0, sampled_ns = 0, estimated_ns = 0;
    for (const LimitRow& row : rows_) {
      counted_ns += row.measured_ns;
      sampled_ns += row.sampled_ns;
      estimated_ns += std::max<int64_t>(0, row.known_ns - row.measured_ns - row.sampled_ns);
    }
    const int64_t known_ns = counted_ns + sampled_ns + estimated_ns;
    const int64_t unknown_ns = std::max<int64_t>(0, report_.time_ns - known_ns);
    std::map<std::string, int> gpus;
    for (const profile::Device& device : profile_.devices) ++gpus[device.name];
    std::string gpu;
    for (const auto& [name, count] : gpus) {
      gpu += fmt::format("{}{}{}", gpu.empty() ? "" : ", ",
                         count > 1 ? fmt::format("{}× ", count) : "",
                         name.empty() ? "unknown GPU" : name);
    }
    report_.facts.push_back(fmt::format("GPU: {}", gpu.empty() ? "not recorded" : gpu));
    report_.facts.push_back(peaks_text());
    const auto utilization = aggregate::flop_utilization(profile_, aggregation_, rows_);
    if (utilization.model_percent) {
      report_.facts.push_back(fmt::format("MFU {}{}, HFU {}{}", utilization.sign(),
                                          base::format_percent(*utilization.model_percent),
                                          utilization.sign(),
                                          base::format_percent(*utilization.hardware_percent)));
    }
    report_.facts.push_back(
        fmt::format("Counted {} · sampled {} · estimated {} · unknown {} of kernel time",
                    base::format_percent(percent_of(counted_ns, report_.time_ns)),
                    base::format_percent(percent_of(sampled_ns, report_.time_ns)),
                    base::format_percent(percent_of(estimated_ns, report_.time_ns)),
                    base::format_percent(percent_of(unknown_ns, report_.time_ns))));
    const aggregate::IterationRange& range = aggregation_.selection.range;
    report_.facts.push_back(fmt::format("Iterations {} to {} · {} · {} of kernel time", range.first,
                                        range.last, base::counted(std::ssize(rows_), "ops"),
                                        base::format_duration(report_.time_ns)));
  }

  // "Peaks: FP16 Tensor 989 TFLOP/s (data sheet), memory 3.35 TB/s (data sheet)".
  std::string peaks_text() const {
    if (profile_.devices.size() == 0) return "Peaks: unknown";
    std::map<aggregate::MathType, int64_t> types;
    const LimitRow* any = nullptr;
    for (const LimitRow& row : rows_) {
      if (row.peak_flops != nullptr && row.type) types[*row.type] += row.time_ns;
      if (row.peak_bandwidth != nullptr) any = &row;
    }
    std::string text;
    for (const LimitRow& row : rows_) {
      if (!row.type || row.peak_flops == nullptr || types.erase(*row.type) == 0) continue;
      text += fmt::format("{}{} {}/s ({})", text.empty() ? "" : ", ", aggregate::to_text(*row.type),
                          base::format_flop(row.peak_flops->per_second),
                          file_of(row.peak_flops->source));
    }
    if (any != nullptr) {
      text += fmt::format("{}memory {} ({})", text.empty() ? "" : ", ",
                          base::format_byte_rate(any->peak_bandwidth->per_second),
                          file_of(any->peak_bandwidth->source));
    }
    return text.empty() ? "Peaks: unknown" : "Peaks: " + text;
  }

  // Unknown ones last, by the side of the ridge on which their shapes are.
  void add_classes() {
    std::map<std::pair<int, int>, int64_t> times;
    for (const LimitRow& row : rows_) {
      const bool is_unknown = row.limit() == Limit::unknown;
      const bool has_side = row.by_intensity == Limit::math || row.by_intensity == Limit::memory;
      times[{is_unknown ? INT_MAX : static_cast<int>(row.limit()),
             is_unknown && has_side ? static_cast<int>(row.by_intensity) : INT_MAX}] += row.time_ns;
    }
    for (const auto& [key, ns] : times) {
      const bool has_side = key.second != INT_MAX;
      OperatorReport::ClassShare& each = report_.classes.emplace_back();
      each.limit = key.first == INT_MAX ? Limit::unknown : static_cast<Limit>(key.first);
      each.color = has_side ? side_color(static_cast<Limit>(key.second)) : color_of(each.limit);
      each.name = has_side ? fmt::format("unknown, {} side",
                                         aggregate::to_text(static_cast<Limit>(key.second)))
                           : std::string(aggregate::to_text(each.limit));
      each.time_ns = ns;
      each.percent = percent_of(ns, report_.time_ns);
    }
  }

  std::string limit_text(const LimitRow& row) const {
    const Limit limit = row.limit();
    if (limit != Limit::unknown) {
      const std::string_view level = limit == Limit::memory ? row.memory_level : "";
      return fmt::format("{}{}{}", aggregate::to_text(limit),
                         level.empty() ? "" : fmt::format(": {}", level),
                         row.is_near() ? " (near)" : "");
    }
    if (row.by_intensity == Limit::math || row.by_intensity == Limit::memory) {
      return fmt::format("{} side{}", aggregate::to_text(row.by_intensity),
                         row.roof_percent ? fmt::format(" · at least {} of the roof",
                                                        base::format_percent(*row.roof_percent))
                                          : "");
    }
    return "unknown";
  }

  std::string tensor_core_text(const LimitRow& row) const {
    if (row.tensor_core_ns > 0) {
      const double percent = percent_of(row.tensor_core_ns, row.time_ns);
      return percent >= 99.95 ? "yes" : fmt::format("yes, {}", base::format_percent(percent));
    }
    const KernelSums sums = sums_of(row.op);
    if (sums.ns > 0 && sums.formless_ns == sums.ns) return "not applicable";
    if (row.op != kNoRow && unknown_.is_of_op(row.op)) return "unknown";
    return "no";
  }

  static std::string achieved_text(const LimitRow& row) {
    const bool is_memory = row.by_intensity == Limit::memory || row.flops.value == 0.0 ||
                           (row.by_intensity != Limit::math && !row.math.percent);
    const std::string_view least = (is_memory ? row.bytes : row.flops).sign();
    if (is_memory && row.bytes_per_second) {
      return fmt::format(
          "{}{}{}", least, base::format_byte_rate(*row.bytes_per_second),
          row.memory.percent ? fmt::format(", {}", base::format_percent(*row.memory.percent)) : "");
    }
    if (!row.flops_per_second) return "";
    return fmt::format(
        "{}{}/s{}", least, base::format_flop(*row.flops_per_second),
        row.math.percent ? fmt::format(", {}", base::format_percent(*row.math.percent)) : "");
  }

  ReportOp op_of(const LimitRow& row) const {
    ReportOp op;
    op.op = row.op;
    op.name = without_folders(row.name);
    if (row.op != kNoRow) {
      op.type = without_folders(profile_.text(profile_.ops.type[row.op]));
      op.data_type = profile_.text(profile_.ops.data_type[row.op]);
      const auto shapes = shapes_.find(row.op);
      if (shapes != shapes_.end() && shapes->second.count > 0) {
        op.shape = shapes->second.count == 1 ? std::string(shapes->second.text)
                                             : fmt::format("{} and {} more", shapes->second.text,
                                                           shapes->second.count - 1);
      }
    }
    op.calls = row.calls;
    op.time_ns = row.time_ns;
    op.share_percent = percent_of(row.time_ns, report_.time_ns);
    op.limit = row.limit();
    op.limit_text = limit_text(row);
    op.tensor_cores = tensor_core_text(row);
    op.achieved = achieved_text(row);
    op.save_ns = row.save_ns;
    return op;
  }

  KernelSums sums_of(OpIndex op) const {
    KernelSums sums;
    const auto found = kernels_.find(op);
    if (found == kernels_.end()) return sums;
    for (const auto& entry : found->second) sums.add(entry.second);
    return sums;
  }

  // `row`: of the op, or of the kernel; null = unknown.
  static std::array<ReportShare, kReportCharts> shares_of(const KernelSums& sums,
                                                          const LimitRow* row) {
    std::array<ReportShare, kReportCharts> shares;
    ReportShare& tensor = shares[0];
    if (const auto counted = sums.tensor.mean()) {
      tensor = {counted, Origin::counted};
    } else if (sums.tensor_ns > 0) {
      // Below its peak an estimate is a lower bound.
      if (row != nullptr && row->math.percent) tensor = {row->math.percent, row->math.origin};
    } else if (sums.ns > 0 && sums.formless_ns == sums.ns) {
      tensor.has_no_form = true;
    } else if (sums.ns > 0 && row != nullptr && row->work != nullptr &&
               row->work->kind != WorkKind::unknown) {
      tensor = {0.0, Origin::estimated};
    }
    tensor.has_no_form |= sums.formless_ns == sums.ns && sums.ns > 0;
    if (tensor.has_no_form) tensor = {std::nullopt, Origin::none, true};
    ReportShare& memory = shares[1];
    if (const auto counted = sums.memory.mean()) {
      memory = {counted, Origin::counted};
    } else if (row != nullptr && row->busy_memory.origin == Origin::sampled) {
      memory = {row->busy_memory.percent, Origin::sampled};
    } else if (row != nullptr && row->memory.percent) {
      memory = {row->memory.percent, row->memory.origin};
    }
    ReportShare& occupancy = shares[2];
    if (const auto counted = sums.occupancy.mean()) {
      occupancy = {counted, Origin::counted};
    } else if (const auto estimated = sums.estimated_occupancy.mean()) {
      occupancy = {estimated, Origin::estimated};
    }
    return shares;
  }

  void add_network() {
    std::vector<std::size_t> order(rows_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto start = [this](std::size_t i) {
      const auto found = first_start_.find(rows_[i].op);
      return found == first_start_.end() ? INT64_MAX : found->second;
    };
    std::ranges::stable_sort(order, {}, start);
    for (const std::size_t i : order) {
      report_.network.push_back({report_.ops[i].name, rows_[i].time_ns,
                                 rows_[i].op == kNoRow ? shares_of_counters(rows_[i])
                                                       : shares_of(sums_of(rows_[i].op), &rows_[i]),
                                 i});
    }
  }

  // An Nsight Compute file alone.
  std::array<ReportShare, kReportCharts> shares_of_counters(const LimitRow& row) const {
    KernelSums sums;
    sums.ns = row.time_ns;
    if (row.counter_set != CounterJoin::kNoSet && row.counter_set < index_.counter_facts().size()) {
      const CounterFacts& facts = index_.counter_facts()[row.counter_set];
      sums.tensor.add(facts.tensor_pipe_percent, row.time_ns);
      sums.occupancy.add(facts.occupancy_percent, row.time_ns);
    }
    sums.memory.add(row.busy_memory.percent, row.time_ns);
    return shares_of(sums, &row);
  }

  void add_details(std::size_t most_details) {
    const std::vector<LimitRow> by_kernel = index_.rows(aggregation_, LimitsBy::kernel);
    std::unordered_map<StringId, const LimitRow*> rows;
    for (const LimitRow& row : by_kernel) rows[row.kernel] = &row;
    for (std::size_t i = 0; i < rows_.size() && report_.details.size() < most_details; ++i) {
      const auto found = kernels_.find(rows_[i].op);
      if (rows_[i].op == kNoRow || found == kernels_.end()) continue;
      ReportDetail& detail = report_.details.emplace_back();
      detail.op = i;
      if (rows_[i].work != nullptr) detail.formula = rows_[i].work->formula;
      std::vector<std::pair<StringId, const KernelSums*>> kernels;
      for (const auto& [name, sums] : found->second) kernels.emplace_back(name, &sums);
      std::ranges::stable_sort(
          kernels, [](const auto& a, const auto& b) { return a.second->ns > b.second->ns; });
      // A single kernel has the work of its op.
      const bool is_single = kernels.size() == 1;
      KernelSums others;
      for (std::size_t k = 0; k < kernels.size(); ++k) {
        if (k >= kReportKernels) {
          others.add(*kernels[k].second);
          continue;
        }
        const auto row = rows.find(kernels[k].first);
        const LimitRow* its = is_single ? &rows_[i] : row == rows.end() ? nullptr : row->second;
        detail.kernels.push_back({without_folders(profile_.text(kernels[k].first)),
                                  kernels[k].second->ns, shares_of(*kernels[k].second, its), 0});
      }
      if (others.ns > 0) {
        detail.kernels.push_back(
            {base::counted(static_cast<int64_t>(kernels.size() - kReportKernels), "more kernels"),
             others.ns, shares_of(others, nullptr), 0});
      }
    }
  }

  void add_advice() {
    std::unordered_map<Row, std::size_t> places;
    for (std::size_t i = 0; i < rows_.size(); ++i) places.try_emplace(rows_[i].op, i);
    std::map<aggregate::AdviceKind, ReportAdviceGroup> groups;
    std::vector<aggregate::AdviceKind> order;  // by the largest savings of each
    for (const aggregate::LimitAdvice& each :
         aggregate::limit_advice(profile_, aggregation_, index_)) {
      const auto [group, is_new] = groups.try_emplace(each.kind);
      if (is_new) {
        group->second.title = aggregate::title_of(each.kind);
        order.push_back(each.kind);
      }
      if (group->second.advice.size() >= kMostAdvice) continue;
      ReportAdvice& advice = group->second.advice.emplace_back();
      const auto place = places.find(each.op);
      if (each.op != kNoRow && place != places.end()) advice.op = place->second;
      advice.advice = each.advice;
      advice.evidence = each.evidence;
      advice.save_ns = each.save_ns;
    }
    for (const aggregate::AdviceKind kind : order) report_.advice.push_back(groups[kind]);
  }

  struct Shapes {
    int64_t count = 0, most_ns = -1;
    std::string_view text;
  };

  const Profile& profile_;
  const Aggregation& aggregation_;
  const LimitIndex& index_;
  const aggregate::UnknownTensorCoreUse unknown_;
  InstanceIndex first_{0}, last_{0};
  std::vector<LimitRow> rows_;
  std::unordered_map<Row, std::map<StringId, KernelSums>> kernels_;
  std::unordered_map<Row, int64_t> first_start_;
  std::unordered_map<Row, Shapes> shapes_;
  OperatorReport report_;
};

}  // namespace

OperatorReport make_operator_report(const Profile& profile, const Aggregation& aggregation,
                                    const LimitIndex& index, std::string_view name,
                                    std::size_t details) {
  return ReportMaker(profile, aggregation.whole(), index).make(name, details);
}

std::string share_text(const ReportShare& share, std::size_t chart) {
  if (share.has_no_form) return "not applicable";
  if (!share.percent) return "unknown";
  const std::string percent = base::format_percent(*share.percent);
  if (share.origin != Origin::estimated) return percent;
  // Work from shapes is a lower bound; occupancy from the launch an upper one.
  return chart == 2 || *share.percent == 0 ? fmt::format("{} (estimated)", percent)
                                           : fmt::format("at least {} (estimated)", percent);
}

std::string_view color_of(Limit limit) {
  switch (limit) {
    case Limit::math:
      return "#2f9e5b";
    case Limit::memory:
      return "#2f7fd6";
    case Limit::both:
      return "#7d59c1";
    case Limit::neither:
      return "#e07422";
    case Limit::no_flop:
      return "#8b95a3";
    case Limit::unknown:
      break;
  }
  return "#c3cad4";
}

std::string_view color_of_chart(std::size_t chart) {
  constexpr std::array<std::string_view, kReportCharts> kColors{"#2b8a4e", "#2f7fd6", "#b07d12"};
  return kColors[chart];
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most || most < 4) return std::string(text);
  std::size_t head = most / 2, tail = text.size() - (most - most / 2 - 1);
  while (head > 0 && (static_cast<unsigned char>(text[head]) & 0xC0) == 0x80) --head;
  while (tail < text.size() && (static_cast<unsigned char>(text[tail]) & 0xC0) == 0x80) ++tail;
  return std::string(text.substr(0, head)) + "…" + std::string(text.substr(tail));
}

}  // namespace dlview::report
