// The profiler of the synthetic run: keeps its clock, writes its events and counts the truth.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "generate/pytorch.h"
#include "generate/pytorch/event_writer.h"
#include "generate/pytorch/gpu_unions.h"
#include "generate/pytorch/specs.h"
#include "generate/random.h"

namespace dlview::generate::pytorch {

enum class HostThread : uint8_t { main, autograd };
inline constexpr int kComputeStream = 7, kCommunicationStream = 20, kCopyStream = 24;

class Recorder {
 public:
  Recorder(const PytorchOptions& options, TraceFile& file);

  NameId name(std::string_view text);
  const std::string& text_of(NameId name) const {
    return names_[static_cast<std::size_t>(name)].text;
  }

  Random& random() { return random_; }
  int64_t now() const { return now_; }
  // Host time goes on by about `ns`, never by nothing.
  void pass(int64_t ns);
  void switch_to(HostThread thread) { thread_ = thread; }

  // Where an op of the backward pass comes from: the modules around its forward op.
  struct Backward {
    int64_t sequence = -1;
    const std::vector<NameId>* modules = nullptr;
    int64_t flow = 0;  // id of the arrow that ends here; 0: none
  };
  void open(const HostSpec& spec, int64_t sequence = -1);
  void open_backward(const HostSpec& spec, const Backward& backward);
  void start_flow(int64_t flow);  // at the innermost open op
  void close();
  void open_frame(const FrameSpec& spec);
  void close_frame();

  void call(const CallSpec& spec);
  // A call and the GPU activity that it causes.
  void launch(const CallSpec& call, const GpuSpec& spec, int stream);
  // A call that launches all kernels of a CUDA graph, by turns of `specs`.
  void launch_graph(const CallSpec& call, const std::vector<const GpuSpec*>& specs, int64_t count);
  // A GPU activity whose call was before the trace.
  void run_unlaunched(const GpuSpec& spec, int stream);
  // A call: the stream goes on when the other has done its work so far.
  void make_wait(const CallSpec& spec, int stream, int other_stream);
  // A call that blocks the host until the stream has done its work.
  void synchronize(const CallSpec& spec, int stream);
  void add_overhead(std::string_view quoted_name, int64_t ns);

  struct Block {
    int64_t address = 0, bytes = 0;
    bool is_on_gpu = true;
  };
  Block allocate(int64_t bytes, bool is_on_gpu = true);
  void free(const Block& block);

  // Opens and closes the annotation of an iteration.
  void open_step(const HostSpec& spec);
  void close_step(bool is_last);

  // Writes what is closed, where that is enough to be worth it.
  void flush_if_many();
  void finish(PytorchTruth& truth);

  const EventWriter& writer() const { return writer_; }
  EventWriter& writer() { return writer_; }

 private:
  static constexpr int64_t kFirstCorrelation = 4'711;  // of a call in the trace

  struct Name {
    std::string text, quoted;
    PytorchTruth::Op op;
    PytorchTruth::GpuName gpu[3];
    PytorchTruth::Module module;
    int64_t stamp = 0;  // the last GPU event counted
  };
  enum class Direction : uint8_t { none, forward, backward, recompute };
  struct OpenOp {
    const HostSpec* spec = nullptr;
    int64_t start_ns = 0, children_ns = 0, outer_ns = 0;
    int64_t order = 0, external_id = 0, sequence = -1, flow = 0;
    int forward_thread = 0;
    bool is_backward = false;               // it or what is around it
    Direction direction = Direction::none;  // of the nearest op-like event
    bool is_outer = false;
    const std::vector<NameId>* modules = nullptr;  // of the outermost backward op around
    bool has_backward = false;
    int64_t launches = 0;                          // of GPU activities, directly in it
    std::array<int64_t, 3> first_ns{}, last_ns{};  // of annotations: GPU activities by stream
  };
  struct HostRecord {
    const HostSpec* spec;
    int64_t start_ns, end_ns, order, external_id, sequence, flow;
    int64_t launches;
    int forward_thread;
    HostThread thread;
  };
  struct OpenFrame {
    const FrameSpec* spec;
    int64_t start_ns, id, parent, order;
  };
  struct FrameRecord {
    OpenFrame frame;
    int64_t end_ns;
    HostThread thread;
  };
  struct MemoryRecord {
    int64_t at_ns, order, bytes, address, allocated, reserved;
    bool is_on_gpu;
    HostThread thread;
  };
  struct CallRecord {
    const CallSpec* spec;
    int64_t start_ns, end_ns, correlation, external_id;
    const GpuSpec* launched;  // null: nothing, or a graph
    bool launches;
    HostThread thread;
  };
  struct GpuRecord {
    const GpuSpec* spec;
    int64_t start_ns, end_ns, correlation, external_id, graph_node;
    int stream;
  };
  struct AnnotationRecord {
    NameId name;
    int64_t start_ns, end_ns, external_id;
    int stream;
  };
  struct OverheadRecord {
    std::string_view name;
    int64_t start_ns, end_ns;
  };
  struct SyncRecord {
    std::string_view quoted_kind;
    int64_t start_ns, end_ns, correlation;
    int stream, waits_for;  // 0 = for no stream
  };
  struct CounterRecord {
    int64_t at_ns, value;
    int stream;
  };
  struct Queue {                    // of a stream
    std::deque<int64_t> starts_ns;  // of what was launched and has not begun
    int64_t last_ns = 0;
    int64_t length = 0;
  };
  struct ThreadState {
    std::vector<OpenOp> ops;
    std::vector<OpenFrame> frames;
    std::vector<NameId> modules;
  };
  struct Outer {  // by direction
    PytorchTruth::OuterOp rows[4];
  };

