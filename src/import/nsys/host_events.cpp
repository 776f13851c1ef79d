#include "import/nsys/host_events.h"

#include <utility>
#include <vector>

namespace dlview::import::nsys {
namespace {

using Integers = std::vector<int64_t>;
using Ids = std::vector<profile::StringId>;

base::Status read_api_calls(Context& context, profile::TraceApiCalls& calls) {
  Integers start_ns, end_ns, thread, correlation, return_value;
  std::vector<int16_t> event_class;
  Ids name;
  const ColumnSpec columns[] = {{"eventClass", &event_class},
                                {"globalTid", &thread},
                                {"correlationId", &correlation},
                                {"nameId", StringIdsColumn{&name}},
                                {"returnValue", &return_value}};
  const base::Status status =
      read_events(context, {"CUPTI_ACTIVITY_KIND_RUNTIME", "Reading CUDA API calls"}, start_ns,
                  end_ns, columns);
  calls.start_ns = std::move(start_ns);
  calls.end_ns = std::move(end_ns);
  calls.event_class = std::move(event_class);
  calls.thread = std::move(thread);
  calls.correlation = std::move(correlation);
  calls.name = std::move(name);
  calls.return_value = std::move(return_value);
  return status;
}

// Tables of one kind of call, one after the other.
base::Status read_calls(Context& context, std::span<const EventTable> tables,
                        const char* name_column, profile::TraceCalls& calls) {
  Integers start_ns, end_ns, thread;
  Ids name;
  const ColumnSpec columns[] = {{"globalTid", &thread}, {name_column, StringIdsColumn{&name}}};
  for (const EventTable& table : tables) {
    calls.tables.push_back({table.name, start_ns.size()});
    base::Status status = read_events(context, table, start_ns, end_ns, columns);
    if (!status) return status;
    // A table may lack a column that the next one has.
    thread.resize(start_ns.size(), profile::kNoValue);
    name.resize(start_ns.size(), profile::kNoText);
  }
  calls.start_ns = std::move(start_ns);
  calls.end_ns = std::move(end_ns);
  calls.thread = std::move(thread);
  calls.name = std::move(name);
  return base::Success{};
}

constexpr EventTable kOsCalls[] = {{"OSRT_API", "Reading OS runtime calls"}};
constexpr EventTable kMpiCalls[] = {{"MPI_P2P_EVENTS", "Reading MPI calls"},
                                    {"MPI_START_WAIT_EVENTS", "Reading MPI calls"},
                                    {"MPI_COLLECTIVES_EVENTS", "Reading MPI calls"},
                                    {"MPI_OTHER_EVENTS", "Reading MPI calls"}};

}  // namespace

base::Status read_host_events(Context& context, profile::Trace& trace) {
  if (auto status = read_api_calls(context, trace.api_calls); !status) return status;
  if (auto status = read_calls(context, kOsCalls, "nameId", trace.os_calls); !status) return status;
  return read_calls(context, kMpiCalls, "textId", trace.mpi_calls);
}

}  // namespace dlview::import::nsys
