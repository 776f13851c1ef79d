#include "report/parquet/event_tables.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "aggregate/instance_times.h"
#include "aggregate/row_filter.h"
#include "aggregate/tensor_core_uses.h"
#include "profile/launch_sizes.h"
#include "profile/recorded_work.h"
#include "ranks/collective_calls.h"
#include "ranks/summarize.h"

namespace dlview::report::parquet {
namespace {

using aggregate::Aggregation;
using aggregate::Category;
using aggregate::InstanceTimes;
using aggregate::Iteration;
using aggregate::IterationFacts;
using aggregate::OpAggregate;
using aggregate::Stats;
using aggregate::TimeStats;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::OpIndex;
using profile::Profile;
using Columns = std::vector<Column>;
using CellOf = std::function<Cell(std::size_t row)>;

void add_text(Columns& columns, std::string id, CellOf cell) {
  columns.push_back(text_column(id, id, std::move(cell)));
}
void add_integer(Columns& columns, std::string id, CellOf cell) {
  columns.push_back(integer_column(id, id, aggregate::Unit::none, std::move(cell)));
}
void add_flag(Columns& columns, std::string id, CellOf cell) {
  columns.push_back(flag_column(id, id, std::move(cell)));
}

// What all tables read; their cells share it.
class Events {
 public:
  Events(std::shared_ptr<const Profile> profile, std::shared_ptr<const Aggregation> aggregation)
      : profile_(std::move(profile)),
        aggregation_(std::move(aggregation)),
        unknown_use_(aggregate::kernels_of_unknown_use(*profile_)),
        numbers_(ranks::iteration_numbers(aggregation_->iteration_table->iterations, range())) {
    find_instances();
    calls_ = ranks::rank_calls(*profile_, *aggregation_, numbers_);
  }

  const Profile& profile() const { return *profile_; }
  const Aggregation& aggregation() const { return *aggregation_; }
  const aggregate::IterationRange& range() const { return aggregation_->selection.range; }
  const std::vector<KernelIndex>& kernels() const { return kernels_; }
  const std::vector<InstanceIndex>& instances() const { return instances_; }
  const std::vector<ranks::RankCall>& calls() const { return calls_.calls; }
  const std::vector<InstanceTimes>& times() const { return times_; }
  // That the marker counts with, by row of the range.
  const std::vector<int64_t>& numbers() const { return numbers_; }

  std::string_view text(profile::StringId id) const { return profile_->text(id); }
  std::size_t iteration_at(std::size_t row) const {
    return static_cast<std::size_t>(range().first) + row;
  }

  Cell iteration_of(InstanceIndex instance) const {
    const auto next = std::ranges::upper_bound(
        iterations(), profile::Row{instance}, {},
        [](const Iteration& iteration) { return profile::Row{iteration.first_instance}; });
    if (next == iterations().begin()) return {};
    const auto iteration = next - 1;
    if (instance >= iteration->last_instance) return {};
    return int64_t{iteration - iterations().begin()};
  }

  bool has_unknown_use(KernelIndex kernel) const {
    return std::ranges::binary_search(unknown_use_, profile::Row{kernel}, {},
                                      [](KernelIndex unknown) { return profile::Row{unknown}; });
  }

 private:
  const std::vector<Iteration>& iterations() const {
    return aggregation_->iteration_table->iterations.rows;
  }

  void find_instances() {
    const auto& filters = aggregation_->selection.filters;
    std::optional<aggregate::RowFilter> filter;
    if (!filters.empty()) filter.emplace(*profile_, filters);
    const bool is_all = range().size() == static_cast<int64_t>(iterations().size());
    InstanceIndex first{0}, last{static_cast<profile::Row>(profile_->instances.size())};
    if (!is_all) {
      const aggregate::InstanceSpan span =
          aggregate::instances_of(aggregation_->iteration_table->iterations, range());
      first = span.first;
      last = span.last;
    }
    const auto& first_kernel = profile_->instances.first_kernel;
    aggregate::InstanceTimer timer(*profile_);
    for (InstanceIndex i = first; i < last; ++i) {
      // Between two iterations.
      if (!is_all && std::holds_alternative<std::monostate>(iteration_of(i))) continue;
      for (KernelIndex k = first_kernel[i]; k < first_kernel[i + 1]; ++k) {
        if (!filter || filter->counts_kernel(k)) kernels_.push_back(k);
      }
      if (filter && !filter->counts_instance(i)) continue;
      instances_.push_back(i);
      times_.push_back(filter ? timer.times_of(i, *filter) : timer.times_of(i));
    }
  }

