#include "support/random_profile.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "profile/builder.h"

namespace dlview::testing {
namespace {

using profile::Row;

struct KernelName {
  std::string_view name, long_name;
  bool tensor_cores;
};
constexpr KernelName kKernelNames[] = {
    {"ampere_fp16_s16816gemm_fp16_128x128_nn", "ampere_fp16_s16816gemm_fp16_128x128_nn", true},
    {"sm80_xmma_fprop_implicit_gemm_f16f16", "sm80_xmma_fprop_implicit_gemm_f16f16", true},
    {"elementwise_kernel", "void elementwise_kernel<128, 4>(int)", false},
    {"bn_fw_tr_1C11_kernel_NCHW", "void bn_fw_tr_1C11_kernel_NCHW<float>(float *)", false},
    {"Volta_sgemm", "volta_sgemm_32x32", false},
    {"_reduce", "void _reduce<float>(float *)", false},
};
constexpr KernelName kCommunicationNames[] = {
    {"ncclDevKernel_AllReduce_Sum_f32_RING_LL", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(Args)",
     false},
    {"combine", "void deep_ep::internode::combine<1>(Args)", false},  // the long name tells
};
constexpr std::string_view kOpNames[] = {
    "/module/net::forward/layer1/conv",
    "/module/net::forward/layer1/conv/bias",
    "/module/net::forward/layer1/relu",
    "/module/net::forward/layer2/conv",
    "/module/net::forward/Layer2/conv",
    "/module/net::backward/layer2/conv",
    "net/conv1/Conv2D",
    "net/conv1/BiasAdd",
    "net/conv1",
    "flat",
    "/",
    "a//b",
    "trailing/slash/",
};
constexpr std::string_view kTypes[] = {"conv2d", "relu", "linear", "Conv2D", "_Send", "cat"};
constexpr std::string_view kDataTypes[] = {"float32", "float16", "", "int64"};
constexpr std::string_view kMemoryCalls[] = {"cudaMemcpyAsync_v3020", "cudaMemcpy_v3020",
                                             "cudaMemset_v3020"};
constexpr std::string_view kSyncCalls[] = {"cudaStreamSynchronize_v3020",
                                           "cudaDeviceSynchronize_v3020"};
constexpr std::string_view kOtherCalls[] = {"cudaMalloc_v3020", "cudaFree_v3020",
                                            "cudaEventRecord_v3020"};

class RandomRun {
 public:
  explicit RandomRun(const RandomProfileOptions& options) : options_(options), rng_(options.seed) {}

  profile::Profile make() {
    add_devices();
    add_threads();
    add_ops();
    add_key_instances();
    add_instances();
    if (options_.host_ahead) {
      add_waiting_kernels();
    } else {
      for (int i = 0; i < options_.kernels && has_kernel_device(); ++i) add_kernel(i);
    }
    for (int i = 0; i < options_.memory_ops && has_copy_device(); ++i) add_memory_op(i);
    for (int i = 0; i < options_.syncs; ++i) add_sync(i);
    for (int i = 0; i < options_.api_calls; ++i) add_api_call(i);
    for (int i = 0; i < options_.user_ranges; ++i) add_user_range();
    for (int i = 0; i < options_.os_calls; ++i) add_os_call();
    if (options_.stored_aggregation) add_stored_aggregation();
    builder_.system.database_version = builder_.system.original_database_version = "1.8.0";
    profile::Profile profile = std::move(builder_).finish();
    if (options_.os_calls > 0) take_os_calls(profile.trace.emplace());
    if (options_.streams == 0) return profile;
    if (!profile.trace) profile.trace.emplace();
    profile.trace->kernels.start_ns = std::vector<int64_t>(streams_.size());
    profile.trace->kernels.stream = std::move(streams_);
    return profile;
  }

