#include "aggregate/reference/reference.h"

#include <optional>
#include <utility>

#include "aggregate/reference/communication.h"
#include "aggregate/reference/cut.h"
#include "aggregate/reference/kept.h"
#include "aggregate/reference/op_times.h"
#include "aggregate/reference/summaries.h"
#include "aggregate/reference/timeline.h"

namespace dlview::aggregate {
namespace {

using reference::InstanceInRange;
using reference::Kept;
using reference::Timeline;

// floor(sum / devices); Other is what is left of the duration.
Breakdown per_device(const Breakdown& device_sum, int64_t device_count, int64_t duration_ns) {
  Breakdown result;
  int64_t rest_ns = duration_ns;
  for (const Category category : kCategories) {
    if (category == Category::other || device_count == 0) continue;
    result[category] = device_sum[category] / device_count;
    rest_ns -= result[category];
  }
  result[Category::other] = rest_ns;
  return result;
}

CommunicationTime per_device(const CommunicationTime& device_sum, int64_t device_count) {
  CommunicationTime result;
  if (device_count == 0) return result;
  result.ns = device_sum.ns / device_count;
  result.exposed_ns = device_sum.exposed_ns / device_count;
  return result;
}

class Reference final : public Aggregator {
 public:
  Reference(std::shared_ptr<const profile::Profile> profile, const base::Progress* progress)
      : Aggregator(std::move(profile)),
        progress_(progress),
        timelines_(reference::device_timelines(this->profile())),
        everything_(part_of({})),
        tree_(std::make_shared<const GroupTree>(reference::group_tree(this->profile()))) {}

  std::shared_ptr<const IterationTable> iteration_table(const Cut& cut) override {
    return std::make_shared<const IterationTable>(make_table({cut, {}, {}}, everything_));
  }
  std::string_view name() const override { return "reference"; }

 private:
  Aggregation compute(const Selection& selection) override;
  bool canceled() const { return progress_ != nullptr && progress_->canceled(); }

  // What a set of filters keeps.
  struct Part {
    Kept kept;
    std::vector<Timeline> timelines;  // one for each device
    std::vector<reference::CommunicationSpans> communication;
  };
  Part part_of(const std::vector<Filter>& filters) const {
    const Kept kept(profile(), filters);
    return {kept, reference::kept_timelines(profile(), kept),
            reference::communication_spans(profile(), kept)};
  }

  IterationTable make_table(const Selection& selection, const Part& part) const;
  // Unless filters on GPUs name others only.
  bool is_kept(profile::DeviceIndex device, const std::vector<Filter>& filters) const;
  void add_io(const std::vector<int64_t>& io_ns, const IterationRange& range,
              IterationTable& table) const;
  void aggregate_devices(const Part& part, const std::vector<InstanceInRange>& instances,
                         Aggregation& result) const;

