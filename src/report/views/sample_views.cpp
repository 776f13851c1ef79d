#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/host/host_record.h"
#include "aggregate/host/sample_tree.h"
#include "aggregate/limits/gpu_samples.h"
#include "aggregate/memory_use.h"
#include "base/units.h"
#include "profile/thread_name.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::GpuSamples;
using aggregate::SampledMetric;
using aggregate::SampledRow;
using profile::GpuMetric;
using profile::kNoRow;
using profile::Profile;

// By number; the same as in other views, where the GPU did any work.
int64_t number_of(const Profile& profile, const SampledMetric& metric) {
  return metric.device == kNoRow ? metric.gpu : profile.devices[metric.device].device_id;
}

// Why a row has no verdict, or no values.
std::string note_of(const Profile& profile, const GpuSamples& samples, const SampledRow& row) {
  if (row.samples.is_shown()) {
    return row.samples.samples >= aggregate::kLeastSamplesOfVerdict
               ? ""
               : "Too few samples to name a limit";
  }
  int64_t period_ns = 0;
  for (profile::DeviceIndex device{0}; device < profile.devices.size(); ++device) {
    period_ns = std::max(period_ns, samples.period_ns(device));
  }
  const int64_t kernel_ns = row.launches > 0 ? row.time_ns / row.launches : 0;
  if (kernel_ns >= 2 * period_ns) return "Fewer than two samples while it runs alone";
  return fmt::format("Sampled every {}; a kernel lasts {}", base::format_duration(period_ns),
                     base::format_duration(kernel_ns));
}

struct RowsOfSamples {
  explicit RowsOfSamples(const Profile& of) : profile(of), samples(of) {}
  const Profile& profile;
  GpuSamples samples;
  std::vector<SampledRow> rows;
};

// The columns that the tables by kernel, op and iteration have.
void append_sample_columns(Table& table, const std::shared_ptr<const RowsOfSamples>& all) {
  table.row_count = all->rows.size();
  const auto add = [&](ColumnId id, auto value) {
    table.columns.push_back(
        column(id, [all, value](std::size_t i) -> Cell { return value(all->rows[i]); }));
  };
  const auto mean = [&add](ColumnId id, GpuMetric metric) {
    add(id, [metric](const SampledRow& row) {
      const auto value = row.samples.of(metric);
      return row.samples.is_shown() && value ? Cell(*value) : Cell();
    });
  };
  mean("sm_active", GpuMetric::sm_active);
  mean("sm_issue", GpuMetric::sm_issue);
  mean("tensor_active", GpuMetric::tensor_active);
  mean("dram_read", GpuMetric::dram_read);
  mean("dram_write", GpuMetric::dram_write);
  add("samples", [](const SampledRow& row) { return row.samples.samples; });
  add("coverage", [](const SampledRow& row) { return row.coverage(); });
}

void append_verdict_columns(Table& table, const std::shared_ptr<const RowsOfSamples>& all) {
  table.columns.push_back(column("sample_limit", [all](std::size_t i) -> Cell {
    const aggregate::Limit limit = all->rows[i].samples.limit();
    switch (limit) {
      case aggregate::Limit::memory:
        return std::string_view("memory");
      case aggregate::Limit::math:
        return std::string_view("math");
      case aggregate::Limit::both:
        return std::string_view("both");
      default:
        return {};
    }
  }));
  table.columns.push_back(column("sample_note", [all](std::size_t i) -> Cell {
    return note_of(all->profile, all->samples, all->rows[i]);
  }));
}

struct CpuSamples {
  explicit CpuSamples(const Input& input)
      : profile(input.profile),
        record(input.profile),
        time(aggregate::sampled_time(input.aggregation)) {}
  const Profile& profile;
  aggregate::HostRecord record;
  base::Interval time;

