#include "profile/builder.h"

#include <algorithm>
#include <utility>

#include "base/fields.h"
#include "profile/arrange.h"

namespace dlview::profile {
namespace {

int64_t latest(const Column<int64_t>& times_ns) {
  return times_ns.empty() ? 0 : *std::ranges::max_element(times_ns);
}

// Columns of rows that were added one by one, in their own order; the rows are given back.
template <typename Rows, typename... Field>
auto take_rows(Rows& rows, const Field&... fields) {
  using RowType = typename Rows::value_type;
  auto columns = make_columns<RowType>(
      rows.size(), [&rows](std::size_t i) -> const RowType& { return rows[i]; }, fields...);
  rows = Rows();  // = {} would keep the memory
  return columns;
}

// Makes them the columns of the table, in the order of its members.
template <typename Table, typename... T>
void set_columns(Table& table, std::tuple<Column<T>...> columns) {
  base::with_fields(table, [&](auto&... members) { std::tie(members...) = std::move(columns); });
}

}  // namespace

Row ProfileBuilder::add_op(const OpRow& op) {
  ops_.push_back(op);
  return static_cast<Row>(ops_.size() - 1);
}

Row ProfileBuilder::add_instance(const OpInstanceRow& instance) {
  instances_.push_back(instance);
  return static_cast<Row>(instances_.size() - 1);
}

Row ProfileBuilder::intern_launch(const LaunchRow& launch) {
  const LaunchKey key{launch.grid.x,  launch.grid.y,  launch.grid.z, launch.block.x,
                      launch.block.y, launch.block.z, launch.device, launch.thread};
  const auto [entry, added] = launch_rows_.emplace(key, static_cast<Row>(launches_.size()));
  if (added) launches_.push_back(launch);
  return entry->second;
}

Row ProfileBuilder::intern_thread(const Thread& thread) {
  const auto [entry, added] = thread_rows_.emplace(std::pair(thread.process_id, thread.thread_id),
                                                   static_cast<Row>(threads_.size()));
  if (added) threads_.push_back(thread);
  return entry->second;
}

Row ProfileBuilder::add_device(Device device) {
  devices_.push_back(std::move(device));
  return static_cast<Row>(devices_.size() - 1);
}

void ProfileBuilder::add_instances(std::size_t count, const MakeRow<OpInstanceRow>& row) {
  OpInstances& all = profile_.instances;
  std::tie(all.op, all.cpu_start_ns, all.cpu_stop_ns, all.thread, all.input_names, all.input_shapes,
           all.output_names, all.output_shapes, all.parameters, all.source_id) =
      make_columns<OpInstanceRow>(count, row, &OpInstanceRow::op, &OpInstanceRow::cpu_start_ns,
                                  &OpInstanceRow::cpu_stop_ns, &OpInstanceRow::thread,
                                  &OpInstanceRow::input_names, &OpInstanceRow::input_shapes,
                                  &OpInstanceRow::output_names, &OpInstanceRow::output_shapes,
                                  &OpInstanceRow::parameters, &OpInstanceRow::source_id);
  const auto place = [&all](Row i) { return EventPlace{all.cpu_start_ns[i], all.source_id[i], i}; };
  bool in_order = true;
  for (Row i = 1; i < count && in_order; ++i) in_order = place(i - 1) < place(i);
  if (in_order) return;
  const base::UntouchedVector<Row> order = order_by_place(count, place);
  reorder(order, all.op, all.cpu_start_ns, all.cpu_stop_ns, all.thread, all.input_names,
          all.input_shapes, all.output_names, all.output_shapes, all.parameters, all.source_id);
  rows_.resize(count);
  base::parallel_for(count, kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) rows_[order[i]] = static_cast<Row>(i);
  });
}

void ProfileBuilder::arrange_instances() {
  if (instances_.empty()) return;
  add_instances(instances_.size(), [this](std::size_t i) { return instances_[i]; });
  instances_ = base::LargeVector<OpInstanceRow>();
}

