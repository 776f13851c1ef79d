#include "generate/nsys/event_tables.h"

namespace dlview::generate::nsys {
namespace {

using enum NsysSchema;

constexpr int64_t kContext = 1, kRegisters = 64;
constexpr int64_t kPushPop = 59, kDomainCreate = 75;  // of ENUM_NSYS_EVENT_TYPE

constexpr ColumnSpec kKernelColumns[] = {{"start INTEGER NOT NULL"},
                                         {"end INTEGER NOT NULL"},
                                         {"deviceId INTEGER NOT NULL"},
                                         {"contextId INTEGER NOT NULL"},
                                         {"greenContextId INTEGER", v2026},
                                         {"streamId INTEGER NOT NULL"},
                                         {"correlationId INTEGER"},
                                         {"globalPid INTEGER"},
                                         {"demangledName INTEGER NOT NULL"},
                                         {"shortName INTEGER NOT NULL"},
                                         {"mangledName INTEGER", v2023},
                                         {"launchType INTEGER"},
                                         {"cacheConfig INTEGER"},
                                         {"registersPerThread INTEGER NOT NULL"},
                                         {"gridX INTEGER NOT NULL"},
                                         {"gridY INTEGER NOT NULL"},
                                         {"gridZ INTEGER NOT NULL"},
                                         {"blockX INTEGER NOT NULL"},
                                         {"blockY INTEGER NOT NULL"},
                                         {"blockZ INTEGER NOT NULL"},
                                         {"staticSharedMemory INTEGER NOT NULL"},
                                         {"dynamicSharedMemory INTEGER NOT NULL"},
                                         {"graphNodeId INTEGER"},
                                         {"sharedMemoryLimitConfig INTEGER"},
                                         {"qmdBulkReleaseDone INTEGER", v2026},
                                         {"graphId INTEGER", v2026},
                                         {"clusterX INTEGER", v2026},
                                         {"clusterY INTEGER", v2026},
                                         {"clusterZ INTEGER", v2026},
                                         {"sharedMemoryRequestedPercentage INTEGER", v2026}};
constexpr TableSpec kKernels{"CUPTI_ACTIVITY_KIND_KERNEL", kKernelColumns};

constexpr ColumnSpec kCopyColumns[] = {{"start INTEGER NOT NULL"},
                                       {"end INTEGER NOT NULL"},
                                       {"deviceId INTEGER NOT NULL"},
                                       {"contextId INTEGER NOT NULL"},
                                       {"greenContextId INTEGER", v2026},
                                       {"streamId INTEGER NOT NULL"},
                                       {"correlationId INTEGER"},
                                       {"globalPid INTEGER"},
                                       {"bytes INTEGER NOT NULL"},
                                       {"copyKind INTEGER NOT NULL"},
                                       {"srcKind INTEGER"},
                                       {"dstKind INTEGER"},
                                       {"migrationCause INTEGER"},
                                       {"graphNodeId INTEGER"},
                                       {"virtualAddress INTEGER", v2023},
                                       {"copyCount INTEGER", v2026}};
constexpr TableSpec kCopies{"CUPTI_ACTIVITY_KIND_MEMCPY", kCopyColumns};

constexpr ColumnSpec kSetColumns[] = {
    {"start INTEGER NOT NULL"},        {"end INTEGER NOT NULL"},
    {"deviceId INTEGER NOT NULL"},     {"contextId INTEGER NOT NULL"},
    {"greenContextId INTEGER", v2026}, {"streamId INTEGER NOT NULL"},
    {"correlationId INTEGER"},         {"globalPid INTEGER"},
    {"value INTEGER NOT NULL"},        {"bytes INTEGER NOT NULL"},
    {"graphNodeId INTEGER"},           {"memKind INTEGER"}};
constexpr TableSpec kSets{"CUPTI_ACTIVITY_KIND_MEMSET", kSetColumns};

constexpr ColumnSpec kSynchronizationColumns[] = {{"start INTEGER NOT NULL"},
                                                  {"end INTEGER NOT NULL"},
                                                  {"deviceId INTEGER NOT NULL"},
                                                  {"contextId INTEGER NOT NULL"},
                                                  {"greenContextId INTEGER", v2026},
                                                  {"streamId INTEGER NOT NULL"},
                                                  {"correlationId INTEGER"},
                                                  {"globalPid INTEGER"},
                                                  {"deprecatedSyncType INTEGER", v2026},
                                                  {"syncType INTEGER NOT NULL"},
                                                  {"eventId INTEGER NOT NULL"},
                                                  {"eventSyncId INTEGER", v2026}};
constexpr TableSpec kSynchronizations{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                      kSynchronizationColumns};

constexpr ColumnSpec kCallColumns[] = {
    {"start INTEGER NOT NULL"},       {"end INTEGER NOT NULL"},
    {"eventClass INTEGER NOT NULL"},  {"globalTid INTEGER"},
    {"correlationId INTEGER"},        {"nameId INTEGER NOT NULL"},
    {"returnValue INTEGER NOT NULL"}, {"callchainId INTEGER"}};
constexpr TableSpec kCalls{"CUPTI_ACTIVITY_KIND_RUNTIME", kCallColumns};

constexpr ColumnSpec kRangeColumns[] = {{"start INTEGER NOT NULL"},
                                        {"end INTEGER"},
                                        {"eventType INTEGER NOT NULL"},
                                        {"rangeId INTEGER"},
                                        {"category INTEGER"},
                                        {"color INTEGER"},
                                        {"text TEXT"},
                                        {"globalTid INTEGER"},
                                        {"endGlobalTid INTEGER"},
                                        {"textId INTEGER"},
                                        {"domainId INTEGER"},
                                        {"uint64Value INTEGER"},
                                        {"int64Value INTEGER"},
                                        {"doubleValue REAL"},
                                        {"uint32Value INTEGER"},
                                        {"int32Value INTEGER"},
                                        {"floatValue REAL"},
                                        {"jsonTextId INTEGER", v2023},
                                        {"jsonText TEXT", v2023},
                                        {"binaryData TEXT", v2026}};
constexpr TableSpec kRanges{"NVTX_EVENTS", kRangeColumns};

}  // namespace

EventTables::EventTables(Export& out)
    : out_(out),
      kernels_(out.file, out.schema, kKernels),
      copies_(out.file, out.schema, kCopies),
      sets_(out.file, out.schema, kSets),
      synchronizations_(out.file, out.schema, kSynchronizations),
      calls_(out.file, out.schema, kCalls),
      ranges_(out.file, out.schema, kRanges) {}

void EventTables::kernel(const KernelValues& values) {
  const WorkValues& work = values.work;
  kernels_.add({work.start_ns,
                work.end_ns,
                work.device,
                kContext,
                nullptr,
                work.stream,
                work.correlation,
                global_process(work.thread),
                values.long_name,
                values.short_name,
                values.mangled_name >= 0 ? values.mangled_name : values.short_name,
                1,
                0,
                kRegisters,
                values.grid.x,
                values.grid.y,
                values.grid.z,
                values.block.x,
                values.block.y,
                values.block.z,
                0,
                0});
}

void EventTables::copy(const CopyValues& values) {
  const WorkValues& work = values.work;
  copies_.add({work.start_ns, work.end_ns, work.device, kContext, nullptr, work.stream,
               work.correlation, global_process(work.thread), values.bytes,
               static_cast<int64_t>(values.kind), static_cast<int64_t>(values.from),
               static_cast<int64_t>(values.to)});
}

void EventTables::set(const WorkValues& work, int64_t bytes, profile::MemoryKind kind) {
  sets_.add({work.start_ns, work.end_ns, work.device, kContext, nullptr, work.stream,
             work.correlation, global_process(work.thread), 0, bytes, nullptr,
             static_cast<int64_t>(kind)});
}

void EventTables::synchronization(const WorkValues& work, int64_t type, int64_t event) {
  synchronizations_.add({work.start_ns, work.end_ns, work.device, kContext, nullptr, work.stream,
                         work.correlation, global_process(work.thread), type, type, event});
}

void EventTables::call(const CallValues& values) {
  calls_.add({values.start_ns, values.end_ns, 0, global_thread(values.thread), values.correlation,
              values.name, 0});
}

// Either column may hold the text: programs may register it first.
void EventTables::range(const RangeValues& values) {
  const bool is_registered = out_.schema == v2023;
  const Table::Value end = values.end_ns ? Table::Value(*values.end_ns) : Table::Value(nullptr);
  const Table::Value text = is_registered ? Table::Value(nullptr) : Table::Value(values.text);
  const Table::Value id =
      is_registered ? Table::Value(out_.strings.id(values.text)) : Table::Value(nullptr);
  ranges_.add({values.start_ns,
               end,
               kPushPop,
               nullptr,
               nullptr,
               nullptr,
               text,
               global_thread(values.thread),
               nullptr,
               id,
               values.domain,
               nullptr,
               nullptr,
               nullptr,
               nullptr,
               nullptr,
               nullptr,
               nullptr,
               nullptr,
               values.payload.empty() ? Table::Value(nullptr) : Blob{values.payload}});
}

void EventTables::domain(int64_t time_ns, const profile::Thread& thread, int64_t id,
                         std::string_view name) {
  ranges_.add({time_ns, nullptr, kDomainCreate, nullptr, nullptr, nullptr, name,
               global_thread(thread), nullptr, nullptr, id});
}

}  // namespace dlview::generate::nsys