  const base::Progress* progress_;
  std::vector<Timeline> timelines_;  // one for each device, of everything
  Part everything_;
  std::shared_ptr<const GroupTree> tree_;
};

IterationTable Reference::make_table(const Selection& selection, const Part& part) const {
  IterationTable table;
  table.iterations = reference::find_iterations(profile(), selection.cut);
  table.outside = reference::work_outside(profile(), table.iterations);
  table.by_duration = reference::shortest_first(table.iterations);
  for (profile::DeviceIndex device{0}; device < profile().devices.size(); ++device) {
    if (is_kept(device, selection.filters)) ++table.device_count;
  }
  for (const auto& spans : everything_.communication) {
    if (!spans.empty()) table.has_communication = true;
  }
  for (const Iteration& iteration : table.iterations.rows) {
    if (canceled()) break;
    IterationFacts facts;
    for (profile::DeviceIndex device{0}; device < timelines_.size(); ++device) {
      if (!is_kept(device, selection.filters)) continue;
      facts.device_sum += reference::breakdown_between(timelines_[device], part.timelines[device],
                                                       iteration.start_ns, iteration.stop_ns);
      facts.communication_device_sum += reference::communication_between(
          part.communication[device], iteration.start_ns, iteration.stop_ns);
    }
    facts.per_device = per_device(facts.device_sum, table.device_count, iteration.duration_ns());
    facts.communication_per_device = per_device(facts.communication_device_sum, table.device_count);
    facts.kernels = reference::kernel_totals(profile(), part.kept, iteration);
    table.facts.push_back(facts);
  }
  table.facts.resize(table.iterations.rows.size());  // longer only when canceled
  return table;
}

bool Reference::is_kept(profile::DeviceIndex device, const std::vector<Filter>& filters) const {
  bool asks = false, named = false;
  for (const Filter& filter : filters) {
    if (filter.kind != FilterKind::device) continue;
    asks = true;
    named |= filter.number == profile().devices[device].device_id;
  }
  return !asks || named;
}

// spec.md 9: the stored I/O is a value per device; it is taken out of Other.
void Reference::add_io(const std::vector<int64_t>& io_ns, const IterationRange& range,
                       IterationTable& table) const {
  for (std::size_t i = 0; i < io_ns.size(); ++i) {
    const std::size_t row = static_cast<std::size_t>(range.first) + i;
    IterationFacts& facts = table.facts[row];
    facts.device_sum[Category::io] += io_ns[i] * table.device_count;
    facts.device_sum[Category::other] -= io_ns[i] * table.device_count;
    facts.per_device =
        per_device(facts.device_sum, table.device_count, table.iterations.rows[row].duration_ns());
  }
}

// I/O is not among a device's own categories: a stored value is a mean over the devices.
void Reference::aggregate_devices(const Part& part, const std::vector<InstanceInRange>& instances,
                                  Aggregation& result) const {
  const std::vector<int64_t> counts = reference::kernel_counts(profile(), part.kept, instances);
  const auto& rows = result.iteration_table->iterations.rows;
  for (profile::DeviceIndex device{0}; device < profile().devices.size(); ++device) {
    DeviceAggregate aggregate;
    aggregate.device = device;
    aggregate.kernel_count = counts[device];
    aggregate.is_kept = is_kept(device, result.selection.filters);
    for (int64_t i = result.selection.range.first; i <= result.selection.range.last; ++i) {
      const Iteration& iteration = rows[static_cast<std::size_t>(i)];
      aggregate.breakdown += reference::breakdown_between(
          timelines_[device], part.timelines[device], iteration.start_ns, iteration.stop_ns);
      aggregate.communication += reference::communication_between(
          part.communication[device], iteration.start_ns, iteration.stop_ns);
    }
    // Nothing precedes kernels, so that both kinds together are the union of all kernels.
    aggregate.kernel_union_ns = aggregate.breakdown[Category::tensor_core_kernels] +
                                aggregate.breakdown[Category::other_kernels];
    if (aggregate.is_kept) result.communication += aggregate.communication;
    result.devices.push_back(aggregate);
  }
}

Aggregation Reference::compute(const Selection& selection) {
  Aggregation result;
  result.selection = selection;
  result.group_tree = tree_;

  const std::optional<Part> some =
      selection.filters.empty() ? std::nullopt : std::optional(part_of(selection.filters));
  const Part& part = some ? *some : everything_;
  IterationTable table = make_table(selection, part);
  result.io_recorded = profile().trace && profile().trace->os_calls.size() > 0;
  const auto* stored = reference::stored_aggregation(profile(), table.iterations, selection.range);
  if (stored != nullptr &&
      stored->io_ns.size() == static_cast<std::size_t>(selection.range.size())) {
    add_io(stored->io_ns, selection.range, table);
    result.io_recorded = true;
  }
  result.iteration_table = std::make_shared<const IterationTable>(std::move(table));

  const auto& rows = result.iteration_table->iterations.rows;
  for (int64_t i = selection.range.first; i <= selection.range.last; ++i) {
    result.range_ns += rows[static_cast<std::size_t>(i)].duration_ns();
    result.breakdown += result.iteration_table->facts[static_cast<std::size_t>(i)].device_sum;
  }
  result.wall_ns = rows[static_cast<std::size_t>(selection.range.last)].stop_ns -
                   rows[static_cast<std::size_t>(selection.range.first)].start_ns;

  const auto instances =
      reference::instances_in(result.iteration_table->iterations, selection.range, part.kept);
  if (canceled()) return result;
  result.ops = reference::op_aggregates(profile(), part.kept, instances);
  if (canceled()) return result;
  result.op_types = reference::op_type_aggregates(profile(), part.kept, instances);
  result.model_times = reference::model_times(profile(), part.kept, instances);
  if (canceled()) return result;
  result.groups = reference::group_aggregates(profile(), part.kept, *tree_, instances, result.ops);
  result.kernels = reference::kernel_aggregates(profile(), part.kept, instances);
  if (canceled()) return result;
  aggregate_devices(part, instances, result);
  reference::summarize_ops(profile(), result);
  reference::summarize_kernels(profile(), part.kept, instances, result);
  reference::summarize_memory(profile(), part.kept, instances, result);
  return result;
}

}  // namespace

std::unique_ptr<Aggregator> make_reference_aggregator(
    std::shared_ptr<const profile::Profile> profile, const base::Progress* progress) {
  return std::make_unique<Reference>(std::move(profile), progress);
}

}  // namespace dlview::aggregate