 private:
  // Uniform in [0, bound). Not std::uniform_int_distribution: it differs between libraries.
  int64_t below(int64_t bound) {
    return bound <= 0 ? 0 : static_cast<int64_t>(rng_() % static_cast<uint64_t>(bound));
  }
  bool one_in(int64_t n) { return below(n) == 0; }
  template <typename T, std::size_t N>
  const T& any_of(const T (&items)[N]) {
    return items[static_cast<std::size_t>(below(N))];
  }
  Row any_thread() { return threads_[static_cast<std::size_t>(below(std::ssize(threads_)))]; }
  profile::StringId any_text(const auto& texts) { return builder_.intern(any_of(texts)); }

  bool has_kernel_device() const { return options_.kernel_devices > 0 && !starts_.empty(); }
  bool has_copy_device() const {
    return options_.kernel_devices + options_.copy_devices > 0 && !starts_.empty();
  }

  // One time in three lies at a bound of an iteration, or one ns beside it.
  int64_t any_time() {
    if (!bounds_.empty() && one_in(3)) {
      const int64_t bound = bounds_[static_cast<std::size_t>(below(std::ssize(bounds_)))];
      return std::max<int64_t>(0, bound + below(3) - 1);
    }
    return below(options_.length_ns);
  }
  int64_t any_duration(int64_t longest) {
    if (options_.backwards && one_in(10)) return -below(longest);
    if (one_in(12)) return 0;
    return one_in(15) ? below(longest * 20) : below(longest);
  }

  // The instance that the next event belongs to, and the time of its API call. The last instances
  // stay without events.
  struct Call {
    Row instance, thread;
    int64_t api_start_ns, api_stop_ns, gpu_start_ns, gpu_stop_ns;
  };

  void add_devices();
  void add_threads();
  void add_ops();
  void add_key_instances();
  void add_instances();
  void add_instance(Row op, Row thread, int64_t start_ns, int64_t stop_ns);
  void add_kernel(int number);
  void add_waiting_kernels();
  void add_kernel(int number, const Call& call, std::optional<Row> device, int64_t stream);
  void add_memory_op(int number);
  void add_sync(int number);
  void add_api_call(int number);
  void add_user_range();
  void add_os_call();
  void take_os_calls(profile::Trace& trace) {
    std::map<std::pair<int64_t, int64_t>, profile::ThreadId> ids;
    for (const profile::Thread& thread : os_calls_.numbers) {
      ids.emplace(std::pair(thread.process_id, thread.thread_id), 0);
    }
    for (auto& [numbers, id] : ids) {
      if (trace.processes.empty() || trace.processes.back().number != numbers.first) {
        trace.processes.push_back({.number = numbers.first, .name = ""});
      }
      const profile::ProcessIndex process(static_cast<Row>(trace.processes.size() - 1));
      const profile::TraceThreadIndex thread(static_cast<Row>(trace.threads.size()));
      id = profile::make_thread_id(process, thread);
      trace.threads.push_back({.process = process, .number = numbers.second, .name = ""});
    }
    std::vector<profile::ThreadId> threads;
    for (const profile::Thread& thread : os_calls_.numbers) {
      threads.push_back(ids.at({thread.process_id, thread.thread_id}));
    }
    trace.os_calls.start_ns = std::move(os_calls_.start_ns);
    trace.os_calls.end_ns = std::move(os_calls_.end_ns);
    trace.os_calls.thread = std::move(threads);
    trace.os_calls.name = std::move(os_calls_.name);
  }
  void add_stored_aggregation();

  Call any_call();