  const std::shared_ptr<const Profile> profile_;
  const std::shared_ptr<const Aggregation> aggregation_;
  const std::vector<KernelIndex> unknown_use_;  // ascending
  const std::vector<int64_t> numbers_;
  std::vector<KernelIndex> kernels_;
  std::vector<InstanceIndex> instances_;
  std::vector<InstanceTimes> times_;  // of the instances
  ranks::RankCalls calls_;
};
using SharedEvents = std::shared_ptr<const Events>;

Table table_of(std::string_view name, std::size_t rows) {
  return {std::string(name), std::string(name), report::Layout::rows, {}, rows};
}

// Facts about the op of a row. `is_short` leaves out what only tables of ops have.
void add_op_columns(Columns& columns, const SharedEvents& events, bool is_short,
                    const std::function<OpIndex(std::size_t row)>& op) {
  using Texts = profile::Ops::Column<profile::StringId> profile::Ops::*;
  const auto add = [&](std::string id, Texts texts) {
    add_text(columns, std::move(id), [events, op, texts](std::size_t row) -> Cell {
      const auto& column = events->profile().ops.*texts;
      const std::string_view text = events->text(column[op(row)]);
      return text.empty() ? Cell() : Cell(text);
    });
  };
  if (!is_short) add("op_id", &profile::Ops::id);
  add("op", &profile::Ops::name);
  add("op_type", &profile::Ops::type);
  if (is_short) return;
  add("direction", &profile::Ops::direction);
  add("data_type", &profile::Ops::data_type);
}

void add_thread_columns(Columns& columns, const SharedEvents& events,
                        const std::function<profile::ThreadIndex(std::size_t row)>& thread) {
  add_integer(columns, "process_id", [events, thread](std::size_t row) {
    return Cell(events->profile().threads[thread(row)].process_id);
  });
  add_integer(columns, "thread_id", [events, thread](std::size_t row) {
    return Cell(events->profile().threads[thread(row)].thread_id);
  });
}

void add_launch_sizes(Columns& columns, const SharedEvents& events) {
  using Sizes = profile::Launches::Column<profile::Dim3> profile::Launches::*;
  const auto add = [&](std::string id, Sizes sizes, int32_t profile::Dim3::*axis) {
    add_integer(columns, std::move(id), [events, sizes, axis](std::size_t row) -> Cell {
      const Profile& profile = events->profile();
      const KernelIndex kernel = events->kernels()[row];
      if (!profile::has_launch_size(profile, kernel)) return {};
      return int64_t{(profile.launches.*sizes)[profile.kernels.launch[kernel]].*axis};
    });
  };
  add("grid_x", &profile::Launches::grid, &profile::Dim3::x);
  add("grid_y", &profile::Launches::grid, &profile::Dim3::y);
  add("grid_z", &profile::Launches::grid, &profile::Dim3::z);
  add("block_x", &profile::Launches::block, &profile::Dim3::x);
  add("block_y", &profile::Launches::block, &profile::Dim3::y);
  add("block_z", &profile::Launches::block, &profile::Dim3::z);
}

Table kernels(const SharedEvents& events) {
  Table table = table_of("kernels", events->kernels().size());
  Columns& columns = table.columns;
  const auto kernel = [events](std::size_t row) { return events->kernels()[row]; };
  add_integer(columns, "iteration", [events, kernel](std::size_t row) {
    return events->iteration_of(events->profile().kernels.instance[kernel(row)]);
  });
  add_op_columns(columns, events, true, [events, kernel](std::size_t row) {
    return events->profile().instances.op[events->profile().kernels.instance[kernel(row)]];
  });
  const auto add_name = [&](std::string id, const auto& texts) {
    add_text(columns, std::move(id), [events, &texts, kernel](std::size_t row) {
      return Cell(events->text(texts[kernel(row)]));
    });
  };
  const profile::Kernels& rows = events->profile().kernels;
  add_name("kernel", rows.name);
  add_name("long_name", rows.long_name);
  const auto add_time = [&](std::string id, const auto& times) {
    add_integer(columns, std::move(id), [&times, kernel](std::size_t row) -> Cell {
      const int64_t ns = times[kernel(row)];
      return ns == profile::kNoValue ? Cell() : Cell(ns);
    });
  };
  add_time("gpu_start_ns", rows.gpu_start_ns);
  add_time("gpu_stop_ns", rows.gpu_stop_ns);
  add_time("api_start_ns", rows.api_start_ns);
  add_time("api_stop_ns", rows.api_stop_ns);
  add_integer(columns, "device_id", [events, kernel](std::size_t row) {
    const Profile& profile = events->profile();
    return Cell(profile.devices[profile.device_of_kernel(kernel(row))].device_id);
  });
  add_integer(columns, "stream", [events, kernel](std::size_t row) -> Cell {
    if (!events->profile().trace) return {};
    const profile::RecordedWork work = profile::recorded_kernel(events->profile(), kernel(row));
    if (work.row >= work.table.stream.size()) return {};
    const int64_t stream = work.table.stream[work.row];
    return stream == profile::kNoValue ? Cell() : Cell(stream);
  });
  add_thread_columns(columns, events, [events, kernel](std::size_t row) {
    const Profile& profile = events->profile();
    return profile.launches.thread[profile.kernels.launch[kernel(row)]];
  });
  add_launch_sizes(columns, events);
  add_flag(columns, "uses_tensor_cores", [events, kernel](std::size_t row) -> Cell {
    const bool uses = events->profile().kernels.uses_tensor_cores[kernel(row)] != 0;
    return !uses && events->has_unknown_use(kernel(row)) ? Cell() : Cell(uses);
  });
  return table;
}

Table op_instances(const SharedEvents& events) {
  Table table = table_of("op_instances", events->instances().size());
  Columns& columns = table.columns;
  const auto instance = [events](std::size_t row) { return events->instances()[row]; };
  add_integer(columns, "iteration",
              [events, instance](std::size_t row) { return events->iteration_of(instance(row)); });
  add_op_columns(columns, events, false, [events, instance](std::size_t row) {
    return events->profile().instances.op[instance(row)];
  });
  const auto add_time = [&](std::string id, const auto& times) {
    add_integer(columns, std::move(id),
                [&times, instance](std::size_t row) { return Cell(times[instance(row)]); });
  };
  add_time("cpu_start_ns", events->profile().instances.cpu_start_ns);
  add_time("cpu_stop_ns", events->profile().instances.cpu_stop_ns);
  add_thread_columns(columns, events, [events, instance](std::size_t row) {
    return events->profile().instances.thread[instance(row)];
  });
  const auto add = [&](std::string id, int64_t InstanceTimes::*time) {
    add_integer(columns, std::move(id),
                [events, time](std::size_t row) { return Cell(events->times()[row].*time); });
  };
  add("cpu_time_ns", &InstanceTimes::cpu);
  add("gpu_time_ns", &InstanceTimes::gpu);
  add("api_time_ns", &InstanceTimes::api);
  add("cpu_overhead_ns", &InstanceTimes::overhead);
  add("gpu_idle_ns", &InstanceTimes::idle);
  return table;
}

constexpr std::pair<std::string_view, Category> kParts[] = {
    {"tensor_core_kernels_ns", Category::tensor_core_kernels},
    {"other_kernels_ns", Category::other_kernels},
    {"memory_ns", Category::memory},
    {"data_loader_ns", Category::data_loader},
    {"io_ns", Category::io},
    {"cpu_ns", Category::cpu},
    {"other_ns", Category::other}};

Table iterations(const SharedEvents& events) {
  Table table = table_of("iterations", static_cast<std::size_t>(events->range().size()));
  Columns& columns = table.columns;
  const auto add = [&](std::string_view id, auto number) {
    add_integer(columns, std::string(id), [events, number](std::size_t row) {
      const aggregate::IterationTable& all = *events->aggregation().iteration_table;
      const std::size_t place = events->iteration_at(row);
      return Cell(int64_t{number(all.iterations.rows[place], all.facts[place])});
    });
  };
  add_integer(columns, "iteration", [events](std::size_t row) {
    return Cell(static_cast<int64_t>(events->iteration_at(row)));
  });
  add_integer(columns, "number",
              [events](std::size_t row) { return Cell(events->numbers()[row]); });
  add("start_ns", [](const Iteration& row, const IterationFacts&) { return row.start_ns; });
  add("stop_ns", [](const Iteration& row, const IterationFacts&) { return row.stop_ns; });
  add("duration_ns", [](const Iteration& row, const IterationFacts&) { return row.duration_ns(); });
  for (const auto& part : kParts) {
    const Category category = part.second;
    if (category == Category::io && !events->aggregation().io_recorded) {
      add_integer(columns, std::string(part.first), [](std::size_t) { return Cell(); });
      continue;
    }
    add(part.first, [category](const Iteration&, const IterationFacts& facts) {
      return facts.per_device[category];
    });
  }
  add("communication_ns", [](const Iteration&, const IterationFacts& facts) {
    return facts.communication_per_device.ns;
  });
  add("exposed_communication_ns", [](const Iteration&, const IterationFacts& facts) {
    return facts.communication_per_device.exposed_ns;
  });
  add("kernels", [](const Iteration&, const IterationFacts& facts) { return facts.kernels.count; });
  add("kernel_time_ns",
      [](const Iteration&, const IterationFacts& facts) { return facts.kernels.gpu_ns; });
  add_integer(columns, "utc_start_ns", [events](std::size_t) -> Cell {
    const auto& trace = events->profile().trace;
    return trace && trace->utc_start_ns ? Cell(*trace->utc_start_ns) : Cell();
  });
  return table;
}

Table collectives(const SharedEvents& events) {
  using ranks::RankCall;
  Table table = table_of("collectives", events->calls().size());
  Columns& columns = table.columns;
  const auto add = [&](std::string id, auto cell) {
    add_integer(columns, std::move(id),
                [events, cell](std::size_t row) { return Cell(cell(events->calls()[row])); });
  };
  const auto optional = [](const std::optional<int64_t>& number) {
    return number ? Cell(*number) : Cell();
  };
  add_text(columns, "collective", [events](std::size_t row) {
    return Cell(profile::to_text(events->calls()[row].collective));
  });
  add_text(columns, "group", [events](std::size_t row) {
    return Cell(std::string_view(events->calls()[row].group));
  });
  add("place", [](const RankCall& call) { return call.place; });
  add("group_size", [optional](const RankCall& call) { return optional(call.group_size); });
  add("bytes", [optional](const RankCall& call) { return optional(call.bytes); });
  add("iteration", [events](const RankCall& call) {
    return static_cast<int64_t>(events->iteration_at(call.iteration));
  });
  add("device_id", [events](const RankCall& call) {
    const Profile& profile = events->profile();
    return profile.devices[profile.device_of_kernel(call.kernel)].device_id;
  });
  add("start_ns", [](const RankCall& call) { return call.start_ns; });
  add("duration_ns", [](const RankCall& call) { return call.duration_ns(); });
  add("exposed_ns", [](const RankCall& call) { return call.exposed_ns; });
  return table;
}

constexpr std::pair<std::string_view, Stats TimeStats::*> kTimes[] = {
    {"cpu_time", &TimeStats::cpu},
    {"gpu_time", &TimeStats::gpu},
    {"api_time", &TimeStats::api},
    {"cpu_overhead", &TimeStats::overhead},
    {"gpu_idle", &TimeStats::idle}};

Table ops(const SharedEvents& events) {
  Table table = table_of("ops", events->aggregation().ops.size());
  Columns& columns = table.columns;
  add_op_columns(columns, events, false,
                 [events](std::size_t row) { return events->aggregation().ops[row].op; });
  const auto add = [&](std::string id, auto number) {
    add_integer(columns, std::move(id), [events, number](std::size_t row) {
      return Cell(int64_t{number(events->aggregation().ops[row])});
    });
  };
  add("calls", [](const OpAggregate& op) { return op.times.count(); });
  for (const auto& time : kTimes) {
    const std::string name(time.first);
    const auto stats = time.second;
    add(name + "_sum_ns", [stats](const OpAggregate& op) { return (op.times.*stats).sum; });
    add(name + "_min_ns", [stats](const OpAggregate& op) { return (op.times.*stats).min; });
    add(name + "_max_ns", [stats](const OpAggregate& op) { return (op.times.*stats).max; });
  }
  add("kernels", [](const OpAggregate& op) { return op.kernel_gpu.count; });
  add("kernel_time_ns", [](const OpAggregate& op) { return op.kernel_gpu.sum; });
  add("tensor_core_kernels", [](const OpAggregate& op) { return op.tensor_core_kernels; });
  add("tensor_core_time_ns", [](const OpAggregate& op) { return op.tensor_core_gpu_ns; });
  return table;
}

}  // namespace

std::vector<Table> event_tables(const std::shared_ptr<const Profile>& profile,
                                const std::shared_ptr<const Aggregation>& aggregation) {
  const auto events = std::make_shared<const Events>(profile, aggregation);
  return {kernels(events), op_instances(events), iterations(events), collectives(events),
          ops(events)};
}

}  // namespace dlview::report::parquet