  // "python 1823 · thread 1901", with the name of the thread where it has one.
  std::string name_of(const aggregate::HostThread& thread) const {
    const profile::Thread numbers = profile.trace->numbers_of(thread.id);
    const profile::ThreadNames names = profile::names_of(*profile.trace, numbers);
    return fmt::format("{}{}{} · {}{}{}", names.process, names.process.empty() ? "" : " ",
                       numbers.process_id, names.thread, names.thread.empty() ? "thread " : " ",
                       numbers.thread_id);
  }
};

template <typename Row>
struct RowsOfThreads {
  explicit RowsOfThreads(const Input& input) : samples(input) {}
  CpuSamples samples;
  struct Entry {
    std::size_t thread = 0;
    Row row;
  };
  std::vector<Entry> rows;
  std::vector<std::string> threads;  // by HostRecord::threads()
};

// make_rows(profile, record, thread, time) returns those of a thread.
template <typename Row, typename MakeRows>
std::shared_ptr<const RowsOfThreads<Row>> rows_by_thread(const Input& input,
                                                         const MakeRows& make_rows) {
  const auto all = std::make_shared<RowsOfThreads<Row>>(input);
  for (const aggregate::HostThread& thread : all->samples.record.threads()) {
    for (const Row& row :
         make_rows(input.profile, all->samples.record, thread, all->samples.time)) {
      all->rows.push_back({all->threads.size(), row});
    }
    all->threads.push_back(all->samples.name_of(thread));
  }
  return all;
}

}  // namespace

Table gpu_metrics(const Input& input) {
  struct Rows {
    explicit Rows(const Profile& profile) : samples(profile) {}
    GpuSamples samples;
    struct Stretch {
      const SampledMetric* metric;
      std::size_t first_row, first_sample;
    };
    std::vector<Stretch> stretches;
    const Stretch& of(std::size_t row) const {
      return *(std::ranges::upper_bound(stretches, row, {}, &Stretch::first_row) - 1);
    }
  };
  const auto rows = std::make_shared<Rows>(input.profile);
  const base::Interval time = aggregate::sampled_time(input.aggregation);
  Table table;
  for (const SampledMetric& metric : rows->samples.metrics()) {
    const aggregate::SampleRange range = metric.curve.in(time);
    if (range.size() == 0) continue;
    rows->stretches.push_back({&metric, table.row_count, range.first});
    table.row_count += range.size();
  }
  const auto add = [&](ColumnId id, auto value) {
    table.columns.push_back(column(id, [rows, value](std::size_t i) -> Cell {
      const auto& stretch = rows->of(i);
      return value(*stretch.metric, stretch.first_sample + i - stretch.first_row);
    }));
  };
  const Profile& profile = input.profile;
  add("gpu",
      [&profile](const SampledMetric& metric, std::size_t) { return number_of(profile, metric); });
  add("metric", [](const SampledMetric& metric, std::size_t) { return metric.name; });
  add("gpu_metrics.start_ns",
      [](const SampledMetric& metric, std::size_t sample) { return metric.curve.time_ns(sample); });
  add("gpu_metrics.value",
      [](const SampledMetric& metric, std::size_t sample) { return metric.curve.value(sample); });
  return table;
}

Table gpu_metric_names(const Input& input) {
  struct Row {
    const SampledMetric* metric;
    aggregate::SampleRange range;
    aggregate::SampleCurve::Summary summary;
  };
  struct Rows {
    explicit Rows(const Profile& profile) : samples(profile) {}
    GpuSamples samples;
    std::vector<Row> rows;
  };
  const auto all = std::make_shared<Rows>(input.profile);
  const base::Interval time = aggregate::sampled_time(input.aggregation);
  for (const SampledMetric& metric : all->samples.metrics()) {
    const aggregate::SampleRange range = metric.curve.in(time);
    all->rows.push_back(
        {&metric, range,
         range.size() > 0 ? metric.curve.of(range) : aggregate::SampleCurve::Summary()});
  }
  Table table;
  table.row_count = all->rows.size();
  const auto add = [&](ColumnId id, auto value) {
    table.columns.push_back(
        column(id, [all, value](std::size_t i) -> Cell { return value(all->rows[i]); }));
  };
  const auto number = [&add](ColumnId id, auto value) {
    add(id, [value](const Row& row) { return row.range.size() > 0 ? Cell(value(row)) : Cell(); });
  };
  const Profile& profile = input.profile;
  add("gpu", [&profile](const Row& row) { return number_of(profile, *row.metric); });
  add("metric", [](const Row& row) { return row.metric->name; });
  add("gpu_metric_names.unit", [](const Row& row) { return row.metric->unit; });
  add("samples", [](const Row& row) { return static_cast<int64_t>(row.range.size()); });
  number("gpu_metric_names.minimum", [](const Row& row) { return row.summary.least; });
  number("gpu_metric_names.mean",
         [](const Row& row) { return row.summary.sum / static_cast<double>(row.range.size()); });
  number("gpu_metric_names.maximum", [](const Row& row) { return row.summary.most; });
  return table;
}

