// A rank as a trace of the PyTorch profiler of 2026, in the layout of Kineto.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/unfinished_file.h"
#include "generate/pytorch/event_writer.h"
#include "generate/ranks/rank_file.h"

namespace dlview::generate::ranks {
namespace {

// Kineto counts from a multiple of a quarter of a year.
constexpr int64_t kQuarterNs = 7'889'238'000'000'000;
constexpr std::size_t kMostListedRanks = 30;  // of a group, in arguments

std::string ranks_text(const Group& group) {
  if (group.ranks.size() <= kMostListedRanks)
    return fmt::format("[{}]", fmt::join(group.ranks, ", "));
  const std::vector<int64_t> first(group.ranks.begin(), group.ranks.begin() + kMostListedRanks - 1);
  return fmt::format("[{}, ..., {}]", fmt::join(first, ", "), group.ranks.back());
}

class TraceOfRank : public RankFile {
 public:
  TraceOfRank(base::UnfinishedFile unfinished, bool compresses, const Plan& plan,
              const RanksOptions& options, const RankPlace& place)
      : unfinished_(std::move(unfinished)),
        file_(unfinished_.out(), compresses),
        out_(file_, PytorchOptions{}),
        plan_(plan),
        options_(options),
        place_(place),
        process_text_(fmt::format("{}", place.process)),
        backward_text_(fmt::format("{}", place.process + 61)) {
    const int64_t utc_ns = place.utc_ns(place.capture_start_ns);
    base_ns_ = utc_ns / kQuarterNs * kQuarterNs;
    for (const KernelKind& kernel : plan.kernels) {
      kernel_names_.push_back(pytorch::json_string(kernel.long_name));
    }
    for (const OpKind& op : plan.ops) op_names_.push_back(pytorch::json_string(op.name));
    out_.begin_file(header());
  }

  void begin_rank(const RankPlace&) override { write_metadata(); }

  void add(const Record& record) override {
    if (record.iteration < place_.first_iteration) return;
    name_ = fmt::format("\"ProfilerStep#{}\"", record.iteration);
    event("\"user_annotation\"", name_, place_.process, process_text_, record.start_ns,
          record.end_ns,
          fmt::format("\"External id\": {}, \"Ev Idx\": {}", external_ + 1, order_++));
    ++external_;
    const std::vector<std::size_t> lost = lost_ops(record);
    const int64_t first_external = external_ + 1;
    for (std::size_t i = 0; i < record.ops.size(); ++i) {
      ++external_;
      if (std::ranges::find(lost, i) == lost.end()) add_op(record.ops[i]);
    }
    for (const Record::Launch& launch : record.launches) {
      if (!launch.is_lost) {
        add_launch(record, launch, first_external + static_cast<int64_t>(launch.op));
      }
    }
    for (const Record::Copy& copy : record.copies) {
      add_copy(record, copy, first_external + static_cast<int64_t>(copy.op));
    }
    ++correlation_;
    event("\"cuda_runtime\"", "\"cudaStreamSynchronize\"", place_.process, process_text_,
          record.sync_start_ns, record.sync_end_ns,
          fmt::format("\"External id\": {},\n      \"cbid\": 131, \"correlation\": {}", external_,
                      correlation_));
  }

  base::Status finish() override {
    out_.end_file({{"traceName", "\"/tmp/trace.json\""}});
    file_.finish();
    return unfinished_.finish();
  }

 private:
  int64_t time(int64_t true_ns) const { return place_.utc_ns(true_ns) - base_ns_; }

