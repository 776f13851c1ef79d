#include "import/pytorch/trace_columns.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/stop_point.h"
#include "import/capture/trace_rows.h"
#include "import/pytorch/call_order.h"
#include "import/pytorch/collectives.h"
#include "import/pytorch/column_of.h"
#include "import/pytorch/sample_columns.h"
#include "import/pytorch/trace_gpus.h"
#include "import/pytorch/trace_texts.h"
#include "import/pytorch/trace_threads.h"
#include "profile/communication.h"
#include "profile/cpp_name.h"
#include "profile/python_frames.h"

namespace dlview::import::pytorch {
namespace {

using profile::Column;
using profile::CopyKind;
using profile::Dim3;
using profile::MemoryKind;
using profile::ProfileBuilder;
using profile::Row;
using profile::ThreadId;
using profile::Trace;
using std::string_view;

// A time above this, in ns, counts from 1970.
constexpr int64_t kEpochNs = 1'000'000'000'000'000'000;

class Arranger {
 public:
  Arranger(TraceEvents& events, ProfileBuilder& builder, QualityLog& quality)
      : events_(events),
        builder_(builder),
        quality_(quality),
        calls_(events.calls, events.threads),
        vendor_(vendor_of(events.header, calls_, builder)) {
    if (events.span) origin_ns_ = events.span->start_ns;
  }

  ArrangedTrace arrange();

 private:
  template <typename Events, typename Table>
  void add_times(const Events& events, Table& table) const {
    table.start_ns = column_of<int64_t>(
        events.size(), [&](std::size_t i) { return since(origin_ns_, events[i].start_ns); });
    table.end_ns = column_of<int64_t>(
        events.size(), [&](std::size_t i) { return since(origin_ns_, events[i].stop_ns); });
  }
  template <typename Events>
  void add_work(const Events& events, profile::GpuWork& work) const;
  // The call that caused it; null = not recorded, or it may be of several processes.
  const CallEvent* call_of(const GpuEvent& event) const;
  // The process of the call, or the only one.
  ThreadId process_of(const GpuEvent& event) const;
  void find_processes_of_devices();
  // That whose event the call of a GPU activity lies in; kNoRow = none.
  Row collective_of(const GpuEvent& event) const;
  void find_collectives();
  void add_collectives();
  void add_kernels();
  void add_memory_ops();
  void add_sync_events();
  void add_overheads();
  void add_syncs();
  void add_calls();
  void add_ranges();