  ThreadState& state() { return threads_[static_cast<std::size_t>(thread_)]; }
  Name& at(NameId id) { return names_[static_cast<std::size_t>(id)]; }
  PytorchTruth::OuterOp& outer_row(const OpenOp& op) {
    return outer_[op.spec->outer_name].rows[static_cast<std::size_t>(op.direction)];
  }
  void begin_op(const HostSpec& spec, int64_t sequence, int forward_thread,
                const Backward* backward);
  int64_t rounded(int64_t ns) const { return ns / tick_ * tick_; }
  int64_t add_call(const CallSpec& spec, int64_t ns);
  void add_gpu(const GpuSpec& spec, int stream, int64_t call_start_ns, int64_t correlation,
               int64_t graph_node);
  // The time of a kernel launched now, with planted changes.
  int64_t changed_ns(const GpuSpec& spec, int64_t ns);
  void count_gpu(const GpuSpec& spec, int64_t start_ns, int64_t end_ns, bool is_launched);
  void count_owner(const GpuSpec& spec, int64_t ns);
  // Writes the event of the last call, which waits.
  void add_sync(std::string_view quoted_kind, int stream, int waits_for);
  void add_to_queue(int stream, int64_t launched_ns, int64_t start_ns);
  void advance() { pass(random_.between(150, 600)); }
  int64_t free_of(int stream) const { return stream_free_ns_[slot(stream)]; }
  void extend(int64_t start_ns, int64_t end_ns);
  static std::size_t slot(int stream) {
    return stream == kComputeStream ? 0 : stream == kCommunicationStream ? 1 : 2;
  }

  void flush();
  void write_op(const HostRecord& record);
  void begin_x(std::string_view category, std::string_view quoted_name);
  void add_times_and_arguments(int64_t start_ns, int64_t end_ns);
  void write_flow(bool is_start, bool is_launch, int64_t id, int64_t at_ns, HostThread thread);
  void write_end_of_launch(const GpuRecord& record);
  void write_frame(const FrameRecord& record);
  void write_memory(const MemoryRecord& record);
  void write_call(const CallRecord& record);
  void argue_launched(const CallRecord& record);
  void write_gpu(const GpuRecord& record);
  void write_annotation(const AnnotationRecord& record);
  void write_overhead(const OverheadRecord& record);
  void write_sync(const SyncRecord& record);
  void write_counter(const CounterRecord& record);
  void write_metadata();
  void write_metadatum(std::string_view quoted_name, const std::string& process,
                       const std::string& thread, std::string_view member);
  void write_array_event(const HostRecord& record);
  int64_t thread_id(HostThread thread) const {
    return process_ + (thread == HostThread::main ? 0 : 117);
  }
  const std::string& thread_text(HostThread thread) const {
    return thread_texts_[static_cast<std::size_t>(thread)];
  }
  void argue(std::string_view text) { arguments_ += text; }
  void argue(int64_t value);

  const PytorchOptions options_;
  EventWriter writer_;
  Random random_;
  const bool is_old_;    // names of 2021
  const bool is_array_;  // writer D
  const bool is_amd_;
  const int64_t tick_;
  int64_t offset_ns_;  // of the file's times
  int64_t process_;
  int device_;
  std::array<std::string, 2> thread_texts_;
  std::array<std::string, 3> stream_texts_;

  int64_t now_;
  HostThread thread_ = HostThread::main;
  std::array<ThreadState, 2> threads_;
  std::array<int64_t, 3> stream_free_ns_{};
  std::array<Queue, 3> queues_;

  int64_t next_order_ = 0, next_external_id_ = 1, next_correlation_ = 1, next_frame_id_ = 1;
  std::vector<HostRecord> host_records_;
  std::vector<FrameRecord> frame_records_;
  std::vector<MemoryRecord> memory_records_;
  std::vector<CallRecord> call_records_;
  std::vector<GpuRecord> gpu_records_;
  std::vector<AnnotationRecord> annotation_records_;
  std::vector<OverheadRecord> overhead_records_;
  std::vector<SyncRecord> sync_records_;
  std::vector<CounterRecord> counter_records_;
  std::string arguments_;  // of the event being written

  // Memory
  int64_t allocated_ = 0, reserved_ = 0, host_allocated_ = 0, next_address_ = 0x7f2a00000000;
  std::unordered_map<int64_t, std::vector<int64_t>> free_blocks_;  // addresses by size

  // Truth
  std::vector<Name> names_;
  std::unordered_map<std::string, NameId> name_ids_;
  std::unordered_map<NameId, Outer> outer_;
  PytorchTruth::OuterOp outside_;
  PytorchTruth truth_;
  GpuUnions unions_;
  int64_t first_ns_, last_ns_ = 0;
  int64_t gpu_stamp_ = 0;
  bool is_in_step_ = false;
};

}  // namespace dlview::generate::pytorch
