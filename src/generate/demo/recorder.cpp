#include "generate/demo/recorder.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace dlview::generate::demo {
namespace {

using profile::Row;
using profile::StringId;

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// Indices of `rows`, in ascending order of key(row); equal keys stay as they are.
template <typename T, typename Key>
std::vector<Row> order_by(const std::vector<T>& rows, Key key) {
  std::vector<Row> order(rows.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Row a, Row b) { return key(rows[a]) < key(rows[b]); });
  return order;
}

}  // namespace

StringId Recorder::intern(std::string_view text) {
  const StringId id = builder_.intern(text);
  if (id >= texts_.size()) texts_.resize(id + 1);
  texts_[id] = text;
  return id;
}

Row Recorder::add_op(const OpSpec& spec) {
  profile::OpRow op;
  op.name = intern(spec.name);
  op.type = intern(spec.type);
  op.direction = intern(spec.direction);
  op.data_type = intern(spec.data_type);
  op.data_format = intern(spec.data_format);
  op.output_format = intern(spec.output_format);
  op.parameters_format = intern(spec.parameters_format);
  op.stack_trace = intern(spec.stack_trace);
  op.tensor_core_support = spec.tensor_core_support;
  ops_.push_back(op);
  return static_cast<Row>(ops_.size() - 1);
}

Recorder::Instance Recorder::begin(const OpSpec& spec, int place, Row thread,
                                   int64_t cpu_start_ns) {
  const auto [known, added] = op_rows_.emplace(std::pair(&spec, place), Row{0});
  if (added) known->second = add_op(spec);
  profile::OpInstanceRow row;
  row.op = known->second;
  row.cpu_start_ns = cpu_start_ns;
  row.thread = thread;
  row.input_names = intern(spec.input_names);
  row.input_shapes = intern(spec.input_shapes);
  row.output_names = intern(spec.output_names);
  row.output_shapes = intern(spec.output_shapes);
  row.parameters = intern(spec.parameters);
  instances_.push_back(row);
  return static_cast<Instance>(instances_.size() - 1);
}

void Recorder::kernel(Instance instance, const KernelSpec& spec, Row device, const Times& times) {
  const auto [texts, added] = kernel_texts_.emplace(&spec, KernelTexts{});
  if (added) texts->second = {intern(spec.name), intern(spec.long_name)};
  profile::KernelRow row;
  row.instance = instance;
  row.name = texts->second.name;
  row.long_name = texts->second.long_name;
  row.uses_tensor_cores = spec.tensor_cores;
  row.api_start_ns = times.api_start_ns;
  row.api_stop_ns = times.api_stop_ns;
  row.gpu_start_ns = times.gpu_start_ns;
  row.gpu_stop_ns = times.gpu_stop_ns;
  row.launch = builder_.intern_launch({spec.grid, spec.block, device, instances_[instance].thread});
  kernels_.push_back(row);
}

void Recorder::memory_op(Instance instance, const MemorySpec& spec, Row device,
                         const Times& times) {
  profile::MemoryOpRow row;
  row.instance = instance;
  row.kind = spec.kind;
  row.name = intern(spec.kind == profile::MemoryOpKind::memset ? "cudaMemsetAsync_v3020"
                                                               : "cudaMemcpyAsync_v3020");
  row.copy_kind = spec.copy_kind;
  row.bytes = spec.bytes;
  row.api_start_ns = times.api_start_ns;
  row.api_stop_ns = times.api_stop_ns;
  row.gpu_start_ns = times.gpu_start_ns;
  row.gpu_stop_ns = times.gpu_stop_ns;
  row.device = device;
  row.thread = instances_[instance].thread;
  memory_ops_.push_back(row);
}

void Recorder::sync(Instance instance, std::string_view call, int32_t sync_type,
                    int64_t api_start_ns, int64_t api_stop_ns) {
  constexpr int64_t kNoEvent = 4294967295;
  profile::SyncRow row;
  row.instance = instance;
  row.name = intern(call);
  row.api_start_ns = api_start_ns;
  row.api_stop_ns = api_stop_ns;
  row.sync_type = sync_type;
  row.event_id = sync_type == 2 ? 32 : kNoEvent;
  row.thread = instances_[instance].thread;
  syncs_.push_back(row);
}

