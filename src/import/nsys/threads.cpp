#include "import/nsys/threads.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/blocks.h"
#include "base/number_distinct.h"
#include "base/parallel.h"
#include "base/parallel_algorithms.h"
#include "base/stop_point.h"
#include "import/capture/trace_rows.h"
#include "profile/column_slots.h"

namespace dlview::import::nsys {
namespace {

using profile::Column;
using profile::kNoValue;
using profile::Row;
using profile::ThreadId;
using profile::Trace;

constexpr int64_t kIdBits = 24, kIdMask = 0xffffff;

std::vector<Column<int64_t>*> columns_of(Trace& trace) {
  return {&trace.kernels.process,     &trace.memcpys.process,        &trace.memsets.process,
          &trace.syncs.process,       &trace.graph_launches.process, &trace.api_calls.thread,
          &trace.nvtx.thread,         &trace.nvtx.end_thread,        &trace.os_calls.thread,
          &trace.mpi_calls.thread,    &trace.switches.thread,        &trace.samples.thread,
          &trace.memory_usage.process};
}

using Distinct = base::KeyNumbers<int64_t, std::hash<int64_t>>;

void add_distinct(const Column<int64_t>& column, const ConstantColumns& constants,
                  std::vector<int64_t>& ids) {
  if (column.empty()) return;
  if (constants.hold(column)) {
    ids.push_back(column[0]);
    return;
  }
  base::Blocks<Distinct> blocks(column.size(), capture::kRowsAtOnce);
  blocks.for_each([&](Distinct& found, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) found.find(column[row]);
  });
  for (const Distinct& found : blocks.states()) {
    ids.insert(ids.end(), found.keys().begin(), found.keys().end());
    base::stop_point();
  }
}

// By global id, ascending.
class Numbers {
 public:
  Numbers(std::vector<int64_t> ids, const KnownThreads& known, Trace& trace)
      : ids_(std::move(ids)) {
    int64_t process = kNoValue;
    numbers_.reserve(ids_.size());
    for (const int64_t id : ids_) {
      if (numbers_.size() % capture::kRowsAtOnce == 0) base::stop_point();
      if (global_process(id) != process || trace.processes.empty()) {
        process = global_process(id);
        const auto name = known.processes.find(process);
        trace.processes.push_back({.host = process >> (2 * kIdBits),
                                   .number = (process >> kIdBits) & kIdMask,
                                   .name = name == known.processes.end() ? "" : name->second});
      }
      const profile::ProcessIndex of_process(static_cast<Row>(trace.processes.size() - 1));
      if ((id & kIdMask) == 0) {
        numbers_.push_back(profile::make_thread_id(of_process));
        continue;
      }
      const profile::TraceThreadIndex row(static_cast<Row>(trace.threads.size()));
      numbers_.push_back(profile::make_thread_id(of_process, row));
      const auto thread = known.threads.find(id);
      trace.threads.push_back({.process = of_process, .number = id & kIdMask, .name = ""});
      if (thread == known.threads.end()) continue;
      trace.threads.back().name = thread->second.name;
      trace.threads.back().priority = thread->second.priority;
    }
  }
  ThreadId of(int64_t id) const {
    if (id == kNoValue) return kNoValue;
    return numbers_[static_cast<std::size_t>(std::ranges::lower_bound(ids_, id) - ids_.begin())];
  }

 private:
  std::vector<int64_t> ids_;
  std::vector<ThreadId> numbers_;
};

Column<int64_t> numbered(const Column<int64_t>& column, const Numbers& numbers) {
  profile::ColumnSlots<int64_t> slots(column.size());
  base::parallel_for(column.size(), capture::kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    int64_t last = kNoValue;
    ThreadId number = kNoValue;
    for (std::size_t row = begin; row < end; ++row) {
      if (column[row] != last) {
        last = column[row];
        number = numbers.of(last);
      }
      *slots.at(row) = number;
    }
  });
  return std::move(slots).finish(column.size());
}

}  // namespace

void number_threads(const KnownThreads& known, ConstantColumns& constants, Trace& trace) {
  std::vector<int64_t> ids;
  for (const Column<int64_t>* column : columns_of(trace)) add_distinct(*column, constants, ids);
  for (const auto& [id, name] : known.processes) ids.push_back(id);
  for (const auto& [id, thread] : known.threads) ids.push_back(id);
  for (const profile::NvtxDomain& domain : trace.nvtx_domains) ids.push_back(domain.process);
  base::parallel_sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  if (!ids.empty() && ids.front() == kNoValue) ids.erase(ids.begin());
  const Numbers numbers(std::move(ids), known, trace);
  for (Column<int64_t>* column : columns_of(trace)) {
    if (column->empty()) continue;
    *column = constants.hold(*column) ? constants.of(numbers.of((*column)[0]), column->size())
                                      : numbered(*column, numbers);
  }
  for (profile::NvtxDomain& domain : trace.nvtx_domains) {
    domain.process = numbers.of(domain.process);
  }
}

}  // namespace dlview::import::nsys
