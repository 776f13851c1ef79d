// What aggregate/host_events.h finds, found the obvious way: each question looks at all events.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"

namespace dlview::testing {

class HostEventsReference {
 public:
  using Row = profile::Row;

  HostEventsReference(const profile::Profile& profile, const aggregate::Aggregation& aggregation,
                      bool modules)
      : profile_(profile), events_(profile.trace->nvtx), modules_(modules) {
    const aggregate::Iterations& all = aggregation.iteration_table->iterations;
    first_ = all.rows[static_cast<std::size_t>(aggregation.selection.range.first)];
    last_ = all.rows[static_cast<std::size_t>(aggregation.selection.range.last)];
    is_split_ = all.key_instances > 0;
    for (Row row = 0; row < events_.size(); ++row) {
      if (takes(row)) rows.push_back(row);
    }
  }

  std::vector<Row> rows;  // of Trace::nvtx

  int64_t duration(Row row) const { return events_.end_ns[row] - events_.start_ns[row]; }
  bool is_in_range(int64_t ns) const {
    return !is_split_ || (ns >= first_.start_ns && ns <= last_.stop_ns);
  }
  bool begins_in_range(Row row) const { return is_in_range(events_.start_ns[row]); }
  // The event is further inside, or later.
  bool is_behind(Row row, Row other) const {
    if (events_.start_ns[row] != events_.start_ns[other]) {
      return events_.start_ns[row] > events_.start_ns[other];
    }
    if (events_.end_ns[row] != events_.end_ns[other]) {
      return events_.end_ns[row] < events_.end_ns[other];
    }
    return row > other;
  }
  std::optional<Row> parent(Row row) const {
    std::optional<Row> found;
    for (const Row other : rows) {
      const bool holds = events_.thread[other] == events_.thread[row] && is_behind(row, other) &&
                         events_.end_ns[row] <= events_.end_ns[other] &&
                         events_.end_ns[other] > events_.start_ns[row];
      if (holds && (!found || is_behind(other, *found))) found = other;
    }
    return found;
  }
  // The event and those around it, the innermost first.
  std::vector<Row> around(std::optional<Row> row) const {
    std::vector<Row> found;
    for (; row; row = parent(*row)) found.push_back(*row);
    return found;
  }
  std::optional<Row> open_at(profile::Thread thread, int64_t ns) const {
    std::optional<Row> found;
    for (const Row row : rows) {
      const bool is_open = profile_.trace->numbers_of(events_.thread[row]) == thread &&
                           events_.start_ns[row] <= ns && ns <= events_.end_ns[row];
      if (is_open && (!found || is_behind(row, *found))) found = row;
    }
    return found;
  }
  // The keys of the event and of those around it, each once; `key_of(row)` returns that of a row.
  template <typename KeyOf>
  std::set<std::string> keys_around(std::optional<Row> row, const KeyOf& key_of) const {
    std::set<std::string> keys;
    for (const Row each : around(row)) keys.insert(key_of(each));
    return keys;
  }
  // The times of the events of each key that begin in the range; in total, an event in one of the
  // same key does not count.
  struct HostTimes {
    int64_t calls = 0, total_ns = 0, self_ns = 0;
  };
  template <typename KeyOf>
  std::map<std::string, HostTimes> host_times_by(const KeyOf& key_of) const {
    std::map<std::string, HostTimes> times;
    for (const Row row : rows) {
      const std::optional<Row> outer = parent(row);
      if (outer && begins_in_range(*outer)) times[key_of(*outer)].self_ns -= duration(row);
      if (!begins_in_range(row)) continue;
      HostTimes& sum = times[key_of(row)];
      ++sum.calls;
      sum.self_ns += duration(row);
      if (!keys_around(outer, key_of).contains(key_of(row))) sum.total_ns += duration(row);
    }
    return times;
  }
  // Calls use(thread, start of the call, GPU time) for each kernel of the range.
  template <typename Use>
  void for_each_kernel(const Use& use) const {
    const profile::Kernels& kernels = profile_.kernels;
    for (profile::KernelIndex k{0}; k < kernels.size(); ++k) {
      const profile::InstanceIndex instance = kernels.instance[k];
      if (instance < first_.first_instance || instance >= last_.last_instance) continue;
      use(profile_.threads[profile_.launches.thread[kernels.launch[k]]], kernels.api_start_ns[k],
          kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k]);
    }
  }

 private:
  bool takes(Row row) const {
    const profile::HostEventKind kind = events_.event_kind[row];
    return modules_
               ? kind == profile::HostEventKind::module
               : kind == profile::HostEventKind::op || kind == profile::HostEventKind::annotation;
  }

  const profile::Profile& profile_;
  const profile::TraceNvtx& events_;
  bool modules_, is_split_ = false;
  aggregate::Iteration first_, last_;
};

}  // namespace dlview::testing