void Recorder::api_call(Instance instance, std::string_view call, int64_t api_start_ns,
                        int64_t api_stop_ns) {
  profile::ApiCallRow row;
  row.instance = instance;
  row.name = intern(call);
  row.api_start_ns = api_start_ns;
  row.api_stop_ns = api_stop_ns;
  row.thread = instances_[instance].thread;
  api_calls_.push_back(row);
}

// Outside of every op an instance lasts as long as the call that it is made of.
void Recorder::fit_to_calls() {
  for (const profile::SyncRow& row : syncs_) {
    profile::OpInstanceRow& instance = instances_[row.instance];
    if (ops_[instance.op].tensor_core_support != profile::TensorCoreSupport::unassociated) continue;
    instance.cpu_start_ns = row.api_start_ns;
    instance.cpu_stop_ns = row.api_stop_ns;
  }
}

// Ops of a type are counted in the order in which they first ran.
void Recorder::name_ops() {
  std::vector<int64_t> first_start(ops_.size(), INT64_MAX);
  for (const profile::OpInstanceRow& row : instances_) {
    first_start[row.op] = std::min(first_start[row.op], row.cpu_start_ns);
  }
  std::vector<Row> rows(ops_.size());
  std::iota(rows.begin(), rows.end(), Row{0});
  std::stable_sort(rows.begin(), rows.end(),
                   [&](Row a, Row b) { return first_start[a] < first_start[b]; });
  std::map<StringId, int> count_of_type;
  for (const Row row : rows) {
    const int number = ++count_of_type[ops_[row].type];
    ops_[row].id = intern(fmt::format("{}_{}", upper_case(texts_[ops_[row].type]), number));
  }
}

void Recorder::add_ops_in_order() {
  const std::vector<Row> order = order_by(ops_, [this](const profile::OpRow& row) {
    return std::pair<std::string_view, std::string_view>(texts_[row.name], texts_[row.id]);
  });
  std::vector<Row> new_row(ops_.size());
  int64_t id = 0;
  for (const Row old : order) {
    ops_[old].source_id = ++id;
    new_row[old] = builder_.add_op(ops_[old]);
  }
  for (profile::OpInstanceRow& row : instances_) row.op = new_row[row.op];
}

void Recorder::add_instances_in_order() {
  const std::vector<Row> order = order_by(instances_, [](const profile::OpInstanceRow& row) {
    return std::pair(row.op, row.cpu_start_ns);
  });
  int64_t id = 0;
  for (const Row row : order) instances_[row].source_id = ++id;
  for (const profile::OpInstanceRow& row : instances_) builder_.add_instance(row);
}

template <typename EventRow>
std::vector<Row> Recorder::file_order(const std::vector<EventRow>& events) const {
  return order_by(events, [this](const EventRow& row) {
    return std::tuple<Row, std::string_view, int64_t>(instances_[row.instance].op, texts_[row.name],
                                                      row.api_start_ns);
  });
}

void Recorder::number_events() {
  int64_t kernel = 0, memcpy = 0, memset = 0, sync = 0, api_call = 0;
  for (const Row row : file_order(kernels_)) kernels_[row].source_id = ++kernel;
  for (const Row row : file_order(memory_ops_)) {
    profile::MemoryOpRow& event = memory_ops_[row];
    event.source_id = event.kind == profile::MemoryOpKind::memset ? ++memset : ++memcpy;
  }
  for (const Row row : file_order(syncs_)) syncs_[row].source_id = ++sync;
  for (const Row row : file_order(api_calls_)) api_calls_[row].source_id = ++api_call;
}

profile::Profile Recorder::finish(profile::SystemFacts system) && {
  fit_to_calls();
  name_ops();
  add_ops_in_order();
  add_instances_in_order();
  number_events();
  for (const profile::KernelRow& row : kernels_) builder_.add_kernel(row);
  for (const profile::MemoryOpRow& row : memory_ops_) builder_.add_memory_op(row);
  for (const profile::SyncRow& row : syncs_) builder_.add_sync(row);
  for (const profile::ApiCallRow& row : api_calls_) builder_.add_api_call(row);
  builder_.system = std::move(system);
  return std::move(builder_).finish();
}

}  // namespace dlview::generate::demo
