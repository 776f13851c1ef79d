// A rank, or all ranks of a host, as an export of Nsight Systems 2026.
#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/unfinished_file.h"
#include "generate/nsys/event_tables.h"
#include "generate/nsys/facts.h"
#include "generate/ranks/rank_file.h"
#include "generate/sqlite_file.h"

namespace dlview::generate::ranks {
namespace {

// NVTX's ids of static schemas begin there; NCCL's own numbers follow. Types of payload entries are
// those of nvToolsExtPayload.h.
constexpr int64_t kStaticSchema = 16'777'216;
constexpr int64_t kUint64 = 18, kInt = 5, kSize = 22;
constexpr int64_t kAllGatherSchema = 4, kAllReduceSchema = 5, kInitSchema = 11,
                  kAllToAllSchema = 16, kReductionType = 24;
constexpr int64_t kNcclDomain = 1;

constexpr nsys::ColumnSpec kSchemaColumns[] = {
    {"domainId INTEGER"}, {"schemaId INTEGER"},   {"name TEXT"},           {"type INTEGER"},
    {"flags INTEGER"},    {"numEntries INTEGER"}, {"payloadSize INTEGER"}, {"alignTo INTEGER"}};
constexpr nsys::TableSpec kSchemas{"NVTX_PAYLOAD_SCHEMAS", kSchemaColumns, NsysSchema::v2026};

constexpr nsys::ColumnSpec kEntryColumns[] = {{"domainId INTEGER NOT NULL"},
                                              {"schemaId INTEGER NOT NULL"},
                                              {"idx INTEGER NOT NULL"},
                                              {"flags INTEGER"},
                                              {"type INTEGER"},
                                              {"name TEXT"},
                                              {"description TEXT"},
                                              {"arrayOrUnionDetail INTEGER"},
                                              {"offset INTEGER"}};
constexpr nsys::TableSpec kEntries{"NVTX_PAYLOAD_SCHEMA_ENTRIES", kEntryColumns, NsysSchema::v2026};

struct PayloadEntry {
  std::string_view name;
  int64_t type = 0, offset = 0;
};
struct PayloadSchema {
  int64_t id = 0, bytes = 0;
  std::vector<PayloadEntry> entries;
};

std::vector<PayloadSchema> nccl_schemas() {
  const PayloadEntry communicator{"NCCL communicator ID", kUint64, 0};
  const PayloadEntry message{"Message size [bytes]", kSize, 8};
  return {
      {kInitSchema,
       24,
       {communicator, {"No. of ranks", kInt, 8}, {"Rank", kInt, 12}, {"CUDA device", kInt, 16}}},
      {kAllReduceSchema,
       24,
       {communicator, message, {"Reduction operation", kStaticSchema + kReductionType, 16}}},
      {kAllGatherSchema, 16, {communicator, message}},
      {kAllToAllSchema, 16, {communicator, message}}};
}

// The bytes of a payload behind its head of domain, schema, size and offset of its end.
class Payload {
 public:
  Payload(int64_t schema, uint64_t bytes) : bytes_(32 + bytes, '\0') {
    put(0, static_cast<uint64_t>(kNcclDomain));
    put(8, static_cast<uint64_t>(kStaticSchema + schema));
    put(16, bytes);
    put(24, 32 + bytes);
  }
  template <typename T>
  Payload& field(std::size_t offset, T value) {
    put(32 + offset, value);
    return *this;
  }
  std::string_view bytes() const { return bytes_; }

 private:
  template <typename T>
  void put(std::size_t offset, T value) {
    for (std::size_t i = 0; i < sizeof(value); ++i) {
      bytes_[offset + i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
    }
  }
  std::string bytes_;
};

class ExportFile : public RankFile {
 public:
  ExportFile(base::UnfinishedFile unfinished, const Plan& plan, const RanksOptions& options,
             const std::vector<const RankPlace*>& places, base::Progress& progress)
      : unfinished_(std::move(unfinished)),
        file_(unfinished_.path(), progress),
        open_(std::make_unique<Open>(file_)),
        out_(open_->out),
        tables_(open_->tables),
        plan_(plan),
        options_(options),
        places_(places) {
    for (const KernelKind& kernel : plan.kernels) {
      short_names_.push_back(out_.strings.id(std::string_view(kernel.name)));
      long_names_.push_back(out_.strings.id(std::string_view(kernel.long_name)));
    }
    launch_ = out_.strings.id(std::string_view("cudaLaunchKernel_v7000"));
    launch_collective_ = out_.strings.id(std::string_view("cudaLaunchKernelExC_v11060"));
    copy_ = out_.strings.id(std::string_view("cudaMemcpyAsync_v3020"));
    synchronize_ = out_.strings.id(std::string_view("cudaStreamSynchronize_v3020"));
    const RankPlace* const first = *std::ranges::min_element(
        places_, {}, [](const RankPlace* place) { return place->capture_start_ns; });
    utc_ns_ = first->utc_ns(first->capture_start_ns);
  }

