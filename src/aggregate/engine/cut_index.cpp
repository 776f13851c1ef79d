#include "aggregate/engine/cut_index.h"

#include <algorithm>
#include <numeric>

namespace dlview::aggregate {
namespace {

using profile::DeviceIndex;
using profile::Profile;
using profile::Row;

// spec.md 8: floor of the mean over devices; Other takes what rounding leaves.
Breakdown mean_per_device(const Breakdown& sum, int64_t device_count, int64_t duration_ns) {
  Breakdown mean;
  if (device_count > 0) {
    for (const Category category : kCategories) mean[category] = sum[category] / device_count;
  }
  mean[Category::other] = 0;
  mean[Category::other] = duration_ns - mean.total();
  return mean;
}

CommunicationTime mean_per_device(const CommunicationTime& sum, int64_t device_count) {
  if (device_count == 0) return {};
  return {sum.ns / device_count, sum.exposed_ns / device_count};
}

void add_means(IterationTable& table) {
  for (std::size_t i = 0; i < table.facts.size(); ++i) {
    IterationFacts& facts = table.facts[i];
    facts.per_device = mean_per_device(facts.device_sum, table.device_count,
                                       table.iterations.rows[i].duration_ns());
    facts.communication_per_device =
        mean_per_device(facts.communication_device_sum, table.device_count);
  }
}

// find_outside() without a look at every kernel.
Outside outside_of(const Profile& profile, const ProfileIndex& index,
                   const Iterations& iterations) {
  const Iteration& first = iterations.rows.front();
  const Iteration& last = iterations.rows.back();
  const auto end = static_cast<Row>(profile.instances.size());
  const auto part = [&](int64_t duration_ns, Row from, Row to) {
    const KernelTotals kernels = index.kernels_between(from, to);
    return OutsidePart{.duration_ns = std::max<int64_t>(0, duration_ns),
                       .kernels = kernels.count,
                       .kernel_ns = kernels.gpu_ns};
  };
  const KernelTotals all = index.kernels_between(0, end);
  return {.before = part(first.start_ns - profile.first_ns, 0, first.first_instance),
          .after = part(profile.last_ns - last.stop_ns, last.last_instance, end),
          .kernels = all.count,
          .kernel_ns = all.gpu_ns};
}

// Start and stop of every iteration. A stored list need not be in order: the times are.
struct Bounds {
  explicit Bounds(const Iterations& iterations) : place(iterations.rows.size() * 2) {
    std::vector<int64_t> given;
    for (const Iteration& iteration : iterations.rows) {
      given.push_back(iteration.start_ns);
      given.push_back(iteration.stop_ns);
    }
    std::vector<std::size_t> order(given.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!std::ranges::is_sorted(given)) {
      std::ranges::stable_sort(order, {}, [&](std::size_t i) { return given[i]; });
    }
    for (std::size_t p = 0; p < order.size(); ++p) {
      place[order[p]] = p;
      times_ns.push_back(given[order[p]]);
    }
  }
  // What is known of times_ns, for the starts and stops in the order of iterations.
  std::vector<Coverage> as_given(const std::vector<Coverage>& sorted) const {
    std::vector<Coverage> result;
    result.reserve(sorted.size());
    for (const std::size_t p : place) result.push_back(sorted[p]);
    return result;
  }
  std::vector<int64_t> times_ns;
  std::vector<std::size_t> place;  // of start and stop of each iteration in times_ns
};

}  // namespace

CutIndex::CutIndex(const Profile& profile, const ProfileIndex& index, const Cut& cut,
                   Engine& engine, std::optional<BoundaryKernels>& known)
    : cut_(cut) {
  auto built = std::make_shared<IterationTable>();
  built->iterations = cut_iterations(profile, cut, &known);
  built->outside = outside_of(profile, index, built->iterations);
  built->by_duration = order_by_duration(built->iterations);
  built->device_count = static_cast<int64_t>(profile.devices.size());
  device_counts_.assign(profile.devices.size(), true);
  built->has_communication = std::ranges::any_of(index.kernels.cells, &EventCell::communicates);
  engine.set_iterations(built->iterations);
  add_facts(profile, Part::all, nullptr, engine, *built);
  table_ = std::move(built);
}

CutIndex::CutIndex(const Profile& profile, const CutIndex& whole,
                   const std::vector<Filter>& filters, Engine& engine)
    : cut_(whole.cut_) {
  for (const profile::Device& device : profile.devices) {
    device_counts_.push_back(keep_device(filters, device.device_id));
  }
  auto built = std::make_shared<IterationTable>();
  built->iterations = whole.table_->iterations;
  built->outside = whole.table_->outside;
  built->by_duration = whole.table_->by_duration;
  built->device_count = std::ranges::count(device_counts_, true);
  built->has_communication = whole.table_->has_communication;
  add_facts(profile, Part::kept, &whole, engine, *built);
  table_ = std::move(built);
}

void CutIndex::add_facts(const Profile& profile, Part part, const CutIndex* whole, Engine& engine,
                         IterationTable& built) {
  built.facts.resize(built.iterations.rows.size());
  const Bounds bounds(built.iterations);
  for (DeviceIndex d{0}; d < profile.devices.size(); ++d) {
    const auto covered = engine.covered_before(part, d, bounds.times_ns);
    add_device(bounds.as_given(covered), whole == nullptr ? nullptr : &whole->device_prefix_[d],
               built);
  }
  add_means(built);
  const std::vector<KernelTotals> totals = engine.kernel_totals(part);
  for (std::size_t i = 0; i < totals.size(); ++i) built.facts[i].kernels = totals[i];
}

// `covered_before` holds start and stop of every iteration. What the host did is taken from the
// sums in `host`, where there are any (spec.md 25).
void CutIndex::add_device(const std::vector<Coverage>& covered_before,
                          const std::vector<DeviceTimes>* host, IterationTable& built) {
  const bool counts = device_counts_[device_prefix_.size()];
  auto& prefix = device_prefix_.emplace_back(built.facts.size() + 1);
  for (std::size_t i = 0; i < built.facts.size(); ++i) {
    const Coverage &start = covered_before[2 * i], &stop = covered_before[2 * i + 1];
    DeviceTimes times{breakdown_between(start, stop), communication_between(start, stop)};
    if (host != nullptr) {
      for (const Category category : {Category::data_loader, Category::io, Category::cpu}) {
        times.breakdown[category] =
            (*host)[i + 1].breakdown[category] - (*host)[i].breakdown[category];
      }
    }
    times.breakdown[Category::other] =
        built.iterations.rows[i].duration_ns() - times.breakdown.total();
    if (counts) {
      built.facts[i].device_sum += times.breakdown;
      built.facts[i].communication_device_sum += times.communication;
    }
    prefix[i + 1] = prefix[i];
    prefix[i + 1].breakdown += times.breakdown;
    prefix[i + 1].communication += times.communication;
  }
}

Breakdown CutIndex::device_breakdown(std::size_t device, const IterationRange& range) const {
  const auto& prefix = device_prefix_[device];
  const Breakdown& before = prefix[static_cast<std::size_t>(range.first)].breakdown;
  Breakdown result = prefix[static_cast<std::size_t>(range.last) + 1].breakdown;
  for (const Category category : kCategories) result[category] -= before[category];
  return result;
}

CommunicationTime CutIndex::device_communication(std::size_t device,
                                                 const IterationRange& range) const {
  const auto& prefix = device_prefix_[device];
  const CommunicationTime& before = prefix[static_cast<std::size_t>(range.first)].communication;
  const CommunicationTime& reached = prefix[static_cast<std::size_t>(range.last) + 1].communication;
  return {reached.ns - before.ns, reached.exposed_ns - before.exposed_ns};
}

}  // namespace dlview::aggregate
