#include "generate/nsys/host_tables.h"

namespace dlview::generate::nsys {
namespace {

using enum NsysSchema;

constexpr ColumnSpec kOsCallColumns[] = {
    {"start INTEGER NOT NULL"}, {"end INTEGER NOT NULL"},  {"eventClass INTEGER NOT NULL"},
    {"globalTid INTEGER"},      {"correlationId INTEGER"}, {"nameId INTEGER NOT NULL"},
    {"returnValue INTEGER"}};
constexpr TableSpec kOsCalls{"OSRT_API", kOsCallColumns};

constexpr ColumnSpec kSwitchColumns[] = {{"start INTEGER NOT NULL"},
                                         {"cpu INTEGER NOT NULL"},
                                         {"isSchedIn INTEGER NOT NULL"},
                                         {"globalTid INTEGER"}};
constexpr TableSpec kSwitches{"SCHED_EVENTS", kSwitchColumns};

constexpr ColumnSpec kSampleColumns[] = {{"id INTEGER NOT NULL PRIMARY KEY"},
                                         {"start INTEGER NOT NULL"},
                                         {"cpu INTEGER"},
                                         {"threadState INTEGER"},
                                         {"globalTid INTEGER"},
                                         {"cpuCycles INTEGER NOT NULL"}};
constexpr TableSpec kSamples{"COMPOSITE_EVENTS", kSampleColumns};

constexpr ColumnSpec kStackColumns[] = {{"id INTEGER NOT NULL"},
                                        {"symbol INTEGER NOT NULL"},
                                        {"module INTEGER NOT NULL"},
                                        {"unresolved INTEGER"},
                                        {"stackDepth INTEGER NOT NULL"}};
constexpr TableSpec kStacks{"SAMPLING_CALLCHAINS", kStackColumns};

constexpr int64_t kRunning = 1;

}  // namespace

HostTables::HostTables(Export& out)
    : out_(out),
      os_calls_(out.file, out.schema, kOsCalls),
      switches_(out.file, out.schema, kSwitches),
      samples_(out.file, out.schema, kSamples),
      stacks_(out.file, out.schema, kStacks) {}

void HostTables::os_call(int64_t start_ns, int64_t end_ns, const profile::Thread& thread,
                         std::string_view name) {
  os_calls_.add({start_ns, end_ns, 27, global_thread(thread), nullptr, out_.strings.id(name), 0});
}

void HostTables::switched(int64_t time_ns, const profile::Thread& thread, int64_t cpu,
                          bool is_running) {
  switches_.add({time_ns, cpu, int64_t{is_running}, global_thread(thread)});
}

void HostTables::sample(int64_t time_ns, const profile::Thread& thread,
                        std::span<const std::string> stack, std::string_view module) {
  const int64_t id = ++last_sample_;
  samples_.add({id, time_ns, 0, kRunning, global_thread(thread), 1'000'000});
  auto depth = static_cast<int64_t>(stack.size());
  for (auto function = stack.rbegin(); function != stack.rend(); ++function) {
    stacks_.add({id, out_.strings.id(std::string_view(*function)), out_.strings.id(module), nullptr,
                 static_cast<int64_t>(stack.size()) - depth--});
  }
}

}  // namespace dlview::generate::nsys