void ProfileBuilder::set_forward_instances(std::span<const Row> forward_of) {
  arrange_instances();
  base::UntouchedVector<Row> forward(forward_of.size());
  base::parallel_for(forward.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Row number = forward_of[i];
      forward[instance_row(static_cast<Row>(i))] = number == kNoRow ? kNoRow : instance_row(number);
    }
  });
  profile_.instances.forward = std::move(forward);
}

void ProfileBuilder::add_kernels(std::span<const Row> instance_of, const MakeRow<KernelRow>& row) {
  arrange_instances();
  OpInstances& instances = profile_.instances;
  const base::UntouchedVector<Row> order = group_by_instance(
      instances.size(), instance_of.size(),
      [&](std::size_t i) { return instance_row(instance_of[i]); },
      [&](Row i) {
        const KernelRow kernel = row(i);
        return EventPlace{kernel.gpu_start_ns, kernel.source_id, i};
      },
      instances.first_kernel);
  const auto in_order = [&](std::size_t i) {
    KernelRow kernel = row(order[i]);
    kernel.instance = instance_row(instance_of[order[i]]);
    return kernel;
  };
  set_columns(
      profile_.kernels,
      make_columns<KernelRow>(
          order.size(), in_order, &KernelRow::instance, &KernelRow::name, &KernelRow::long_name,
          [](const KernelRow& kernel) { return uint8_t{kernel.uses_tensor_cores}; },
          &KernelRow::api_start_ns, &KernelRow::api_stop_ns, &KernelRow::gpu_start_ns,
          &KernelRow::gpu_stop_ns, &KernelRow::launch, &KernelRow::source_id));
}

std::vector<base::Interval> ProfileBuilder::gpu_spans() const {
  std::vector<base::Interval> spans(std::max(instances_.size(), profile_.instances.size()),
                                    {0, -1});
  const auto widen = [](base::Interval& span, int64_t start_ns, int64_t stop_ns) {
    const bool is_first = span.stop_ns < span.start_ns;
    span = is_first
               ? base::Interval{start_ns, stop_ns}
               : base::Interval{std::min(span.start_ns, start_ns), std::max(span.stop_ns, stop_ns)};
  };
  const Kernels& kernels = profile_.kernels;
  for (Row number = 0; kernels.size() > 0 && number < spans.size(); ++number) {
    const Row row = instance_row(number);
    const Row end = profile_.instances.first_kernel[row + 1];
    for (Row kernel = profile_.instances.first_kernel[row]; kernel < end; ++kernel) {
      widen(spans[number], kernels.gpu_start_ns[kernel], kernels.gpu_stop_ns[kernel]);
    }
  }
  for (const KernelRow& k : kernels_) widen(spans[k.instance], k.gpu_start_ns, k.gpu_stop_ns);
  for (const MemoryOpRow& m : memory_ops_) widen(spans[m.instance], m.gpu_start_ns, m.gpu_stop_ns);
  return spans;
}

template <typename EventRow, typename... Field>
auto ProfileBuilder::take_events(base::LargeVector<EventRow>& events, int64_t EventRow::*time,
                                 Column<Row>& first, const Field&... fields) {
  const base::UntouchedVector<Row> order = group_by_instance(
      profile_.instances.size(), events.size(),
      [&](std::size_t i) { return instance_row(events[i].instance); },
      [&](Row i) {
        return EventPlace{events[i].*time, events[i].source_id, i};
      },
      first);
  const auto in_order = [&](std::size_t i) {
    EventRow event = events[order[i]];
    event.instance = instance_row(event.instance);
    return event;
  };
  auto columns = make_columns<EventRow>(order.size(), in_order, &EventRow::instance, fields...);
  events = base::LargeVector<EventRow>();
  return columns;
}

void ProfileBuilder::finish_memory_ops() {
  set_columns(
      profile_.memory_ops,
      take_events(memory_ops_, &MemoryOpRow::gpu_start_ns, profile_.instances.first_memory_op,
                  &MemoryOpRow::kind, &MemoryOpRow::name, &MemoryOpRow::copy_kind,
                  &MemoryOpRow::bytes, &MemoryOpRow::api_start_ns, &MemoryOpRow::api_stop_ns,
                  &MemoryOpRow::gpu_start_ns, &MemoryOpRow::gpu_stop_ns, &MemoryOpRow::device,
                  &MemoryOpRow::thread, &MemoryOpRow::source_id));
}