  pytorch::EventWriter::Header header() const {
    std::string devices = "[";
    for (int64_t gpu = 0; gpu < std::min(options_.ranks, options_.ranks_per_host); ++gpu) {
      const profile::Device device = rank_device(gpu);
      devices += fmt::format(
          "{}\n    {{\n      \"id\": {}, \"name\": \"{}\", \"totalGlobalMem\": {},\n      "
          "\"computeMajor\": {}, \"computeMinor\": {},\n      \"maxThreadsPerBlock\": 1024, "
          "\"maxThreadsPerMultiprocessor\": 2048,\n      \"regsPerBlock\": 65536, \"warpSize\": "
          "32,\n      \"sharedMemPerBlock\": 49152, \"numSms\": {},\n      "
          "\"regsPerMultiprocessor\": 65536, \"sharedMemPerBlockOptin\": 232448, "
          "\"sharedMemPerMultiprocessor\": 233472\n    }}",
          gpu == 0 ? "" : ",", gpu, device.name, device.memory_total_bytes.value_or(0),
          device.compute_capability_major, device.compute_capability_minor, device.sm_count);
    }
    devices += "\n  ]";
    std::vector<std::string> groups;
    for (const Family& family : plan_.families) {
      if (family.size < 2) continue;
      const Group& group = plan_.group(family, place_.rank);
      groups.push_back(fmt::format(
          "{{\"pg_name\": \"{}\", \"pg_desc\": \"{}\", \"backend_config\": \"cuda:nccl\", "
          "\"pg_size\": {}, \"ranks\": [{}]}}",
          group.name, group.description, family.size, fmt::join(group.ranks, ", ")));
    }
    return {{"schemaVersion", "1"},
            {"deviceProperties", devices},
            {"distributedInfo",
             fmt::format("{{\"backend\": \"nccl\", \"rank\": {}, \"world_size\": {}, \"pg_count\": "
                         "{}, \"pg_config\": [{}], \"nccl_version\": \"2.28.3\"}}",
                         place_.rank, options_.ranks, groups.size(), fmt::join(groups, ", "))},
            {"cuda_driver_version", "12080"},
            {"cuda_runtime_version", "12080"},
            {"cupti_version", "26"},
            {"trace_id", fmt::format("\"{:032X}\"",
                                     options_.seed * 65'537 + static_cast<uint64_t>(place_.rank))},
            {"displayTimeUnit", "\"ms\""},
            {"baseTimeNanoseconds", fmt::format("{}", base_ns_)}};
  }

  void write_metadata() {
    const auto name = [&](std::string_view key, int64_t process, std::string_view thread,
                          std::string_view arguments) {
      const std::string text = fmt::format("{{\n      {}\n    }}", arguments);
      out_.begin();
      out_.add("\"name\"", key);
      out_.add("\"ph\"", "\"M\"");
      out_.add_time("\"ts\"", time(place_.capture_start_ns));
      out_.add("\"pid\"", process);
      out_.add("\"tid\"", thread);
      out_.end_line();
      out_.add("\"args\"", text);
      out_.end();
    };
    name("\"process_name\"", place_.process, "0", "\"name\": \"python3\"");
    name("\"process_labels\"", place_.process, "0", "\"labels\": \"CPU\"");
    name("\"process_name\"", place_.gpu, "0", "\"name\": \"python3\"");
    name("\"process_labels\"", place_.gpu, "0", fmt::format("\"labels\": \"GPU {}\"", place_.gpu));
    name("\"thread_name\"", place_.process, process_text_,
         fmt::format("\"name\": \"thread {} (python3)\"", place_.process));
    name("\"thread_name\"", place_.process, backward_text_,
         fmt::format("\"name\": \"thread {} (pt_autograd_0)\"", place_.process + 61));
  }

  void event(std::string_view category, std::string_view quoted_name, int64_t process,
             std::string_view thread, int64_t start_ns, int64_t end_ns,
             std::string_view arguments) {
    arguments_ = "{\n      ";
    arguments_ += arguments;
    arguments_ += "\n    }";
    out_.begin();
    out_.add("\"ph\"", "\"X\"");
    out_.add("\"cat\"", category);
    out_.add("\"name\"", quoted_name);
    out_.add("\"pid\"", process);
    out_.add("\"tid\"", thread);
    out_.end_line();
    out_.add_time("\"ts\"", time(start_ns));
    out_.add_time("\"dur\"", time(end_ns) - time(start_ns));
    out_.end_line();
    out_.add("\"args\"", arguments_);
    out_.end();
  }

  std::string_view thread_of(const Record::Op& op) const {
    return op.is_backward ? backward_text_ : process_text_;
  }

  void add_op(const Record::Op& op) {
    const OpKind& kind = plan_.ops[op.op];
    // record_function() names what is no operator.
    const bool is_operator = kind.name.starts_with("aten::") || kind.name.starts_with("c10d::") ||
                             kind.name.ends_with("Backward0");
    std::string arguments = fmt::format("\"External id\": {},\"Record function id\": 0", external_);
    if (op.sequence >= 0) {
      arguments += fmt::format(", \"Sequence number\": {}, \"Fwd thread id\": {}", op.sequence,
                               op.is_backward ? 1 : 0);
    }
    arguments += fmt::format(", \"Ev Idx\": {}", order_++);
    event(is_operator ? "\"cpu_op\"" : "\"user_annotation\"", op_names_[op.op], place_.process,
          thread_of(op), op.start_ns, op.end_ns, arguments);
  }

  // The arguments of a collective, on the host and of its kernel.
  std::string collective_arguments(const Record& record, const Slot& slot) const {
    const Family& family = plan_.families[slot.family];
    const Group& group = plan_.group(family, place_.rank);
    const bool is_gather = slot.type == CollectiveType::all_gather;
    const int64_t in = is_gather ? slot.message_bytes / 2 : slot.bytes / 2;
    const int64_t place = record.iteration * family.places + slot.place;
    const uint64_t id = (group.communicator ^ static_cast<uint64_t>(place)) * 0x9e3779b97f4a7c15;
    return fmt::format(
        "\"Collective name\": \"{}\", \"dtype\": \"BFloat16\", \"In msg nelems\": {}, \"Out msg "
        "nelems\": {}, \"Group size\": {}, \"In split size\": \"[]\", \"Out split size\": \"[]\", "
        "\"Global rank start\": {}, \"Global rank stride\": 1, \"Process Group Name\": \"{}\", "
        "\"Process Group Description\": \"{}\", \"Process Group Ranks\": \"{}\", \"Rank\": {}, "
        "\"Seq\": {}, \"Comms Id\": {}",
        slot.type == CollectiveType::all_reduce ? "allreduce"
        : is_gather                             ? "_allgather_base"
                                                : "all_to_all",
        in, slot.bytes / 2, family.size, group.ranks.front(), group.name, group.description,
        ranks_text(group), place_.rank % family.size, place, id);
  }

  void add_collective(const Record& record, const Record::Launch& launch) {
    const Slot& slot = plan_.slots[static_cast<std::size_t>(launch.slot)];
    const std::string_view thread = thread_of(record.ops[launch.op]);
    collective_ = collective_arguments(record, slot);
    event("\"cpu_op\"", "\"record_param_comms\"", place_.process, thread,
          launch.api_start_ns - kNcclMarginNs, launch.api_end_ns + kNcclMarginNs,
          fmt::format("\"External id\": {},\"Record function id\": 0, {}, \"Ev Idx\": {}",
                      ++external_, collective_, order_));
    ++order_;
    event("\"user_annotation\"",
          slot.type == CollectiveType::all_reduce   ? "\"nccl:all_reduce\""
          : slot.type == CollectiveType::all_gather ? "\"nccl:_all_gather_base\""
                                                    : "\"nccl:all_to_all\"",
          place_.process, thread, launch.api_start_ns - kNcclMarginNs / 2,
          launch.api_end_ns + kNcclMarginNs / 2,
          fmt::format("\"External id\": {},\"Record function id\": 0, \"Ev Idx\": {}", ++external_,
                      order_));
    ++order_;
  }

  void add_launch(const Record& record, const Record::Launch& launch, int64_t external) {
    const bool is_collective = launch.slot >= 0;
    collective_.clear();
    if (is_collective) {
      add_collective(record, launch);
      external = external_;
    }
    ++correlation_;
    const std::string_view thread = thread_of(record.ops[launch.op]);
    event("\"cuda_runtime\"", is_collective ? "\"cudaLaunchKernelExC\"" : "\"cudaLaunchKernel\"",
          place_.process, thread, launch.api_start_ns, launch.api_end_ns,
          fmt::format("\"External id\": {},\n      \"cbid\": {}, \"correlation\": {}", external,
                      is_collective ? 430 : 211, correlation_));
    out_.add_flow(true, correlation_, place_.process, thread, time(launch.api_start_ns));
    const KernelKind& kernel = plan_.kernels[launch.kernel];
    stream_ = fmt::format("{}", launch.stream);
    event("\"kernel\"", kernel_names_[launch.kernel], place_.gpu, stream_, launch.start_ns,
          launch.end_ns,
          fmt::format("\"External id\": {},\n      \"queued\": 0, \"device\": {}, \"context\": "
                      "1,\n      \"stream\": {}, \"correlation\": {},\n      \"registers per "
                      "thread\": 64,\n      \"shared memory\": 0,\n      \"blocks per SM\": "
                      "{:.6f},\n      \"warps per SM\": {:.6f},\n      \"grid\": [{}, 1, 1],\n     "
                      " \"block\": [{}, 1, 1],\n      \"est. achieved occupancy %\": 50{}{}",
                      external, place_.gpu, launch.stream, correlation_, kernel.grid.x / 132.0,
                      kernel.grid.x / 132.0 * kernel.block.x / 32, kernel.grid.x, kernel.block.x,
                      is_collective ? ",\n      " : "", collective_));
    out_.add_flow(false, correlation_, place_.gpu, stream_, time(launch.start_ns));
  }

  void add_copy(const Record& record, const Record::Copy& copy, int64_t external) {
    const bool is_to_gpu = copy.kind == profile::CopyKind::host_to_device;
    const std::string_view thread = thread_of(record.ops[copy.op]);
    ++correlation_;
    event("\"cuda_runtime\"", "\"cudaMemcpyAsync\"", place_.process, thread, copy.api_start_ns,
          copy.api_end_ns,
          fmt::format("\"External id\": {},\n      \"cbid\": 41, \"correlation\": {}", external,
                      correlation_));
    out_.add_flow(true, correlation_, place_.process, thread, time(copy.api_start_ns));
    stream_ = fmt::format("{}", kComputeStreamOfRank);
    event(
        "\"gpu_memcpy\"",
        is_to_gpu ? "\"Memcpy HtoD (Pageable -> Device)\"" : "\"Memcpy DtoH (Device -> Pageable)\"",
        place_.gpu, stream_, copy.start_ns, copy.end_ns,
        fmt::format("\"External id\": {},\n      \"device\": {}, \"context\": 1,\n      "
                    "\"stream\": {}, \"correlation\": {},\n      \"bytes\": {}",
                    external, place_.gpu, stream_, correlation_, copy.bytes));
    out_.add_flow(false, correlation_, place_.gpu, stream_, time(copy.start_ns));
  }

  base::UnfinishedFile unfinished_;
  pytorch::TraceFile file_;
  pytorch::EventWriter out_;
  const Plan& plan_;
  const RanksOptions& options_;
  const RankPlace& place_;
  std::string process_text_, backward_text_;          // of threads: the main one is the process
  std::vector<std::string> kernel_names_, op_names_;  // in quotes
  int64_t base_ns_ = 0, external_ = 0, order_ = 0, correlation_ = 0;
  std::string name_, arguments_, collective_, stream_;
};

}  // namespace

base::Result<std::unique_ptr<RankFile>> create_trace(const std::filesystem::path& path,
                                                     const Plan& plan, const RanksOptions& options,
                                                     const RankPlace& place) {
  base::Result<base::UnfinishedFile> unfinished = base::UnfinishedFile::create(path);
  if (!unfinished) return std::move(unfinished).error();
  return std::unique_ptr<RankFile>(
      std::make_unique<TraceOfRank>(std::move(*unfinished), options.gzip, plan, options, place));
}

}  // namespace dlview::generate::ranks