  void begin_rank(const RankPlace& place) override {
    place_ = &place;
    thread_ = {place.process, place.process};
    backward_thread_ = {place.process, place.process + 61};
    correlation_ = 0;
    if (place.first_iteration > 0 || options_.ranks < 2) return;
    // Communicators are made before the first iteration, and not seen by captures that begin later.
    int64_t at_ns = -1'500'000;
    tables_.domain(time(at_ns - 40'000), thread_, kNcclDomain, "NCCL");
    for (const Family& family : plan_.families) {
      if (family.size < 2) continue;
      const Group& group = plan_.group(family, place.rank);
      Payload payload(kInitSchema, 24);
      payload.field(0, group.communicator)
          .field(8, static_cast<uint32_t>(family.size))
          .field(12, static_cast<uint32_t>(place.rank % family.size))
          .field(16, static_cast<uint32_t>(place.gpu));
      range({time(at_ns), time(at_ns + 350'000), thread_, "ncclCommInitRankConfig", kNcclDomain},
            payload);
      at_ns += 400'000;
    }
  }

  void add(const Record& record) override {
    if (record.iteration < place_->first_iteration) return;
    const std::string step = fmt::format("step {}", record.iteration);
    tables_.range({time(record.start_ns), time(record.end_ns), thread_, step});
    const std::vector<std::size_t> lost = lost_ops(record);
    for (std::size_t i = 0; i < record.ops.size(); ++i) {
      const Record::Op& op = record.ops[i];
      if (std::ranges::find(lost, i) != lost.end()) continue;
      const std::string& name = plan_.ops[op.op].name;
      text_ = name;
      if (op.sequence >= 0) text_ = fmt::format("{}, seq = {}", name, op.sequence);
      tables_.range({time(op.start_ns), time(op.end_ns), thread_of(op), text_});
    }
    for (const Record::Launch& launch : record.launches) {
      if (!launch.is_lost) add_launch(record, launch);
    }
    for (const Record::Copy& copy : record.copies) add_copy(record, copy);
    ++correlation_;
    tables_.call({time(record.sync_start_ns), time(record.sync_end_ns), thread_, correlation_,
                  synchronize_});
    tables_.synchronization({time(record.sync_start_ns), time(record.sync_end_ns), place_->gpu,
                             kComputeStreamOfRank, correlation_, thread_},
                            3, 0);
    last_ns_ = std::max(last_ns_, time(record.end_ns));
  }

  base::Status finish() override {
    write_schemas();
    profile::SystemFacts machine;
    machine.cpu_model = "AMD EPYC 9654 96-Core Processor";
    machine.driver_version = "570.86.15";
    machine.cuda_version = "12.8";
    std::vector<profile::Device> devices;
    for (int64_t gpu = 0; gpu < std::min(options_.ranks, options_.ranks_per_host); ++gpu) {
      devices.push_back(rank_device(gpu));
    }
    std::vector<nsys::ThreadFacts> threads;
    for (const RankPlace* place : places_) {
      threads.push_back({{place->process, place->process}, "python"});
      threads.push_back({{place->process, place->process + 61}, "pt_autograd_0"});
    }
    const nsys::CaptureIdentity identity = identify();
    nsys::write_facts(out_, {machine, devices, std::move(threads), last_ns_, &identity});
    open_.reset();
    DLVIEW_TRY(file_.finish());
    return unfinished_.finish();
  }

 private:
  int64_t time(int64_t true_ns) const { return place_->utc_ns(true_ns) - utc_ns_; }
  const profile::Thread& thread_of(const Record::Op& op) const {
    return op.is_backward ? backward_thread_ : thread_;
  }
  void range(nsys::RangeValues values, const Payload& payload) {
    if (options_.blobs) values.payload = payload.bytes();
    tables_.range(values);
  }

  void add_launch(const Record& record, const Record::Launch& launch) {
    const profile::Thread& thread = thread_of(record.ops[launch.op]);
    ++correlation_;
    if (launch.slot >= 0) add_nccl_range(launch, thread);
    tables_.call({time(launch.api_start_ns), time(launch.api_end_ns), thread, correlation_,
                  launch.slot >= 0 ? launch_collective_ : launch_});
    const KernelKind& kernel = plan_.kernels[launch.kernel];
    tables_.kernel({{time(launch.start_ns), time(launch.end_ns), place_->gpu, launch.stream,
                     correlation_, thread},
                    short_names_[launch.kernel],
                    long_names_[launch.kernel],
                    kernel.grid,
                    kernel.block});
  }

  void add_nccl_range(const Record::Launch& launch, const profile::Thread& thread) {
    const Slot& slot = plan_.slots[static_cast<std::size_t>(launch.slot)];
    const Group& group = plan_.group(plan_.families[slot.family], place_->rank);
    const bool is_reduction = slot.type == CollectiveType::all_reduce;
    const bool is_gather = slot.type == CollectiveType::all_gather;
    Payload payload(is_reduction ? kAllReduceSchema
                    : is_gather  ? kAllGatherSchema
                                 : kAllToAllSchema,
                    is_reduction ? 24 : 16);
    payload.field(0, group.communicator).field(8, static_cast<uint64_t>(slot.message_bytes));
    range(
        {time(launch.api_start_ns - kNcclMarginNs), time(launch.api_end_ns + kNcclMarginNs), thread,
         is_reduction ? "ncclAllReduce"
         : is_gather  ? "ncclAllGather"
                      : "ncclAlltoAll",
         kNcclDomain},
        payload);
  }

  void add_copy(const Record& record, const Record::Copy& copy) {
    const profile::Thread& thread = thread_of(record.ops[copy.op]);
    ++correlation_;
    tables_.call({time(copy.api_start_ns), time(copy.api_end_ns), thread, correlation_, copy_});
    const bool is_to_gpu = copy.kind == profile::CopyKind::host_to_device;
    tables_.copy({{time(copy.start_ns), time(copy.end_ns), place_->gpu, kComputeStreamOfRank,
                   correlation_, thread},
                  copy.bytes,
                  copy.kind,
                  is_to_gpu ? profile::MemoryKind::pageable : profile::MemoryKind::device,
                  is_to_gpu ? profile::MemoryKind::device : profile::MemoryKind::pageable});
  }

  void write_schemas() {
    nsys::Table schemas(file_, NsysSchema::v2026, kSchemas);
    nsys::Table entries(file_, NsysSchema::v2026, kEntries);
    if (options_.ranks < 2) return;
    for (const PayloadSchema& schema : nccl_schemas()) {
      const int64_t id = kStaticSchema + schema.id;
      schemas.add({kNcclDomain, id, nullptr, 1, nullptr, std::ssize(schema.entries), schema.bytes});
      int64_t index = 0;
      for (const PayloadEntry& entry : schema.entries) {
        const nsys::Table::Value offset =
            entry.offset == 0 ? nsys::Table::Value(nullptr) : nsys::Table::Value(entry.offset);
        entries.add(
            {kNcclDomain, id, index++, nullptr, entry.type, entry.name, nullptr, nullptr, offset});
      }
    }
  }

  // A launcher with several processes has no rank of its own.
  nsys::CaptureIdentity identify() const {
    const RankPlace& place = *places_.front();
    nsys::CaptureIdentity identity;
    identity.utc_ns = utc_ns_;
    identity.system_clock_ns = utc_ns_ - place.boot_utc_ns;
    identity.host = place.host;
    identity.includes_blobs = options_.blobs;
    identity.command = options_.one_file ? "torchrun" : "python3";
    identity.environment = {"PATH=/usr/local/cuda/bin:/usr/bin:/bin", "CUDA_HOME=/usr/local/cuda",
                            std::string(kPlantedSecret), "NCCL_DEBUG=WARN"};
    if (options_.one_file) return identity;
    const auto add = [&](std::string_view name, int64_t value) {
      identity.environment.push_back(fmt::format("{}={}", name, value));
    };
    add("RANK", place.rank);
    add("WORLD_SIZE", options_.ranks);
    add("LOCAL_RANK", place.gpu);
    add("OMPI_COMM_WORLD_RANK", place.rank);
    add("OMPI_COMM_WORLD_SIZE", options_.ranks);
    add("OMPI_COMM_WORLD_LOCAL_RANK", place.gpu);
    identity.environment.push_back(fmt::format("HOSTNAME={}", place.host));
    return identity;
  }

  base::UnfinishedFile unfinished_;
  SqliteFile file_;
  // Statements, which go before the file is closed.
  struct Open {
    explicit Open(SqliteFile& file) : out(file, NsysSchema::v2026), tables(out) {}
    nsys::Export out;
    nsys::EventTables tables;
  };
  std::unique_ptr<Open> open_;
  nsys::Export& out_;
  nsys::EventTables& tables_;
  const Plan& plan_;
  const RanksOptions& options_;
  std::vector<const RankPlace*> places_;
  const RankPlace* place_ = nullptr;
  profile::Thread thread_, backward_thread_;
  std::vector<int64_t> short_names_, long_names_;  // of plan_.kernels
  int64_t launch_ = 0, launch_collective_ = 0, copy_ = 0, synchronize_ = 0;
  int64_t utc_ns_ = 0;  // of time 0
  int64_t correlation_ = 0, last_ns_ = 0;
  std::string text_;
};

}  // namespace

base::Result<std::unique_ptr<RankFile>> create_export(const std::filesystem::path& path,
                                                      const Plan& plan, const RanksOptions& options,
                                                      const std::vector<const RankPlace*>& places,
                                                      base::Progress& progress) {
  base::Result<base::UnfinishedFile> unfinished = base::UnfinishedFile::create_named(path);
  if (!unfinished) return std::move(unfinished).error();
  return std::unique_ptr<RankFile>(
      std::make_unique<ExportFile>(std::move(*unfinished), plan, options, places, progress));
}

}  // namespace dlview::generate::ranks