void ProfileBuilder::finish_calls() {
  set_columns(
      profile_.syncs,
      take_events(syncs_, &SyncRow::api_start_ns, profile_.instances.first_sync, &SyncRow::name,
                  &SyncRow::api_start_ns, &SyncRow::api_stop_ns, &SyncRow::sync_type,
                  &SyncRow::event_id, &SyncRow::device_id, &SyncRow::thread, &SyncRow::source_id));
  set_columns(profile_.api_calls,
              take_events(api_calls_, &ApiCallRow::api_start_ns, profile_.instances.first_api_call,
                          &ApiCallRow::name, &ApiCallRow::api_start_ns, &ApiCallRow::api_stop_ns,
                          &ApiCallRow::thread, &ApiCallRow::source_id));
}

void ProfileBuilder::finish_ops() {
  set_columns(
      profile_.ops,
      take_rows(ops_, &OpRow::id, &OpRow::name, &OpRow::type, &OpRow::direction, &OpRow::data_type,
                &OpRow::data_format, &OpRow::output_format, &OpRow::parameters_format,
                &OpRow::stack_trace, &OpRow::tensor_core_support, &OpRow::source_id));
  set_columns(profile_.launches, take_rows(launches_, &LaunchRow::grid, &LaunchRow::block,
                                           &LaunchRow::device, &LaunchRow::thread));
}

void ProfileBuilder::finish_user_ranges() {
  std::stable_sort(user_ranges_.begin(), user_ranges_.end(),
                   [](const UserRangeRow& a, const UserRangeRow& b) {
                     return std::tuple(a.start_ns, -a.stop_ns) < std::tuple(b.start_ns, -b.stop_ns);
                   });
  set_columns(
      profile_.user_ranges,
      take_rows(user_ranges_, &UserRangeRow::name, &UserRangeRow::path, &UserRangeRow::start_ns,
                &UserRangeRow::stop_ns, &UserRangeRow::number, &UserRangeRow::thread));
}

void ProfileBuilder::set_nesting(StringId path, std::string_view nesting) {
  if (nesting != text(path)) nestings_.emplace(path, intern(nesting));
}

void ProfileBuilder::finish_nestings() {
  std::vector<std::pair<StringId, StringId>> all(nestings_.begin(), nestings_.end());
  std::ranges::sort(all, {}, [this](const auto& entry) { return text(entry.first); });
  std::vector<StringId> paths, nestings;
  for (const auto& [path, nesting] : all) {
    paths.push_back(path);
    nestings.push_back(nesting);
  }
  profile_.names_with_slashes = {std::move(paths), std::move(nestings)};
}

Profile ProfileBuilder::finish() && {
  if (profile_.kernels.size() == 0) {
    base::LargeVector<Row> instance_of;
    for (const KernelRow& kernel : kernels_) instance_of.push_back(kernel.instance);
    add_kernels(instance_of, [this](std::size_t i) { return kernels_[i]; });
    kernels_ = base::LargeVector<KernelRow>();
  }
  finish_memory_ops();
  finish_calls();
  finish_ops();
  finish_user_ranges();
  finish_nestings();

  Profile& p = profile_;
  p.last_ns = std::max({int64_t{0}, latest(p.instances.cpu_stop_ns), latest(p.kernels.gpu_stop_ns),
                        latest(p.memory_ops.gpu_stop_ns)});
  p.source = std::move(source);
  p.strings = std::move(strings_).finish();
  p.threads = std::move(threads_);
  p.devices = std::move(devices_);
  p.system = std::move(system);
  p.stored_aggregations = std::move(stored_aggregations);
  p.quality = std::move(quality);
  p.recorded_tables = std::move(recorded_tables);
  p.profiler_messages = std::move(profiler_messages);
  p.not_recorded = std::move(not_recorded);
  return std::move(profile_);
}

}  // namespace dlview::profile