  TraceEvents& events_;
  ProfileBuilder& builder_;
  QualityLog& quality_;
  const CallOrder calls_;
  const profile::Vendor vendor_;
  // Of GPUs whose activity is of one process wherever only one has a call of its correlation.
  std::map<int64_t, uint32_t> process_of_device_;
  int64_t origin_ns_ = 0;
  FoundCollectives collectives_;
  ThreadId only_process_ = kNoValue;  // kNoValue = there are several, or none
  ArrangedTrace result_;
};

const CallEvent* Arranger::call_of(const GpuEvent& event) const {
  const CallEvent* const call = calls_.find(event.correlation);
  if (call == nullptr || !calls_.is_ambiguous(*call)) return call;
  const auto process = process_of_device_.find(event.device);
  if (process == process_of_device_.end()) return nullptr;
  return calls_.find(event.correlation, process->second);
}

ThreadId Arranger::process_of(const GpuEvent& event) const {
  if (only_process_ != kNoValue) return only_process_;
  const CallEvent* const call = call_of(event);
  return call == nullptr ? kNoValue : profile::process_of(result_.threads[call->thread]);
}

// Merged ranks count their correlations each for itself.
void Arranger::find_processes_of_devices() {
  std::set<int64_t> of_several;
  const auto for_each = [&](const auto& use) {
    const auto use_all = [&use](const auto& events) {
      for (std::size_t i = 0; i < events.size(); ++i) {
        if (i % capture::kRowsAtOnce == 0) base::stop_point();
        use(events[i]);
      }
    };
    use_all(events_.kernels);
    use_all(events_.memcpys);
    use_all(events_.memsets);
    use_all(events_.syncs);
  };
  for_each([&](const GpuEvent& event) {
    const CallEvent* const call = calls_.find(event.correlation);
    if (event.device == kNoValue || call == nullptr || calls_.is_ambiguous(*call)) return;
    const auto [process, is_new] =
        process_of_device_.try_emplace(event.device, calls_.process_of(*call));
    if (!is_new && process->second != calls_.process_of(*call)) of_several.insert(event.device);
  });
  for (const int64_t device : of_several) process_of_device_.erase(device);
  int64_t unknown = 0, first = 0, number = 0;
  for_each([&](const GpuEvent& event) {
    ++number;
    if (call_of(event) != nullptr || calls_.find(event.correlation) == nullptr) return;
    if (unknown++ == 0) first = number;
  });
  if (unknown == 0) return;
  quality_.add_rows("GPU activity", "several processes have a call with its correlation id",
                    unknown, first, [] { return std::string("its process is unknown"); });
}

template <typename Events>
void Arranger::add_work(const Events& events, profile::GpuWork& work) const {
  add_times(events, work);
  const std::size_t count = events.size();
  work.correlation =
      column_of<int64_t>(count, [&](std::size_t i) { return events[i].correlation; });
  work.process = column_of<ThreadId>(count, [&](std::size_t i) { return process_of(events[i]); });
  work.device_id =
      column_of<int32_t>(count, [&](std::size_t i) { return narrow(events[i].device, -1); });
  work.context = column_of<int64_t>(count, [&](std::size_t i) { return events[i].context; });
  work.stream = column_of<int64_t>(count, [&](std::size_t i) { return events[i].stream; });
  if (collectives_.rows.empty()) return;
  work.collective = column_of<Row>(count, [&](std::size_t i) { return collective_of(events[i]); });
}

Row Arranger::collective_of(const GpuEvent& event) const {
  const CallEvent* const call = collectives_.of_call.empty() ? nullptr : call_of(event);
  if (call == nullptr) return profile::kNoRow;
  return collectives_.of_call[static_cast<std::size_t>(call - events_.calls.data())];
}

void Arranger::find_collectives() {
  collectives_ = pytorch::find_collectives(events_, result_.threads, calls_.by_start(), builder_);
  std::unordered_map<StringId, bool> communicates;  // by name
  std::size_t kernels = 0;
  for (KernelEvent& kernel : events_.kernels) {
    if (kernels++ % capture::kRowsAtOnce == 0) base::stop_point();
    const Row row = collective_of(kernel);
    const bool has_arguments = kernel.collective != CollectiveEvent::kNoEvent;
    const CollectiveEvent told =
        has_arguments ? events_.collectives[kernel.collective] : CollectiveEvent();
    kernel.collective = row;
    if (row != profile::kNoRow) {
      if (has_arguments) complete_from_kernel(collectives_.rows[row], told);
      continue;
    }
    const auto [known, is_new] = communicates.try_emplace(kernel.name, false);
    if (is_new) {
      known->second = profile::communication_of(builder_.text(kernel.name)).has_value();
    }
    if (!has_arguments && !known->second) continue;
    kernel.collective = static_cast<Row>(collectives_.rows.size());
    collectives_.rows.push_back(told);
  }
}

void Arranger::add_collectives() {
  const std::vector<CollectiveEvent>& rows = collectives_.rows;
  const std::size_t count = rows.size();
  profile::TraceCollectives& table = result_.trace.collectives;
  const auto host = [&](std::size_t row) -> const HostEvent* {
    const uint32_t event = rows[row].host_event;
    return event == CollectiveEvent::kNoEvent ? nullptr : &events_.host[event];
  };
  table.start_ns = column_of<int64_t>(count, [&](std::size_t i) {
    return host(i) == nullptr ? kNoValue : since(origin_ns_, host(i)->start_ns);
  });
  table.end_ns = column_of<int64_t>(count, [&](std::size_t i) {
    return host(i) == nullptr ? kNoValue : since(origin_ns_, host(i)->stop_ns);
  });
  table.thread = column_of<ThreadId>(count, [&](std::size_t i) {
    return host(i) == nullptr ? kNoValue : result_.threads[host(i)->thread];
  });
  table.is_recorded = column_of<uint8_t>(count, [&](std::size_t i) -> uint8_t {
    return host(i) != nullptr && builder_.text(host(i)->name) == kRecordedCollective ? 1 : 0;
  });
  const auto texts = [&](StringId CollectiveEvent::*field) {
    return column_of<StringId>(count, [&rows, field](std::size_t i) {
      return rows[i].*field == 0 ? profile::kNoText : rows[i].*field;
    });
  };
  const auto numbers = [&](int64_t CollectiveEvent::*field) {
    return column_of<int64_t>(count, [&rows, field](std::size_t i) { return rows[i].*field; });
  };
  table.name = texts(&CollectiveEvent::name);
  table.data_type = texts(&CollectiveEvent::data_type);
  table.group_name = texts(&CollectiveEvent::group_name);
  table.group_description = texts(&CollectiveEvent::group_description);
  table.group_ranks = texts(&CollectiveEvent::group_ranks);
  table.in_elements = numbers(&CollectiveEvent::in_elements);
  table.out_elements = numbers(&CollectiveEvent::out_elements);
  table.group_size = numbers(&CollectiveEvent::group_size);
  table.sequence = numbers(&CollectiveEvent::sequence);
  table.bytes_of_element = column_of<int64_t>(count, [](std::size_t) { return kNoValue; });
}

constexpr bool is_recorded(const Dim3& size) {
  return size.x != 0 || size.y != 0 || size.z != 0;
}

// hipExtModuleLaunchKernel takes the number of threads where other launches take that of blocks.
int32_t blocks_of(int32_t threads, int32_t of_block) {
  return of_block <= 0 ? threads : (threads - 1) / of_block + 1;
}

struct LaunchSize {
  Dim3 grid, block;
};

LaunchSize launch_size(const KernelEvent& kernel, const CallEvent* call, bool counts_threads) {
  LaunchSize size{kernel.grid, kernel.block};
  if (call != nullptr && !is_recorded(size.grid)) size.grid = call->grid;
  if (call != nullptr && !is_recorded(size.block)) size.block = call->block;
  if (counts_threads && is_recorded(size.grid)) {
    size.grid = {blocks_of(size.grid.x, size.block.x), blocks_of(size.grid.y, size.block.y),
                 blocks_of(size.grid.z, size.block.z)};
  }
  return size;
}

// "vectorized_elementwise_kernel" of "void at::native::vectorized_elementwise_kernel<4, ...>(int)".
std::string short_name_of(string_view demangled) {
  const std::optional<profile::CppName> name = profile::read_cpp_name(demangled);
  return name ? name->last().text : std::string(demangled);
}

constexpr bool is_percent(int64_t value) {
  return value >= 0 && value <= 100;
}

// The nearest whole number of millionths, of two the larger; kNoValue = not recorded. A grid has
// fewer than 2^63 blocks of at most 32 warps, but a damaged file may hold any number.
int64_t millionths(double value) {
  constexpr double kMost = 1e12;
  return value >= 0 && value <= kMost ? std::llround(value * 1e6) : kNoValue;
}

void Arranger::add_kernels() {
  const base::LargeVector<KernelEvent>& kernels = events_.kernels;
  profile::TraceKernels& table = result_.trace.kernels;
  add_work(kernels, table);
  if (!collectives_.rows.empty()) {
    table.collective =
        column_of<Row>(kernels.size(), [&](std::size_t i) { return kernels[i].collective; });
  }
  const bool is_amd = vendor_ == profile::Vendor::amd;
  std::unordered_map<StringId, StringId> short_names;
  std::unordered_map<StringId, bool> counting;  // calls whose grid counts threads
  std::vector<StringId> short_name_of_row;
  std::vector<LaunchSize> sizes;
  short_name_of_row.reserve(kernels.size());
  sizes.reserve(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (i % capture::kRowsAtOnce == 0) base::stop_point();
    const auto [short_name, is_new] = short_names.try_emplace(kernels[i].name, 0);
    if (is_new) {
      short_name->second = builder_.intern(short_name_of(builder_.text(kernels[i].name)));
    }
    short_name_of_row.push_back(short_name->second);
    const CallEvent* const call = is_amd ? call_of(kernels[i]) : nullptr;
    bool counts_threads = false;
    if (call != nullptr) {
      const auto [known, is_new_call] = counting.try_emplace(call->name, false);
      if (is_new_call) {
        known->second = builder_.text(call->name) == "hipExtModuleLaunchKernel";
      }
      counts_threads = known->second;
    }
    sizes.push_back(launch_size(kernels[i], call, counts_threads));
  }
  const std::size_t count = kernels.size();
  table.short_name = std::move(short_name_of_row);
  table.demangled_name = column_of<StringId>(count, [&](std::size_t i) { return kernels[i].name; });
  const bool has_sizes =
      std::ranges::any_of(sizes, [](const LaunchSize& size) { return is_recorded(size.grid); });
  if (has_sizes) {
    table.grid = column_of<Dim3>(count, [&](std::size_t i) { return sizes[i].grid; });
    table.block = column_of<Dim3>(count, [&](std::size_t i) { return sizes[i].block; });
  }
  const auto has = [&](const auto& value) { return std::ranges::any_of(kernels, value); };
  if (has([](const KernelEvent& each) { return each.graph_node != kNoValue; })) {
    table.graph_node =
        column_of<int64_t>(count, [&](std::size_t i) { return kernels[i].graph_node; });
  }
  if (has([](const KernelEvent& each) { return each.registers_per_thread != kNoValue; })) {
    table.registers_per_thread = column_of<int32_t>(
        count, [&](std::size_t i) { return narrow(kernels[i].registers_per_thread, -1); });
  }
  if (has([](const KernelEvent& each) { return each.shared_bytes != kNoValue; })) {
    table.shared_bytes =
        column_of<int64_t>(count, [&](std::size_t i) { return kernels[i].shared_bytes; });
  }
  if (has([](const KernelEvent& each) { return is_percent(each.occupancy_percent); })) {
    table.occupancy_percent = column_of<int32_t>(count, [&](std::size_t i) {
      const int64_t percent = kernels[i].occupancy_percent;
      return is_percent(percent) ? static_cast<int32_t>(percent) : -1;
    });
  }
  if (has([](const KernelEvent& each) { return millionths(each.blocks_per_sm) != kNoValue; })) {
    table.blocks_per_sm_millionths = column_of<int64_t>(
        count, [&](std::size_t i) { return millionths(kernels[i].blocks_per_sm); });
  }
  if (has([](const KernelEvent& each) { return millionths(each.warps_per_sm) != kNoValue; })) {
    table.warps_per_sm_millionths = column_of<int64_t>(
        count, [&](std::size_t i) { return millionths(kernels[i].warps_per_sm); });
  }
  events_.kernels = {};
}

void Arranger::add_memory_ops() {
  std::unordered_map<StringId, MemoryKinds> known;
  const auto kinds_of = [&](const base::LargeVector<MemoryEvent>& events) {
    std::vector<MemoryKinds> kinds;
    for (const MemoryEvent& event : events) {
      const StringId text = event.direction == 0 ? event.name : event.direction;
      const auto [entry, is_new] = known.try_emplace(text);
      if (is_new) entry->second = memory_kinds_of(builder_.text(text));
      kinds.push_back(entry->second);
    }
    return kinds;
  };
  const auto bytes_of = [](const base::LargeVector<MemoryEvent>& events) {
    return column_of<int64_t>(events.size(), [&](std::size_t i) { return events[i].bytes; });
  };
  profile::TraceMemcpys& copies = result_.trace.memcpys;
  add_work(events_.memcpys, copies);
  copies.bytes = bytes_of(events_.memcpys);
  const std::vector<MemoryKinds> of_copy = kinds_of(events_.memcpys);
  copies.copy_kind =
      column_of<CopyKind>(of_copy.size(), [&](std::size_t i) { return of_copy[i].copy; });
  copies.src_kind =
      column_of<MemoryKind>(of_copy.size(), [&](std::size_t i) { return of_copy[i].source; });
  copies.dst_kind =
      column_of<MemoryKind>(of_copy.size(), [&](std::size_t i) { return of_copy[i].target; });
  profile::TraceMemsets& memsets = result_.trace.memsets;
  add_work(events_.memsets, memsets);
  memsets.bytes = bytes_of(events_.memsets);
  const std::vector<MemoryKinds> of_memset = kinds_of(events_.memsets);
  memsets.memory_kind =
      column_of<MemoryKind>(of_memset.size(), [&](std::size_t i) { return of_memset[i].target; });
  result_.trace.names_copy_kinds = true;
  events_.memcpys = {};
  events_.memsets = {};
}

void Arranger::add_sync_events() {
  const base::LargeVector<SyncEvent>& syncs = events_.syncs;
  const std::size_t count = syncs.size();
  profile::TraceSyncEvents& table = result_.trace.sync_events;
  add_times(syncs, table);
  table.device_id = column_of<int32_t>(
      count, [&](std::size_t i) { return std::max(narrow(syncs[i].device, -1), -1); });
  table.stream = column_of<int64_t>(count, [&](std::size_t i) { return syncs[i].stream; });
  table.name = column_of<StringId>(
      count, [&](std::size_t i) { return syncs[i].kind == 0 ? syncs[i].name : syncs[i].kind; });
  table.event = column_of<int64_t>(count, [&](std::size_t i) { return syncs[i].event; });
  table.waits_for_stream =
      column_of<int64_t>(count, [&](std::size_t i) { return syncs[i].waits_for_stream; });
}

void Arranger::add_overheads() {
  const base::LargeVector<OverheadEvent>& overheads = events_.overheads;
  profile::TraceOverheads& table = result_.trace.overheads;
  add_times(overheads, table);
  table.name =
      column_of<StringId>(overheads.size(), [&](std::size_t i) { return overheads[i].name; });
}

// As CUPTI's kinds in Trace: 1 device or context, 2 event, 3 stream. Level Zero's queues, lists of
// commands and fences are of a stream: "zeCommandQueueSynchronize".
int32_t sync_type_of(string_view name) {
  const auto has = [name](string_view word) { return name.find(word) != string_view::npos; };
  if (has("Event")) return 2;
  return has("Stream") || has("Queue") || has("CommandList") || has("Fence") ? 3 : 1;
}

// Calls named for a synchronization, unless the trace has an event of its own for it.
void Arranger::add_syncs() {
  base::LargeVector<SyncEvent> syncs;
  std::vector<int32_t> types;
  std::vector<ThreadId> processes;
  // By process and correlation, as ranks count them each for itself.
  std::set<std::pair<ThreadId, int64_t>> recorded;
  for (const SyncEvent& sync : events_.syncs) {
    if (!sync.blocks_host) continue;
    types.push_back(sync_type_of(builder_.text(sync.kind == 0 ? sync.name : sync.kind)));
    processes.push_back(process_of(sync));
    recorded.emplace(processes.back(), sync.correlation);
    syncs.push_back(sync);
  }
  std::unordered_map<StringId, int32_t> known;  // 0 = no synchronization
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const CallEvent& call = calls_[i];
    const auto [type, is_new] = known.try_emplace(call.name, 0);
    if (is_new) {
      const string_view name = builder_.text(call.name);
      if (name.find("Synchronize") != string_view::npos) type->second = sync_type_of(name);
    }
    if (type->second == 0) continue;
    const ThreadId process = profile::process_of(result_.threads[call.thread]);
    if (recorded.contains({process, call.correlation})) continue;
    if (calls_.find(call.correlation, calls_.process_of(call)) != &call) continue;
    SyncEvent sync;
    sync.start_ns = call.start_ns;
    sync.stop_ns = call.stop_ns;
    sync.correlation = call.correlation;
    syncs.push_back(sync);
    types.push_back(type->second);
    processes.push_back(process);
  }
  profile::TraceSyncs& table = result_.trace.syncs;
  add_work(syncs, table);
  table.process = column_of<ThreadId>(syncs.size(), [&](std::size_t i) { return processes[i]; });
  table.sync_type = std::move(types);
  table.event = column_of<int64_t>(
      syncs.size(), [&](std::size_t i) { return syncs[i].event < 0 ? kNoValue : syncs[i].event; });
  events_.syncs = {};
}

void Arranger::add_calls() {
  profile::TraceApiCalls& table = result_.trace.api_calls;
  add_times(calls_, table);
  const std::size_t count = calls_.size();
  table.layer = column_of<profile::ApiLayer>(count, [&](std::size_t i) { return calls_[i].layer; });
  table.thread =
      column_of<ThreadId>(count, [&](std::size_t i) { return result_.threads[calls_[i].thread]; });
  table.correlation =
      column_of<int64_t>(count, [&](std::size_t i) { return calls_[i].correlation; });
  table.name = column_of<StringId>(count, [&](std::size_t i) { return calls_[i].name; });
}

void Arranger::add_ranges() {
  const std::size_t hosts = events_.host.size(), count = hosts + events_.modules.size();
  const auto value_of = [&](std::size_t row, const auto& field) {
    return row < hosts ? field(events_.host[row]) : field(events_.modules[row - hosts]);
  };
  profile::TraceNvtx& table = result_.trace.nvtx;
  table.start_ns = column_of<int64_t>(count, [&](std::size_t row) {
    return since(origin_ns_, value_of(row, [](const auto& event) { return event.start_ns; }));
  });
  table.end_ns = column_of<int64_t>(count, [&](std::size_t row) {
    return since(origin_ns_, value_of(row, [](const auto& event) { return event.stop_ns; }));
  });
  table.kind = column_of<profile::NvtxKind>(
      count, [](std::size_t) { return profile::NvtxKind::push_pop_range; });
  table.thread = column_of<ThreadId>(count, [&](std::size_t row) {
    return result_.threads[value_of(row, [](const auto& event) { return event.thread; })];
  });
  table.text = column_of<StringId>(count, [&](std::size_t row) {
    return value_of(row, [](const auto& event) { return event.name; });
  });
  table.event_kind = column_of<profile::HostEventKind>(count, [&](std::size_t row) {
    using enum profile::HostEventKind;
    if (row >= hosts) {
      return builder_.text(events_.modules[row - hosts].name).starts_with(profile::kModulePrefix)
                 ? module
                 : other;
    }
    const HostEvent::Kind kind = events_.host[row].kind;
    return kind == HostEvent::Kind::op           ? op
           : kind == HostEvent::Kind::annotation ? annotation
                                                 : other;
  });
  const auto inputs = [&](StringId OpInputs::*text) {
    return column_of<StringId>(count, [&, text](std::size_t row) {
      const uint32_t of_event = row < hosts ? events_.host[row].inputs : HostEvent::kNoInputs;
      if (of_event == HostEvent::kNoInputs) return profile::kNoText;
      const StringId id = events_.op_inputs[of_event].*text;
      return id == 0 ? profile::kNoText : id;
    });
  };
  const auto any_has = [&](StringId OpInputs::*text) {
    return std::ranges::any_of(events_.op_inputs,
                               [text](const OpInputs& each) { return each.*text != 0; });
  };
  table.input_shapes = inputs(&OpInputs::dims);
  if (any_has(&OpInputs::types)) table.input_types = inputs(&OpInputs::types);
  if (any_has(&OpInputs::concrete)) table.input_values = inputs(&OpInputs::concrete);
  const bool has_stacks = std::ranges::any_of(
      events_.host, [](const HostEvent& event) { return event.call_stack != 0; });
  if (!has_stacks) return;
  table.call_stack = column_of<StringId>(count, [&](std::size_t row) {
    const StringId stack = row < hosts ? events_.host[row].call_stack : 0;
    return stack == 0 ? profile::kNoText : stack;
  });
}

ArrangedTrace Arranger::arrange() {
  Trace& trace = result_.trace;
  trace.capture.recorder = profile::Recorder::pytorch_profiler;
  result_.threads = number_threads(events_.threads, trace);
  std::set<ThreadId> processes;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    processes.insert(profile::process_of(result_.threads[calls_[i].thread]));
  }
  if (calls_.size() == 0) {
    for (const HostEvent& event : events_.host) {
      processes.insert(profile::process_of(result_.threads[event.thread]));
    }
  }
  if (processes.size() == 1) only_process_ = *processes.begin();
  base::stop_point();
  if (processes.size() > 1) find_processes_of_devices();
  find_collectives();
  add_kernels();
  add_memory_ops();
  add_sync_events();
  add_overheads();
  add_syncs();
  add_calls();
  add_ranges();
  add_gpus(events_, vendor_, trace);
  add_collectives();
  const SampledRows samples{events_, builder_, origin_ns_, result_.threads, trace};
  add_allocations(samples);
  add_counters(samples);
  events_.calls = {};
  if (events_.span) {
    trace.duration_ns = since(origin_ns_, events_.span->stop_ns);
    const std::optional<int64_t> base_ns = events_.header.base_time_ns;
    int64_t start_ns = origin_ns_;
    if (base_ns && !__builtin_add_overflow(*base_ns, origin_ns_, &start_ns)) {
      trace.utc_start_ns = start_ns;
    } else if (origin_ns_ > kEpochNs) {
      trace.utc_start_ns = origin_ns_;
    }
  }
  return std::move(result_);
}

}  // namespace

ArrangedTrace arrange_trace(TraceEvents& events, ProfileBuilder& builder, QualityLog& quality) {
  return Arranger(events, builder, quality).arrange();
}

}  // namespace dlview::import::pytorch
