#include "import/nsys/host_events.h"

#include <utility>
#include <vector>

namespace dlview::import::nsys {
namespace {

// TraceProcessEventClass.
profile::ApiLayer layer_of(int16_t event_class) {
  switch (event_class) {
    case 0:
      return profile::ApiLayer::runtime;
    case 1:
      return profile::ApiLayer::driver;
    case 67:
      return profile::ApiLayer::call_stack;
    default:
      return profile::ApiLayer::other;
  }
}

base::Status read_api_calls(Context& context, profile::TraceApiCalls& calls) {
  profile::Column<int16_t> event_class;
  const ColumnSpec columns[] = {{"eventClass", &event_class},
                                {"globalTid", &calls.thread},
                                {"correlationId", &calls.correlation},
                                {"nameId", StringIdsColumn{&calls.name}},
                                {"returnValue", &calls.return_value}};
  DLVIEW_TRY(read_events(context, {kTables.api_calls, "Reading CUDA API calls"}, calls.start_ns,
                         calls.end_ns, columns));
  calls.layer = converted<profile::ApiLayer>(event_class, layer_of);
  return base::Success{};
}

// `values` behind those that there are, at `first`; a table may lack a column that others have.
template <typename T>
void append(std::vector<T>& all, std::size_t first, const profile::Column<T>& values, T lacking) {
  all.resize(first, lacking);
  all.insert(all.end(), values.begin(), values.end());
}

// Tables of one kind of call, one after the other.
base::Status read_calls(Context& context, std::span<const EventTable> tables,
                        const char* name_column, profile::TraceCalls& calls) {
  std::vector<int64_t> start_ns, end_ns, thread;
  std::vector<profile::StringId> name;
  for (const EventTable& table : tables) {
    const std::size_t first = start_ns.size();
    profile::TraceCalls read;
    const ColumnSpec columns[] = {{"globalTid", &read.thread},
                                  {name_column, StringIdsColumn{&read.name}}};
    base::Status status = read_events(context, table, read.start_ns, read.end_ns, columns);
    if (!status) return status;
    calls.tables.push_back({table.name, first});
    append(start_ns, first, read.start_ns, profile::kNoValue);
    append(end_ns, first, read.end_ns, profile::kNoValue);
    append(thread, first, read.thread, profile::kNoValue);
    append(name, first, read.name, profile::kNoText);
  }
  thread.resize(start_ns.size(), profile::kNoValue);
  name.resize(start_ns.size(), profile::kNoText);
  calls.start_ns = std::move(start_ns);
  calls.end_ns = std::move(end_ns);
  calls.thread = std::move(thread);
  calls.name = std::move(name);
  return base::Success{};
}

base::Status read_switches(Context& context, profile::TraceSwitches& switches) {
  const ColumnSpec columns[] = {
      {"globalTid", &switches.thread}, {"cpu", &switches.cpu}, {"isSchedIn", &switches.is_running}};
  return read_instants(context, {"SCHED_EVENTS", "Reading thread states"}, switches.time_ns,
                       columns);
}

constexpr EventTable kOsCalls[] = {{"OSRT_API", "Reading OS runtime calls"}};
constexpr EventTable kMpiCalls[] = {{"MPI_P2P_EVENTS", "Reading MPI calls"},
                                    {"MPI_START_WAIT_EVENTS", "Reading MPI calls"},
                                    {"MPI_COLLECTIVES_EVENTS", "Reading MPI calls"},
                                    {"MPI_OTHER_EVENTS", "Reading MPI calls"}};

}  // namespace

base::Status read_host_events(Context& context, profile::Trace& trace) {
  DLVIEW_TRY(read_api_calls(context, trace.api_calls));
  DLVIEW_TRY(read_calls(context, kOsCalls, "nameId", trace.os_calls));
  DLVIEW_TRY(read_calls(context, kMpiCalls, "textId", trace.mpi_calls));
  return read_switches(context, trace.switches);
}

}  // namespace dlview::import::nsys