Table gpu_metrics_by_kernel(const Input& input) {
  const auto all = std::make_shared<RowsOfSamples>(input.profile);
  all->rows = all->samples.by_kernel(input.aggregation);
  Table table;
  const Profile& profile = input.profile;
  table.columns.push_back(column(
      "kernel_name", [all, &profile](std::size_t i) { return profile.text(all->rows[i].kernel); }));
  table.columns.push_back(
      column("launches", [all](std::size_t i) { return all->rows[i].launches; }));
  table.columns.push_back(
      column("kernel_time", [all](std::size_t i) { return all->rows[i].time_ns; }));
  append_sample_columns(table, all);
  append_verdict_columns(table, all);
  return table;
}

Table gpu_metrics_by_op(const Input& input) {
  const auto all = std::make_shared<RowsOfSamples>(input.profile);
  all->rows = all->samples.by_op(input.aggregation);
  Table table;
  table.columns.push_back(
      op_column(input, OpText::name, [all](std::size_t i) { return all->rows[i].op; }));
  table.columns.push_back(
      op_column(input, OpText::id, [all](std::size_t i) { return all->rows[i].op; }));
  table.columns.push_back(
      column("launches", [all](std::size_t i) { return all->rows[i].launches; }));
  table.columns.push_back(
      column("kernel_time", [all](std::size_t i) { return all->rows[i].time_ns; }));
  append_sample_columns(table, all);
  append_verdict_columns(table, all);
  return table;
}

Table gpu_metrics_by_iteration(const Input& input) {
  const auto all = std::make_shared<RowsOfSamples>(input.profile);
  all->rows = all->samples.by_iteration(input.aggregation);
  Table table;
  const Profile& profile = input.profile;
  table.columns.push_back(
      column("iter_value", [all](std::size_t i) { return all->rows[i].iteration; }));
  table.columns.push_back(column("gpu", [all, &profile](std::size_t i) {
    return profile.devices[all->rows[i].device].device_id;
  }));
  append_sample_columns(table, all);
  return table;
}

Table cpu_flat(const Input& input) {
  using Row = aggregate::SampledFunction;
  const auto all = rows_by_thread<Row>(input, aggregate::sampled_functions);
  Table table;
  table.row_count = all->rows.size();
  const auto add = [&](ColumnId id, auto value) {
    table.columns.push_back(
        column(id, [all, value](std::size_t i) -> Cell { return value(all->rows[i].row); }));
  };
  const Profile& profile = input.profile;
  table.columns.push_back(column("thread", [all](std::size_t i) -> Cell {
    return std::string_view(all->threads[all->rows[i].thread]);
  }));
  add("cpu_flat.function", [&profile](const Row& row) {
    return aggregate::frame_text(profile, row.function, row.module);
  });
  add("module", [&profile](const Row& row) {
    return row.module == profile::kNoText ? Cell() : Cell(profile.text(row.module));
  });
  add("cpu_flat.self", [](const Row& row) { return row.self; });
  add("cpu_flat.total", [](const Row& row) { return row.total; });
  add("samples", [](const Row& row) { return row.samples; });
  return table;
}