  RandomProfileOptions options_;
  std::mt19937_64 rng_;
  profile::ProfileBuilder builder_;
  std::vector<int64_t> streams_;  // by source id of kernels
  std::vector<Row> threads_;
  Row first_key_op_ = 0, first_op_ = 0, last_op_ = 0;
  std::vector<int64_t> bounds_;  // starts and stops of the key op's instances
  std::vector<int64_t> starts_;  // of all instances, as they were added
  std::vector<Row> thread_of_;
  struct {
    std::vector<int64_t> start_ns, end_ns;
    std::vector<profile::Thread> numbers;
    std::vector<profile::StringId> name;
  } os_calls_;
  std::set<int64_t> api_starts_;  // a database allows each only once
};

void RandomRun::add_devices() {
  const int count = options_.kernel_devices + options_.copy_devices + options_.idle_devices;
  for (int i = 0; i < count; ++i) {
    builder_.add_device({.source_id = count - i,
                         .device_id = 2 * i,
                         .name = fmt::format("GPU {}", i),
                         .compute_capability_major = 8,
                         .sm_count = 108,
                         .memory_total_bytes = 40'000'000'000,
                         .memory_used_bytes = int64_t{1'000'000'000} * (i + 1)});
  }
}

void RandomRun::add_threads() {
  for (int process = 0; process < options_.processes; ++process) {
    for (int thread = 0; thread < options_.threads; ++thread) {
      threads_.push_back(builder_.intern_thread({900 - process, 100 * process + thread}));
    }
  }
}

void RandomRun::add_ops() {
  int64_t source_id = 0;
  const auto add = [&](std::string_view id, std::string_view name, std::string_view type,
                       profile::TensorCoreSupport support) {
    profile::OpRow op;
    op.id = builder_.intern(id);
    op.name = builder_.intern(name);
    op.type = builder_.intern(type);
    op.direction = builder_.intern(one_in(2) ? "fprop" : "bprop");
    op.data_type = any_text(kDataTypes);
    op.stack_trace = builder_.intern(one_in(2) ? "" : "train.py:10\nnet.py:7");
    op.tensor_core_support = support;
    op.source_id = ++source_id;
    return builder_.add_op(op);
  };
  using enum profile::TensorCoreSupport;
  first_key_op_ = add("STEP_1", kRandomKeyOp, "step", none);
  add("STEP_2", kRandomKeyOp, "step", none);
  first_op_ = add("DATALOADER_1", "/module/loader/next", "DataLoader", none);
  for (int i = 0; i < options_.ops; ++i) {
    const std::string_view base = options_.one_group ? "/giant/op" : any_of(kOpNames);
    const std::string name =
        one_in(4) ? std::string(base) : fmt::format("{}[{}]", base, 1 + below(options_.ops));
    constexpr profile::TensorCoreSupport kSupport[] = {eligible, eligible, none, unassociated};
    const std::string_view type = any_of(kTypes);
    last_op_ = add(fmt::format("OP_{}", i + 1), name, type, any_of(kSupport));
  }
  add("NEVER_1", "/module/net::forward/never/runs", "never", eligible);
}

void RandomRun::add_instance(Row op, Row thread, int64_t start_ns, int64_t stop_ns) {
  profile::OpInstanceRow row;
  row.op = op;
  row.cpu_start_ns = options_.start_ns + start_ns;
  row.cpu_stop_ns = options_.start_ns + stop_ns;
  row.thread = thread;
  row.input_shapes = builder_.intern(fmt::format("[[{}]]\n", 1 + below(4)));
  row.source_id = std::ssize(starts_) * 7919 % 1'000'003 + 1;  // not in order of time
  starts_.push_back(start_ns);
  thread_of_.push_back(thread);
  builder_.add_instance(row);
}

// Most steps are marked by the first thread; equal and touching instances are wanted.
void RandomRun::add_key_instances() {
  int64_t previous_ns = 0;
  for (int i = 0; i < options_.key_instances; ++i) {
    int64_t start_ns = one_in(6) ? previous_ns : below(options_.length_ns);
    if (i == 0 && one_in(3)) start_ns = 0;
    const int64_t stop_ns = start_ns + (one_in(4) ? 0 : below(options_.length_ns / 30));
    const Row thread = one_in(4) ? any_thread() : threads_.front();
    add_instance(first_key_op_ + (one_in(3) ? 1 : 0), thread, start_ns, stop_ns);
    bounds_.push_back(start_ns);
    bounds_.push_back(stop_ns);
    previous_ns = start_ns;
  }
}

void RandomRun::add_instances() {
  for (int i = 0; i < options_.instances; ++i) {
    const Row op = first_op_ + static_cast<Row>(below(last_op_ - first_op_ + 1));
    const int64_t start_ns = !starts_.empty() && one_in(8) ? starts_.back() : any_time();
    const int64_t stop_ns = start_ns + any_duration(options_.length_ns / 40);
    add_instance(op, any_thread(), start_ns, stop_ns);
  }
}

RandomRun::Call RandomRun::any_call() {
  const int64_t with_events = std::max<int64_t>(1, std::ssize(starts_) * 4 / 5);
  const auto instance = static_cast<std::size_t>(below(with_events));
  Call call{};
  call.instance = static_cast<Row>(instance);
  call.thread = thread_of_[instance];
  call.api_start_ns = starts_[instance] + below(200);
  while (!api_starts_.insert(call.api_start_ns).second) ++call.api_start_ns;
  call.api_stop_ns = call.api_start_ns + below(30);
  const bool late = !options_.nearby && one_in(4);
  call.gpu_start_ns = late ? any_time() : call.api_stop_ns + below(100);
  const int64_t longest_ns = options_.nearby ? 30 : options_.length_ns / 60;
  call.gpu_stop_ns = call.gpu_start_ns + any_duration(longest_ns);
  for (int64_t* ns :
       {&call.api_start_ns, &call.api_stop_ns, &call.gpu_start_ns, &call.gpu_stop_ns}) {
    *ns += options_.start_ns;
  }
  return call;
}

void RandomRun::add_kernel(int number) {
  const Call call = any_call();
  add_kernel(number, call, std::nullopt, below(options_.streams));
}

// Most launches queue up on their stream, now and then for long; a few kernels have no launch.
void RandomRun::add_waiting_kernels() {
  std::vector<Call> calls;
  for (int i = 0; i < options_.kernels && has_kernel_device(); ++i) calls.push_back(any_call());
  std::ranges::sort(calls, {}, &Call::api_start_ns);
  std::map<std::pair<Row, int64_t>, int64_t> free_ns;  // by device and stream
  const int64_t usual_ns = options_.length_ns * 4 / 5 / std::max(1, options_.kernels);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Call& call = calls[i];
    const Row device = one_in(4) ? static_cast<Row>(below(options_.kernel_devices)) : 0;
    const int64_t stream = one_in(3) ? below(options_.streams) : 0;
    int64_t& free = free_ns[{device, stream}];
    call.gpu_start_ns = std::max(call.api_stop_ns, free);
    call.gpu_stop_ns = call.gpu_start_ns + below(2 * usual_ns) * (one_in(30) ? 20 : 1);
    free = call.gpu_stop_ns;
    if (one_in(25)) call.gpu_start_ns = starts_[call.instance] + options_.start_ns;
    add_kernel(static_cast<int>(i), call, device, stream);
  }
}

void RandomRun::add_kernel(int number, const Call& call, std::optional<Row> device,
                           int64_t stream) {
  const KernelName& name =
      options_.communication && one_in(8) ? any_of(kCommunicationNames) : any_of(kKernelNames);
  profile::KernelRow row;
  row.instance = call.instance;
  row.name = builder_.intern(name.name);
  row.long_name = builder_.intern(name.long_name);
  row.uses_tensor_cores = name.tensor_cores != one_in(20);  // a name may be both
  row.api_start_ns = call.api_start_ns;
  row.api_stop_ns = call.api_stop_ns;
  row.gpu_start_ns = call.gpu_start_ns;
  row.gpu_stop_ns = call.gpu_stop_ns;
  row.launch =
      builder_.intern_launch({{static_cast<int32_t>(1 + below(3)), 1, 1},
                              {static_cast<int32_t>(32 * (1 + below(4))), 1, 1},
                              device ? *device : static_cast<Row>(below(options_.kernel_devices)),
                              call.thread});
  row.source_id = number + 1;
  builder_.add_kernel(row);
  streams_.push_back(stream);
}

void RandomRun::add_memory_op(int number) {
  const Call call = any_call();
  const bool memset = one_in(3);
  profile::MemoryOpRow row;
  row.instance = call.instance;
  row.kind = memset ? profile::MemoryOpKind::memset : profile::MemoryOpKind::memcpy;
  row.name = builder_.intern(memset ? kMemoryCalls[2] : kMemoryCalls[below(2)]);
  row.copy_kind = static_cast<profile::CopyKind>(memset ? 0 : 1 + below(2));
  row.bytes = below(1 << 20);
  row.api_start_ns = call.api_start_ns;
  row.api_stop_ns = call.api_stop_ns;
  row.gpu_start_ns = call.gpu_start_ns;
  row.gpu_stop_ns = call.gpu_stop_ns;
  row.device = static_cast<Row>(below(options_.kernel_devices + options_.copy_devices));
  row.thread = call.thread;
  row.source_id = number + 1;
  builder_.add_memory_op(row);
}

void RandomRun::add_sync(int number) {
  if (starts_.empty()) return;
  const Call call = any_call();
  profile::SyncRow row;
  row.instance = call.instance;
  row.name = any_text(kSyncCalls);
  row.api_start_ns = call.api_start_ns;
  row.api_stop_ns = call.api_stop_ns;
  row.sync_type = 3;
  row.event_id = 4294967295;
  row.thread = call.thread;
  row.source_id = number + 1;
  builder_.add_sync(row);
}

void RandomRun::add_api_call(int number) {
  if (starts_.empty()) return;
  const Call call = any_call();
  profile::ApiCallRow row;
  row.instance = call.instance;
  row.name = any_text(kOtherCalls);
  row.api_start_ns = call.api_start_ns;
  row.api_stop_ns = call.api_stop_ns;
  row.thread = call.thread;
  // Now and then from a process that has no op instance.
  if (one_in(40)) row.thread = builder_.intern_thread({1, 1});
  row.source_id = number + 1;
  builder_.add_api_call(row);
}

void RandomRun::add_user_range() {
  profile::UserRangeRow row;
  row.name = builder_.intern(kRandomRange);
  row.path = builder_.intern(one_in(2) ? "/tick" : "/tick/tick");
  row.start_ns = options_.start_ns + any_time();
  row.stop_ns = row.start_ns + std::abs(any_duration(options_.length_ns / 20));
  row.thread = any_thread();
  builder_.add_user_range(row);
}

// One in eight is of a thread that the profile does not have.
void RandomRun::add_os_call() {
  constexpr const char* kNames[] = {"read", "fwrite", "pread64", "fsync", "poll", "futex"};
  const int64_t start_ns = options_.start_ns + any_time();
  os_calls_.start_ns.push_back(start_ns);
  os_calls_.end_ns.push_back(start_ns + std::abs(any_duration(options_.length_ns / 100)));
  os_calls_.name.push_back(one_in(10) ? profile::kNoText : any_text(kNames));
  const int64_t process = below(options_.processes), thread = below(options_.threads);
  os_calls_.numbers.push_back({900 - process, one_in(8) ? 5000 : 100 * process + thread});
}

// Bounds that no rule gives, so that only the list itself can be taken.
void RandomRun::add_stored_aggregation() {
  profile::StoredAggregation stored;
  stored.id = 1;
  stored.key_op = kRandomKeyOp;
  const int64_t count = 5;
  const int64_t step_ns = options_.length_ns / count;
  for (int64_t i = 0; i < count; ++i) {
    stored.iterations.push_back(
        {i, options_.start_ns + i * step_ns + 3, options_.start_ns + (i + 1) * step_ns});
  }
  stored.first_iteration = 1;
  stored.last_iteration = 3;
  stored.io_ns = {below(50), below(50), below(50)};
  builder_.stored_aggregations.push_back(stored);
}

}  // namespace

profile::Profile random_profile(const RandomProfileOptions& options) {
  profile::Profile profile = RandomRun(options).make();
  if (options.is_late_part) profile.first_ns = options.start_ns + options.length_ns / 3;
  return profile;
}

}  // namespace dlview::testing
