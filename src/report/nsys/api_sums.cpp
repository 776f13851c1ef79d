// API calls by name, and kernels by the way they took: from the call that launched them through the
// queue to their end.

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>

#include "report/nsys/cells.h"
#include "report/nsys/declarations.h"
#include "report/nsys/gpu_events.h"
#include "report/nsys/summary.h"

namespace dlview::report::nsys {
namespace {

using aggregate::Unit;
using profile::StringId;

// Texts that are equal without their version share the id of the first of them.
class CallNames {
 public:
  explicit CallNames(const profile::Profile& profile) : profile_(profile) {}

  int64_t id(StringId name) {
    const auto [known, is_new] = ids_.try_emplace(name, name);
    if (is_new) {
      known->second = by_text_.try_emplace(call_label(text_of(profile_, name)), name).first->second;
    }
    return known->second;
  }

 private:
  const profile::Profile& profile_;
  std::unordered_map<StringId, StringId> ids_;
  std::unordered_map<std::string_view, StringId> by_text_;
};

// The place of a name among those of the file.
int64_t place_of(const profile::Trace& trace, int64_t name) {
  const auto id = static_cast<std::size_t>(name);
  return id < trace.text_ids.size() ? trace.text_ids[id] : name;
}

struct Execution {
  int64_t process_id = 0, thread_id = 0, device_id = 0;
  std::string_view call, kernel;
  Figures total, api, queue, gpu;
};

// The queue counts where the kernel began when its call had ended or later: 0 ns in it are a time
// in the queue too.
void fill_figures(const profile::Trace& trace, std::span<const Launch> launches,
                  std::span<const std::size_t> rows, Execution& execution) {
  std::vector<int64_t> total, api, queue, gpu;
  for (const std::size_t row : rows) {
    const auto [kernel, call] = launches[row];
    const int64_t call_start = trace.api_calls.start_ns[call],
                  call_end = trace.api_calls.end_ns[call],
                  kernel_start = trace.kernels.start_ns[kernel],
                  kernel_end = trace.kernels.end_ns[kernel];
    total.push_back(std::max(call_end, kernel_end) - call_start);
    api.push_back(call_end - call_start);
    if (kernel_start >= call_end) queue.push_back(kernel_start - call_end);
    gpu.push_back(kernel_end - kernel_start);
  }
  execution.total = figures_of(total);
  execution.api = figures_of(api);
  execution.queue = figures_of(queue);
  execution.gpu = figures_of(gpu);
}

// By thread, device, call and kernel; the longest way first.
std::vector<Execution> gather_executions(const Input& input) {
  const profile::Trace& trace = input.trace();
  std::vector<Launch> launches = find_launches(input);
  std::erase_if(launches, [](const Launch& launch) { return launch.call == Launches::kNone; });
  std::vector<std::size_t> rows(launches.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  CallNames names(input.profile);
  const Groups<4> groups = group_by<4>(rows, [&](std::size_t row) {
    const auto [kernel, call] = launches[row];
    return Key<4>{trace.api_calls.thread[call], trace.kernels.device_id[kernel],
                  names.id(trace.api_calls.name[call]), trace.kernels.demangled_name[kernel]};
  });
  std::vector<Execution> executions(groups.size());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const auto& [thread, device, call, kernel] = groups.keys[group];
    Execution& execution = executions[group];
    const profile::Thread numbers = trace.numbers_of(thread);
    execution.process_id = numbers.process_id;
    execution.thread_id = numbers.thread_id;
    execution.device_id = device;
    execution.call = call_label(text_of(input.profile, call));
    execution.kernel = text_of(input.profile, kernel);
    fill_figures(trace, launches, groups.rows(group), execution);
  }
  std::stable_sort(executions.begin(), executions.end(), [](const auto& a, const auto& b) {
    const double average_a = a.total.stats.average(), average_b = b.total.stats.average();
    if (average_a != average_b) return average_a > average_b;
    return std::tie(a.call, a.kernel) < std::tie(b.call, b.kernel);
  });
  return executions;
}

}  // namespace

std::optional<Table> cuda_api_sum(const Input& input) {
  const profile::TraceApiCalls& calls = input.trace().api_calls;
  if (!is_recorded(calls.name, calls.size())) return std::nullopt;
  const std::vector<std::size_t> rows = input.rows(calls.start_ns);
  if (rows.empty()) return std::nullopt;
  // Versions of a call stand apart, and calls of equal times in the order of StringIds, as in nsys.
  const auto summary = summarize<1>(
      rows, [&calls](std::size_t row) { return Key<1>{calls.name[row]}; },
      [&calls](std::size_t row) { return calls.end_ns[row] - calls.start_ns[row]; },
      [&](const Key<1>& a, const Key<1>& b) {
        return place_of(input.trace(), a[0]) < place_of(input.trace(), b[0]);
      });
  Table table = time_table(summary, "num_calls", "Num Calls");
  table.columns.push_back(
      text_column("name", "Name", [summary, &profile = input.profile](std::size_t row) {
        return call_label(text_of(profile, summary->rows[row].key[0]));
      }));
  return table;
}

std::optional<Table> cuda_kern_exec_sum(const Input& input) {
  const profile::Trace& trace = input.trace();
  const profile::TraceKernels& kernels = trace.kernels;
  if (!are_tied(kernels, trace.api_calls) || !is_recorded(kernels.device_id, kernels.size()) ||
      !is_recorded(kernels.demangled_name, kernels.size()) ||
      !is_recorded(trace.api_calls.name, trace.api_calls.size())) {
    return std::nullopt;
  }
  const auto rows = std::make_shared<const std::vector<Execution>>(gather_executions(input));
  if (rows->empty()) return std::nullopt;
  Table table;
  table.row_count = rows->size();
  const auto number = [&](std::string id, std::string title, Unit unit, auto value) {
    table.columns.push_back(
        integer_column(std::move(id), std::move(title), unit,
                       [rows, value](std::size_t row) { return value((*rows)[row]); }));
  };
  number("pid", "PID", Unit::none, [](const Execution& e) { return e.process_id; });
  number("tid", "TID", Unit::none, [](const Execution& e) { return e.thread_id; });
  number("dev_id", "DevId", Unit::none, [](const Execution& e) { return e.device_id; });
  number("count", "Count", Unit::count, [](const Execution& e) { return e.total.stats.count; });
  number("q_count", "QCount", Unit::count, [](const Execution& e) { return e.queue.stats.count; });
  const auto figures = [&](std::string_view prefix, Figures Execution::*member) {
    append_figures(
        table.columns, prefix, Unit::ns,
        [rows, member](std::size_t row) -> const Figures& { return (*rows)[row].*member; });
  };
  figures("T", &Execution::total);
  figures("A", &Execution::api);
  figures("Q", &Execution::queue);
  figures("K", &Execution::gpu);
  table.columns.push_back(
      text_column("api_name", "API Name", [rows](std::size_t row) { return (*rows)[row].call; }));
  table.columns.push_back(text_column("kernel_name", "Kernel Name",
                                      [rows](std::size_t row) { return (*rows)[row].kernel; }));
  return table;
}

}  // namespace dlview::report::nsys