Table cpu_stacks(const Input& input) {
  using Row = aggregate::SampledStack;
  const auto all = rows_by_thread<Row>(input, aggregate::sampled_stacks);
  Table table;
  table.row_count = all->rows.size();
  const Profile& profile = input.profile;
  table.columns.push_back(column("thread", [all](std::size_t i) -> Cell {
    return std::string_view(all->threads[all->rows[i].thread]);
  }));
  table.columns.push_back(column("cpu_stacks.stack", [all, &profile](std::size_t i) -> Cell {
    std::vector<std::string> frames;
    const profile::TraceFrames& table_of = profile.trace->frames;
    for (profile::FrameIndex frame = all->rows[i].row.frame; frame != kNoRow;
         frame = table_of.caller[frame]) {
      frames.push_back(
          aggregate::frame_text(profile, table_of.function[frame], table_of.module[frame]));
      // ";" stands between functions.
      std::ranges::replace(frames.back(), ';', ':');
    }
    if (frames.empty()) return std::string_view("[no call stack]");
    std::ranges::reverse(frames);
    return fmt::format("{}", fmt::join(frames, ";"));
  }));
  table.columns.push_back(
      column("cpu_stacks.weight", [all](std::size_t i) { return all->rows[i].row.weight; }));
  return table;
}

Table memory_usage(const Input& input) {
  struct Rows {
    std::vector<aggregate::MemoryUse> uses;
    std::size_t first = 0;
  };
  const auto all = std::make_shared<Rows>();
  const Profile& profile = input.profile;
  all->uses = aggregate::memory_uses(profile);
  const base::Interval time = aggregate::sampled_time(input.aggregation);
  const auto time_of = [&profile](const aggregate::MemoryUse& use) {
    return profile.trace->memory_usage.time_ns[use.row];
  };
  const auto first = std::ranges::lower_bound(all->uses, time.start_ns, {}, time_of);
  const auto end = std::ranges::upper_bound(first, all->uses.end(), time.stop_ns, {}, time_of);
  all->first = static_cast<std::size_t>(first - all->uses.begin());
  Table table;
  table.row_count = static_cast<std::size_t>(end - first);
  using Usage = profile::TraceMemoryUsage;
  const auto add = [&](ColumnId id, auto value) {
    table.columns.push_back(column(id, [all, value, &profile](std::size_t i) -> Cell {
      return value(profile.trace->memory_usage, all->uses[all->first + i]);
    }));
  };
  using Use = aggregate::MemoryUse;
  add("memory_usage.time_ns",
      [](const Usage& usage, const Use& use) { return usage.time_ns[use.row]; });
  add("memory_usage.device", [](const Usage&, const Use& use) -> Cell {
    const aggregate::MemoryDevice device{use.device.type, use.device.number};
    return to_text(device);
  });
  add("memory_usage.kind", [](const Usage&, const Use& use) -> Cell {
    const std::string_view kind = aggregate::to_text(use.device.kind);
    return kind.empty() ? Cell() : Cell(kind);
  });
  add("memory_usage.operation", [](const Usage& usage, const Use& use) -> Cell {
    if (usage.operation.empty()) return {};
    switch (usage.operation[use.row]) {
      case profile::MemoryOperation::allocation:
        return std::string_view("Allocation");
      case profile::MemoryOperation::deallocation:
        return std::string_view("Free");
      default:
        return {};
    }
  });
  add("bytes", [](const Usage& usage, const Use& use) -> Cell {
    if (usage.bytes.empty() || usage.bytes[use.row] == profile::kNoValue) return {};
    return usage.bytes[use.row];
  });
  add("memory_usage.in_use_bytes", [](const Usage&, const Use& use) { return use.in_use_bytes; });
  add("memory_usage.name", [&profile](const Usage& usage, const Use& use) -> Cell {
    if (usage.name.empty() || usage.name[use.row] == profile::kNoText) return {};
    return profile.text(usage.name[use.row]);
  });
  // Its row in the trace.
  add("memory_key", [](const Usage&, const Use& use) { return fmt::format("{}", use.row); });
  return table;
}

}  // namespace dlview::report::view
