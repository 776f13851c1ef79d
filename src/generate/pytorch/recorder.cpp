#include "generate/pytorch/recorder.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace dlview::generate::pytorch {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// Of time 0 in the file's times.
int64_t file_offset(const PytorchOptions& options) {
  if (options.writer == PytorchWriter::autograd) return 0;
  switch (options.schema) {
    case PytorchSchema::v2021:
      return 1'627'812'000 * kSecond;
    case PytorchSchema::v2023:
      return 1'689'001'200 * kSecond;
    case PytorchSchema::v2024:
      return 1'711'900'800 * kSecond;
    case PytorchSchema::v2026:
      return 2'345'678 * kSecond;  // from the start of the quarter
  }
  return 0;
}

std::string_view unquoted(std::string_view json) {
  return json.substr(1, json.size() - 2);
}

}  // namespace

Recorder::Recorder(const PytorchOptions& options, TraceFile& file)
    : options_(options),
      writer_(file, options),
      random_(options.seed * 1000 + static_cast<uint64_t>(options.rank)),
      is_old_(options.schema == PytorchSchema::v2021),
      is_array_(options.writer == PytorchWriter::autograd),
      is_amd_(options.gpu == PytorchGpu::amd),
      tick_(options.schema <= PytorchSchema::v2023 && !is_array_ ? 1000 : 1),
      offset_ns_(file_offset(options)),
      process_(is_array_ ? 1 : 21'400 + 131 * options.rank),
      device_(options.rank % 8),
      now_(is_array_ ? 0 : rounded(5'123'457 + random_.below(1'000'000))),
      next_correlation_(kFirstCorrelation),
      first_ns_(std::numeric_limits<int64_t>::max()) {
  for (const HostThread thread : {HostThread::main, HostThread::autograd}) {
    const int64_t id = is_array_ ? 1 + static_cast<int64_t>(thread) : thread_id(thread);
    thread_texts_[static_cast<std::size_t>(thread)] =
        is_old_ && !is_array_ ? fmt::format("\"{}\"", id) : fmt::format("{}", id);
  }
  for (const int stream : {kComputeStream, kCommunicationStream, kCopyStream}) {
    stream_texts_[slot(stream)] =
        is_old_ ? fmt::format("\"stream {}\"", stream) : fmt::format("{}", stream);
  }
  if (options.iterations > 0) return;
  truth_.steps.emplace_back();
  is_in_step_ = true;
}

NameId Recorder::name(std::string_view text) {
  const auto [found, is_new] =
      name_ids_.try_emplace(std::string(text), static_cast<NameId>(names_.size()));
  if (is_new) {
    Name& made = names_.emplace_back();
    made.text = text;
    made.quoted = json_string(text);
  }
  return found->second;
}

void Recorder::pass(int64_t ns) {
  now_ += std::max(tick_, rounded(ns));
}

void Recorder::extend(int64_t start_ns, int64_t end_ns) {
  first_ns_ = std::min(first_ns_, start_ns);
  last_ns_ = std::max(last_ns_, end_ns);
}

// Host events

void Recorder::begin_op(const HostSpec& spec, int64_t sequence, int forward_thread,
                        const Backward* backward) {
  advance();
  if (is_array_) {  // names only
    sequence = -1;
    forward_thread = 0;
  }
  ThreadState& thread = state();
  OpenOp op;
  op.spec = &spec;
  op.start_ns = now_;
  op.order = next_order_++;
  op.external_id =
      options_.schema == PytorchSchema::v2024 ? next_correlation_++ : next_external_id_++;
  op.sequence = sequence;
  op.forward_thread = forward_thread;
  op.is_backward = forward_thread > 0 || spec.is_evaluation;
  if (backward != nullptr) {
    op.flow = -backward->flow;
    op.modules = backward->modules;
    op.has_backward = true;
  }
  if (!thread.ops.empty()) {
    const OpenOp& around = thread.ops.back();
    op.is_backward = op.is_backward || around.is_backward;
    op.direction = around.direction;
    if (around.has_backward) {
      op.modules = around.modules;
      op.has_backward = true;
    }
  }
  if (backward != nullptr && (thread.ops.empty() || !thread.ops.back().has_backward)) {
    ++truth_.links["backward_ops"];
    ++truth_.links["linked"];
  }
  if (spec.is_op_like && (!spec.needs_sequence || sequence >= 0)) {
    if (op.direction == Direction::none) {
      op.direction = op.is_backward ? Direction::backward : Direction::forward;
      op.is_outer = true;
    } else if (op.direction == Direction::backward && forward_thread == 0 && sequence >= 0) {
      op.direction = Direction::recompute;
      op.is_outer = true;
    }
  }
  ++at(spec.name).op.calls;
  if (op.is_outer) ++outer_row(op).calls;
  if (!spec.collective.empty()) {
    PytorchTruth::Collective& row = truth_.collectives[spec.collective];
    ++row.calls;
    row.in_elements += spec.in_elements;
    row.out_elements += spec.out_elements;
  }
  thread.ops.push_back(op);
}

void Recorder::open(const HostSpec& spec, int64_t sequence) {
  begin_op(spec, spec.has_sequence ? sequence : -1, 0, nullptr);
}

void Recorder::open_backward(const HostSpec& spec, const Backward& backward) {
  begin_op(spec, backward.sequence, 1, &backward);
}

void Recorder::start_flow(int64_t flow) {
  state().ops.back().flow = flow;
}

void Recorder::close() {
  advance();
  ThreadState& thread = state();
  const OpenOp op = thread.ops.back();
  thread.ops.pop_back();
  const int64_t ns = now_ - op.start_ns;
  PytorchTruth::Op& row = at(op.spec->name).op;
  row.host_self_ns += ns - op.children_ns;
  const bool is_nested =
      std::any_of(thread.ops.begin(), thread.ops.end(),
                  [&](const OpenOp& above) { return above.spec->name == op.spec->name; });
  if (!is_nested) row.host_total_ns += ns;
  if (op.is_outer) outer_row(op).host_ns += ns - op.outer_ns;
  if (!thread.ops.empty()) {
    thread.ops.back().children_ns += ns;
    thread.ops.back().outer_ns += op.is_outer ? ns : op.outer_ns;
  }
  extend(op.start_ns, now_);
  host_records_.push_back({op.spec, op.start_ns, now_, op.order, op.external_id, op.sequence,
                           op.flow, op.launches, op.forward_thread, thread_});
  if (!op.spec->is_annotation || is_old_ || is_array_) return;
  for (const int stream : {kComputeStream, kCommunicationStream, kCopyStream}) {
    const std::size_t i = slot(stream);
    if (op.last_ns[i] == 0) continue;
    const int64_t start_ns = op.first_ns[i] - tick_;
    annotation_records_.push_back({op.spec->name, start_ns, op.last_ns[i], op.external_id, stream});
    extend(start_ns, op.last_ns[i]);
  }
}

void Recorder::open_step(const HostSpec& spec) {
  open(spec);
  const int64_t start_ns = state().ops.back().start_ns;
  if (!truth_.steps.empty()) {
    truth_.steps.back().window_ns = start_ns - truth_.steps.back().start_ns;
  }
  PytorchTruth::Step& step = truth_.steps.emplace_back();
  step.name = text_of(spec.name);
  step.start_ns = start_ns;
  is_in_step_ = true;
  unions_.begin_window(start_ns);
  unions_.sweep(start_ns);
}

void Recorder::close_step(bool is_last) {
  close();
  PytorchTruth::Step& step = truth_.steps.back();
  step.range_ns = now_ - step.start_ns;
  if (!is_last) return;
  step.window_ns = *step.range_ns;
  is_in_step_ = false;
  unions_.end_last_window(now_);
}

void Recorder::open_frame(const FrameSpec& spec) {
  if (!options_.with_stack) return;
  advance();
  ThreadState& thread = state();
  const int64_t parent = thread.frames.empty() ? 0 : thread.frames.back().id;
  thread.frames.push_back({&spec, now_, next_frame_id_++, parent, next_order_++});
  if (spec.module < 0) return;
  ++at(spec.module).module.calls;
  thread.modules.push_back(spec.module);
}

void Recorder::close_frame() {
  if (!options_.with_stack) return;
  advance();
  ThreadState& thread = state();
  const OpenFrame frame = thread.frames.back();
  thread.frames.pop_back();
  if (is_array_) return;
  extend(frame.start_ns, now_);
  frame_records_.push_back({frame, now_, thread_});
  if (frame.spec->module < 0) return;
  thread.modules.pop_back();
  // A module never calls itself here.
  at(frame.spec->module).module.host_total_ns += now_ - frame.start_ns;
}

void Recorder::add_overhead(std::string_view quoted_name, int64_t ns) {
  if (is_array_ || options_.schema < PytorchSchema::v2024) return;
  advance();
  overhead_records_.push_back({quoted_name, now_, now_ + ns});
  PytorchTruth::Wait& row = truth_.overheads[std::string(unquoted(quoted_name))];
  ++row.count;
  row.total_ns += ns;
  extend(now_, now_ + ns);
  pass(ns);
}

// Calls and GPU activities

int64_t Recorder::add_call(const CallSpec& spec, int64_t ns) {
  const int64_t start_ns = now_;
  pass(ns);
  const int64_t correlation = next_correlation_++;
  if (is_array_) return correlation;
  ThreadState& thread = state();
  int64_t external_id = -1;
  if (!thread.ops.empty()) {
    PytorchTruth::Op& row = at(thread.ops.back().spec->name).op;
    ++row.api_calls;
    row.call_self_ns += now_ - start_ns;
    external_id = thread.ops.back().external_id;
  }
  if (options_.schema == PytorchSchema::v2024) external_id = correlation;
  extend(start_ns, now_);
  call_records_.push_back(
      {&spec, start_ns, now_, correlation, external_id, nullptr, false, thread_});
  return correlation;
}

void Recorder::call(const CallSpec& spec) {
  advance();
  add_call(spec, random_.around(spec.ns, 60));
}

void Recorder::launch(const CallSpec& call, const GpuSpec& spec, int stream) {
  advance();
  const int64_t start_ns = now_;
  const int64_t correlation = add_call(call, random_.around(call.ns, 60));
  add_gpu(spec, stream, start_ns, correlation, -1);
}

void Recorder::launch_graph(const CallSpec& call, const std::vector<const GpuSpec*>& specs,
                            int64_t count) {
  advance();
  const int64_t start_ns = now_;
  const int64_t correlation = add_call(call, random_.around(call.ns, 60));
  for (int64_t i = 0; i < count; ++i) {
    add_gpu(*specs[static_cast<std::size_t>(i) % specs.size()], kComputeStream, start_ns,
            correlation, i);
  }
}

void Recorder::run_unlaunched(const GpuSpec& spec, int stream) {
  if (is_array_) return;
  advance();
  const int64_t ns = std::max(tick_, rounded(changed_ns(spec, random_.around(spec.ns, 20))));
  const int64_t start_ns = std::max(now_, free_of(stream));
  stream_free_ns_[slot(stream)] = start_ns + ns;
  const int64_t correlation = kFirstCorrelation - 100 + truth_.no_launch_events % 100;
  gpu_records_.push_back({&spec, start_ns, start_ns + ns, correlation, -1, -1, stream});
  if (!is_amd_) at(spec.name).gpu[0].blocks += spec.blocks;
  count_gpu(spec, start_ns, start_ns + ns, false);
}

void Recorder::make_wait(const CallSpec& spec, int stream, int other_stream) {
  stream_free_ns_[slot(stream)] = std::max(free_of(stream), free_of(other_stream));
  call(spec);
  add_sync("\"Stream Wait Event\"", stream, other_stream);
}

void Recorder::synchronize(const CallSpec& spec, int stream) {
  advance();
  const int64_t wait_ns = free_of(stream) - now_;
  add_call(spec, std::max<int64_t>(0, wait_ns) + random_.around(spec.ns, 60) + tick_);
  add_sync("\"Stream Sync\"", stream, 0);
}

void Recorder::add_sync(std::string_view quoted_kind, int stream, int waits_for) {
  if (is_array_ || !options_.sync_events) return;
  const CallRecord& call = call_records_.back();
  sync_records_.push_back(
      {quoted_kind, call.start_ns, call.end_ns, call.correlation, stream, waits_for});
  PytorchTruth::Wait& row =
      truth_.syncs[fmt::format("{}|{}|{}|{}", unquoted(quoted_kind), device_, stream, waits_for)];
  ++row.count;
  row.total_ns += call.end_ns - call.start_ns;
}

// The length after each launch: what the stream has not begun by then.
void Recorder::add_to_queue(int stream, int64_t launched_ns, int64_t start_ns) {
  if (!options_.counters) return;
  Queue& queue = queues_[slot(stream)];
  while (!queue.starts_ns.empty() && queue.starts_ns.front() <= launched_ns) {
    queue.starts_ns.pop_front();
  }
  queue.starts_ns.push_back(start_ns);
  PytorchTruth::Counter& row =
      truth_.counters[fmt::format("Queue Length|stream {}|{}", stream, device_)];
  if (row.values > 0) row.sum_ns += queue.length * (launched_ns - queue.last_ns);
  queue.last_ns = launched_ns;
  queue.length = static_cast<int64_t>(queue.starts_ns.size());
  ++row.values;
  row.most = std::max(row.most, queue.length);
  counter_records_.push_back({launched_ns, queue.length, stream});
}

void Recorder::add_gpu(const GpuSpec& spec, int stream, int64_t call_start_ns, int64_t correlation,
                       int64_t graph_node) {
  if (is_array_) {
    if (!state().ops.empty()) ++state().ops.back().launches;
    return;
  }
  const int64_t ready_ns = call_start_ns + random_.between(3'200, 8'500);
  const int64_t free_ns = free_of(stream);
  int64_t gap_ns = graph_node > 0 ? 200 : random_.between(500, 1'400);
  // Programmatic dependent launch: the kernel begins before the one in front of it ends.
  const bool overlaps = options_.schema == PytorchSchema::v2026 && spec.kind == GpuKind::kernel;
  if (overlaps && random_.below(50) == 0) gap_ns = -300;
  const int64_t start_ns = rounded(std::max(ready_ns, free_ns + gap_ns) + tick_ - 1);
  int64_t ns = rounded(changed_ns(spec, random_.around(spec.ns, 12)));
  if (tick_ == 1) ns = std::max<int64_t>(1, ns);
  const int64_t end_ns = start_ns + ns;
  stream_free_ns_[slot(stream)] = std::max(free_ns, end_ns);

  ThreadState& thread = state();
  int64_t external_id = thread.ops.empty() ? -1 : thread.ops.back().external_id;
  if (options_.schema == PytorchSchema::v2024) external_id = correlation;
  const char* const agreement = options_.schema == PytorchSchema::v2024 ? "no_such_op"
                                : external_id < 0                       ? "none"
                                                                        : "agrees";
  ++truth_.external_id[agreement];
  CallRecord& call = call_records_.back();
  call.launches = true;
  if (graph_node < 0) call.launched = &spec;
  gpu_records_.push_back({&spec, start_ns, end_ns, correlation, external_id, graph_node, stream});
  count_gpu(spec, start_ns, end_ns, true);
  add_to_queue(stream, call_start_ns, start_ns);
  if (!is_amd_ || graph_node < 0) at(spec.name).gpu[0].blocks += spec.blocks;
  for (auto above = thread.ops.rbegin(); above != thread.ops.rend(); ++above) {
    if (!above->spec->is_annotation) continue;
    const std::size_t i = slot(stream);
    if (above->last_ns[i] == 0 || start_ns < above->first_ns[i]) above->first_ns[i] = start_ns;
    above->last_ns[i] = std::max(above->last_ns[i], end_ns);
    break;
  }
}

int64_t Recorder::changed_ns(const GpuSpec& spec, int64_t ns) {
  if (spec.kind != GpuKind::kernel) return ns;
  for (const PlantedChange& change : options_.changes) {
    if (change.kind == PlantedKind::clocks) ns = ns * kMillion / change.factor_ppm;
    if (change.kind != PlantedKind::slower_op) continue;
    const std::vector<OpenOp>& ops = state().ops;
    const bool is_of_op = std::ranges::any_of(
        ops, [&](const OpenOp& op) { return text_of(op.spec->name) == change.op; });
    if (is_of_op) ns = ns * change.factor_ppm / kMillion;
  }
  return ns;
}

void Recorder::count_gpu(const GpuSpec& spec, int64_t start_ns, int64_t end_ns, bool is_launched) {
  const int64_t ns = end_ns - start_ns;
  extend(start_ns, end_ns);
  unions_.add(spec.kind != GpuKind::kernel ? GpuUnions::Kind::memory
              : spec.is_communication      ? GpuUnions::Kind::communication
                                           : GpuUnions::Kind::compute,
              start_ns, end_ns);
  PytorchTruth::GpuName& row = at(spec.name).gpu[static_cast<std::size_t>(spec.kind)];
  ++row.count;
  row.total_ns += ns;
  row.bytes += spec.bytes;
  ++truth_.gpu_events;
  truth_.gpu_total_ns += ns;
  if (!is_launched) {
    ++truth_.no_launch_events;
    truth_.no_launch_ns += ns;
    return;
  }
  if (is_in_step_) {
    PytorchTruth::Step& step = truth_.steps.back();
    ++(spec.kind == GpuKind::kernel ? step.kernels : step.memory);
    (spec.kind == GpuKind::kernel ? step.kernels_ns : step.memory_ns) += ns;
  }
  count_owner(spec, ns);
}

// Adds a GPU activity to the op, modules and collective that launched it.
void Recorder::count_owner(const GpuSpec&, int64_t ns) {
  ThreadState& thread = state();
  ++gpu_stamp_;
  const auto count_modules = [&](const std::vector<NameId>& modules, bool is_forward) {
    for (const NameId id : modules) {
      Name& module = at(id);
      if (module.stamp == gpu_stamp_) continue;
      module.stamp = gpu_stamp_;
      ++(is_forward ? module.module.gpu_forward_events : module.module.gpu_backward_events);
      (is_forward ? module.module.gpu_forward_ns : module.module.gpu_backward_ns) += ns;
    }
  };
  if (thread.ops.empty()) {
    ++truth_.no_op_events;
    truth_.no_op_ns += ns;
    ++outside_.gpu_events;
    outside_.gpu_ns += ns;
    count_modules(thread.modules, true);
    return;
  }
  const OpenOp& innermost = thread.ops.back();
  ++at(innermost.spec->name).op.gpu_events_self;
  at(innermost.spec->name).op.gpu_self_ns += ns;
  bool has_outer = false, has_collective = false;
  for (auto above = thread.ops.rbegin(); above != thread.ops.rend(); ++above) {
    Name& above_name = at(above->spec->name);
    if (above_name.stamp != gpu_stamp_) {
      above_name.stamp = gpu_stamp_;
      ++above_name.op.gpu_events_total;
      above_name.op.gpu_total_ns += ns;
    }
    if (above->is_outer && !has_outer) {
      has_outer = true;
      ++outer_row(*above).gpu_events;
      outer_row(*above).gpu_ns += ns;
    }
    if (!above->spec->collective.empty() && !has_collective) {
      has_collective = true;
      PytorchTruth::Collective& row = truth_.collectives[above->spec->collective];
      ++row.gpu_events;
      row.gpu_ns += ns;
    }
  }
  if (!has_outer) {
    ++outside_.gpu_events;
    outside_.gpu_ns += ns;
  }
  if (!innermost.has_backward) {
    count_modules(thread.modules, true);
  } else if (innermost.modules != nullptr && options_.with_stack) {
    count_modules(*innermost.modules, false);
  }
}

// Memory

Recorder::Block Recorder::allocate(int64_t bytes, bool is_on_gpu) {
  Block block{0, (bytes + 511) / 512 * 512, is_on_gpu};
  if (!options_.profile_memory || is_array_) return block;
  advance();
  std::vector<int64_t>& freed = free_blocks_[block.bytes];
  if (freed.empty()) {
    block.address = next_address_;
    next_address_ += block.bytes;
  } else {
    block.address = freed.back();
    freed.pop_back();
  }
  constexpr int64_t kSegment = 20 << 20;
  int64_t& total = is_on_gpu ? allocated_ : host_allocated_;
  total += block.bytes;
  if (is_on_gpu) reserved_ = std::max(reserved_, (total + kSegment - 1) / kSegment * kSegment);
  memory_records_.push_back({now_, next_order_++, block.bytes, block.address, total,
                             is_on_gpu ? reserved_ : 0, is_on_gpu, thread_});
  return block;
}

void Recorder::free(const Block& block) {
  if (!options_.profile_memory || is_array_) return;
  advance();
  free_blocks_[block.bytes].push_back(block.address);
  int64_t& total = block.is_on_gpu ? allocated_ : host_allocated_;
  total -= block.bytes;
  memory_records_.push_back({now_, next_order_++, -block.bytes, block.address, total,
                             block.is_on_gpu ? reserved_ : 0, block.is_on_gpu, thread_});
}

void Recorder::finish(PytorchTruth& truth) {
  flush();
  if (!is_array_) write_metadata();
  unions_.sweep(std::numeric_limits<int64_t>::max());
  truth = std::move(truth_);
  truth.events = writer_.events();
  truth.origin_ns = offset_ns_ + first_ns_;
  truth.span_ns = last_ns_ - first_ns_;
  truth.has_categories = !is_array_;
  const std::string device = fmt::format("{}", device_);
  for (std::size_t i = 0; i < truth.steps.size(); ++i) {
    PytorchTruth::Step& step = truth.steps[i];
    if (!step.name) {
      step.window_ns = truth.span_ns;
      step.devices[device] = unions_.total();
      continue;
    }
    step.start_ns -= first_ns_;
    if (unions_.windows()[i].busy_union_ns > 0) step.devices[device] = unions_.windows()[i];
  }
  if (is_array_) {
    truth.links.clear();
    truth.collectives.clear();
  } else {
    truth.devices[device] = unions_.total();
  }
  static constexpr const char* kDirections[] = {"", "forward", "backward", "recompute"};
  for (const auto& [id, outer] : outer_) {
    for (std::size_t i = 1; i < 4; ++i) {
      if (outer.rows[i].calls == 0) continue;
      truth.outer_ops[text_of(id) + "|" + kDirections[i]] = outer.rows[i];
    }
  }
  if (outside_.gpu_events > 0) truth.outer_ops["|outside"] = outside_;
  for (const Name& row : names_) {
    if (row.op.calls > 0) truth.ops[row.text] = row.op;
    if (row.module.calls > 0 && !is_array_) truth.modules[row.text] = row.module;
    if (row.gpu[0].count > 0) truth.kernels[row.text] = row.gpu[0];
    if (row.gpu[1].count > 0) truth.memcpys[row.text] = row.gpu[1];
    if (row.gpu[2].count > 0) truth.memsets[row.text] = row.gpu[2];
  }
}

}  // namespace dlview::generate::pytorch
