// The planted run as an export of Nsight Systems, a DLProf database and a PyTorch trace.
#include <deque>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "aggregate/reference/reference.h"
#include "base/unfinished_file.h"
#include "generate/capture.h"
#include "generate/demo/network_parts.h"
#include "generate/demo/recorder.h"
#include "generate/dlprof.h"
#include "generate/dlprof/facts.h"
#include "generate/limits/planted_run.h"
#include "generate/nsys/marker_texts.h"
#include "generate/pytorch.h"
#include "generate/pytorch/event_writer.h"

namespace dlview::generate::limits {
namespace {

constexpr std::string_view kStack =
    "train.py:61\n/opt/conda/lib/python3.8/site-packages/torch/nn/modules/module.py:1102";

profile::Device device_of(const Gpu& gpu) {
  profile::Device device;
  device.source_id = 1;
  device.name = gpu.name;
  device.compute_capability_major = gpu.cc_major;
  device.compute_capability_minor = gpu.cc_minor;
  device.sm_count = static_cast<int32_t>(gpu.sm_count);
  device.memory_total_bytes = gpu.memory_bytes;
  return device;
}

std::string_view data_type(const PlantedOp& op) {
  return op.is_half ? "float16" : "float32";
}

// pyprof has the weight of a linear layer as torch.nn does: N,K;M,K. clone() has no target.
std::vector<std::vector<int64_t>> module_inputs(const PlantedOp& op) {
  std::vector<std::vector<int64_t>> shapes = op.inputs;
  if (op.type == "clone") shapes.pop_back();
  if (op.type == "linear") std::swap(shapes[1][0], shapes[1][1]);
  return shapes;
}

std::string op_text(const PlantedOp& op) {
  return nsys::op_marker(op.type, demo::shapes_json(module_inputs(op)), data_type(op));
}

// Nsight Systems' short name.
std::string short_name(const PlantedKernel& kernel) {
  return std::string(kernel.name.of(CsvNames::function));
}

demo::OpSpec spec_of(const PlantedRun& run, const PlantedOp& op) {
  demo::OpSpec spec;
  spec.name = op.name;
  spec.type = op.type;
  spec.direction = "fprop";
  spec.data_type = data_type(op);
  spec.stack_trace = kStack;
  spec.input_shapes = demo::shapes_json(module_inputs(op));
  spec.input_names = demo::names_json(op.inputs.size());
  if (op.type == "linear" || op.type == "conv2d") {
    spec.data_format = op.type == "linear" ? "N,K;M,K" : "N,C,H,W;K,C,R,S";
    spec.output_format = op.type == "linear" ? "N,M" : "N,K,P,Q";
    if (op.type == "conv2d") spec.parameters_format = "SH,SW;PH,PW;DH,DW;G";
    spec.output_shapes = demo::shapes_json({op.output});
    spec.output_names = demo::names_json(1);
    spec.tensor_core_support = profile::TensorCoreSupport::eligible;
  }
  const PlantedKernel& kernel = run.kernels[op.kernel];
  demo::KernelSpec launched;
  launched.name = short_name(kernel);
  launched.long_name = kernel.name.of(CsvNames::old_style);
  launched.tensor_cores = kernel.tensor_cores;
  launched.grid = kernel.grid;
  launched.block = kernel.block;
  spec.kernels = {std::move(launched)};
  return spec;
}

profile::SystemFacts facts_of_run() {
  profile::SystemFacts facts = dlprof_facts();
  facts.profile_name = "synthetic limits";
  facts.original_command = "dlview generate --limits";
  return facts;
}

// Events of a trace, as Kineto writes them.
class TraceWriter {
 public:
  TraceWriter(const PlantedRun& run, pytorch::EventWriter& out) : run_(run), out_(out) {}

  void write() {
    for (std::size_t i = 0; i < run_.steps.size(); ++i) {
      const auto& [begin, end] = run_.steps[i];
      begin_x("user_annotation", fmt::format("ProfilerStep#{}", i), kProcess,
              fmt::format("{}", kProcess));
      end_x(begin, end, fmt::format("\"External id\": {}", ++external_id_));
    }
    int64_t correlation = 0;
    for (const PlantedLaunch& launch : run_.launches) {
      if (launch.op >= 0) write_op(launch);
      ++correlation;
      write_call(launch, correlation);
      write_kernel(launch, correlation);
    }
  }

 private:
  void begin_x(std::string_view category, std::string_view name, int64_t process,
               std::string_view thread) {
    category_ = fmt::format("\"{}\"", category);
    name_ = pytorch::json_string(name);
    thread_ = thread;
    out_.begin();
    out_.add("\"ph\"", "\"X\"");
    out_.add("\"cat\"", category_);
    out_.add("\"name\"", name_);
    out_.add("\"pid\"", process);
    out_.add("\"tid\"", thread_);
    out_.end_line();
  }
  void end_x(int64_t start_ns, int64_t end_ns, std::string_view arguments) {
    arguments_ = fmt::format("{{\n      {}\n    }}", arguments);
    out_.add_time("\"ts\"", start_ns);
    out_.add_time("\"dur\"", end_ns - start_ns);
    out_.end_line();
    out_.add("\"args\"", arguments_);
    out_.end();
  }
  void write_op(const PlantedLaunch& launch) {
    const PlantedOp& op = run_.ops[static_cast<std::size_t>(launch.op)];
    std::vector<std::string> types, concrete, dims, strides;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      types.push_back(pytorch::json_string(op.input_types[i]));
      concrete.emplace_back("\"\"");
      dims.push_back(fmt::format("[{}]", fmt::join(op.inputs[i], ", ")));
      std::vector<int64_t> steps(op.inputs[i].size(), 1);
      for (std::size_t d = steps.size(); d-- > 1;) steps[d - 1] = steps[d] * op.inputs[i][d];
      strides.push_back(fmt::format("[{}]", fmt::join(steps, ", ")));
    }
    for (const std::string& value : op.concrete) {
      const bool is_list = value.starts_with("[");
      types.emplace_back(value.empty() ? "\"\"" : is_list ? "\"ScalarList\"" : "\"Scalar\"");
      concrete.push_back(pytorch::json_string(value));
      dims.emplace_back("[]");
      strides.emplace_back("[]");
    }
    ++external_id_;
    begin_x("cpu_op", op.torch_name, kProcess, fmt::format("{}", kProcess));
    end_x(launch.op_start_ns, launch.op_end_ns,
          fmt::format("\"External id\": {},\"Record function id\": 0, \"Sequence number\": {}, "
                      "\"Fwd thread id\": 0, \"Concrete Inputs\": [{}], \"Input type\": [{}], "
                      "\"Input Strides\": [{}], \"Input Dims\": [{}], \"Ev Idx\": {}",
                      external_id_, launch.sequence, fmt::join(concrete, ", "),
                      fmt::join(types, ", "), fmt::join(strides, ", "), fmt::join(dims, ", "),
                      external_id_));
  }

  void write_call(const PlantedLaunch& launch, int64_t correlation) {
    const std::string thread = fmt::format("{}", kProcess);
    begin_x("cuda_runtime", "cudaLaunchKernel", kProcess, thread);
    end_x(launch.api_start_ns, launch.api_end_ns,
          fmt::format("{}\"cbid\": 211, \"correlation\": {}", external(launch), correlation));
    out_.add_flow(true, correlation, kProcess, thread, launch.api_start_ns);
  }

  void write_kernel(const PlantedLaunch& launch, int64_t correlation) {
    const PlantedKernel& kernel = run_.kernels[launch.kernel];
    const int64_t blocks = int64_t{kernel.grid.x} * kernel.grid.y * kernel.grid.z;
    const double per_sm = static_cast<double>(blocks) / static_cast<double>(run_.gpu.sm_count);
    const std::string stream = fmt::format("{}", launch.stream);
    begin_x("kernel", kernel.name.of(CsvNames::demangled), 0, stream);
    end_x(launch.start_ns, launch.end_ns,
          fmt::format("{}\"queued\": 0, \"device\": 0, \"context\": 1,\n      \"stream\": {}, "
                      "\"correlation\": {},\n      \"registers per thread\": {},\n      \"shared "
                      "memory\": {},\n      \"blocks per SM\": {:.6f},\n      \"warps per SM\": "
                      "{:.6f},\n      \"grid\": [{}, {}, {}],\n      \"block\": [{}, {}, {}],\n   "
                      "   \"est. achieved occupancy %\": {}",
                      external(launch), launch.stream, correlation, kernel.registers,
                      kernel.shared_bytes, per_sm, per_sm * kernel.block.x / 32, kernel.grid.x,
                      kernel.grid.y, kernel.grid.z, kernel.block.x, kernel.block.y, kernel.block.z,
                      std::min<int64_t>(100, block_limits(run_.gpu, kernel).least() *
                                                 kernel.block.x * 100 / 2048)));
    out_.add_flow(false, correlation, 0, stream, launch.start_ns);
  }
  std::string external(const PlantedLaunch& launch) const {
    return launch.op < 0 ? "" : fmt::format("\"External id\": {},\n      ", external_id_);
  }

  const PlantedRun& run_;
  pytorch::EventWriter& out_;
  std::string category_, name_, thread_, arguments_;
  int64_t external_id_ = 0;
};

pytorch::EventWriter::Header header_of(const Gpu& gpu) {
  return {
      {"schemaVersion", "1"},
      {"deviceProperties",
       fmt::format("[\n    {{\n      \"id\": 0, \"name\": \"{}\", \"totalGlobalMem\": {},\n      "
                   "\"computeMajor\": {}, \"computeMinor\": {},\n      \"maxThreadsPerBlock\": "
                   "1024, \"maxThreadsPerMultiprocessor\": 2048,\n      \"regsPerBlock\": "
                   "65536, \"warpSize\": 32,\n      \"sharedMemPerBlock\": 49152, \"numSms\": "
                   "{},\n      \"regsPerMultiprocessor\": 65536, \"sharedMemPerBlockOptin\": "
                   "{}, \"sharedMemPerMultiprocessor\": {}\n    }}\n  ]",
                   gpu.name, gpu.memory_bytes, gpu.cc_major, gpu.cc_minor, gpu.sm_count,
                   gpu.shared_per_sm - 1024, gpu.shared_per_sm)},
      {"cuda_driver_version", "12080"},
      {"cuda_runtime_version", "12080"},
      {"record_shapes", "1"},
      {"displayTimeUnit", "\"ms\""},
      {"baseTimeNanoseconds", "1775001600000000000"}};
}

}  // namespace

std::vector<std::string> range_path(const PlantedRun& run, const PlantedLaunch& launch) {
  if (launch.op < 0) return {"warm-up"};
  const PlantedOp& op = run.ops[static_cast<std::size_t>(launch.op)];
  return {fmt::format("step {}", launch.iteration), nsys::trace_marker(kStack, op.name),
          op_text(op), nsys::forward_text(op.type, launch.sequence)};
}

base::Status write_export(const PlantedRun& run, NsysSchema schema,
                          const std::filesystem::path& path, base::Progress& progress,
                          IfExists if_exists) {
  constexpr int64_t kMarginNs = 100;
  Capture capture;
  capture.devices = {device_of(run.gpu)};
  capture.threads = {{{kProcess, kProcess}, "python"}};
  capture.ranges.push_back({run.warm_up.first - kMarginNs, run.warm_up.second, 0, "warm-up"});
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    capture.ranges.push_back(
        {run.steps[i].first, run.steps[i].second, 0, fmt::format("step {}", i + 1)});
  }
  for (const PlantedLaunch& launch : run.launches) {
    if (launch.op >= 0) {
      const std::vector<std::string> texts = range_path(run, launch);
      for (std::size_t depth = 1; depth < texts.size(); ++depth) {
        const int64_t margin = kMarginNs * (3 - static_cast<int64_t>(depth));
        capture.ranges.push_back(
            {launch.op_start_ns - margin, launch.op_end_ns + margin, 0, texts[depth]});
      }
    }
    const PlantedKernel& kernel = run.kernels[launch.kernel];
    capture.calls.push_back({launch.api_start_ns, launch.api_end_ns, 0, "cudaLaunchKernel_v7000"});
    Capture::Work work;
    work.start_ns = launch.start_ns;
    work.end_ns = launch.end_ns;
    work.call = capture.calls.size() - 1;
    work.stream = launch.stream;
    work.name = short_name(kernel);
    work.long_name = kernel.name.of(CsvNames::old_style);
    work.mangled_name = kernel.name.of(CsvNames::mangled);
    work.grid = kernel.grid;
    work.block = kernel.block;
    capture.works.push_back(std::move(work));
  }
  return write_capture(capture, schema, path, progress, if_exists);
}

base::Status write_database(const PlantedRun& run, const std::filesystem::path& path,
                            base::Progress& progress, IfExists if_exists) {
  demo::Recorder recorder;
  const profile::Row device = recorder.add_device(device_of(run.gpu));
  const profile::Row thread = recorder.add_thread({kProcess, kProcess});
  std::deque<demo::OpSpec> specs;  // known by their addresses
  demo::OpSpec& step = specs.emplace_back();
  step.name = "/module/Trainer::train_step/begin";
  step.type = "train_step";
  step.direction = "fprop";
  step.stack_trace = "train.py:58";
  for (const auto& [begin, end] : run.steps) {
    recorder.end(recorder.begin(step, 0, thread, begin), begin + 500);
  }
  for (const PlantedOp& op : run.ops) specs.push_back(spec_of(run, op));
  demo::OpSpec warm_up = spec_of(run, run.ops.front());
  warm_up.name = "/module/Net::warm_up/empty";
  warm_up.type = "empty";
  warm_up.input_shapes = warm_up.input_names = warm_up.output_shapes = warm_up.output_names =
      "null\n";
  warm_up.data_format = warm_up.output_format = "";
  warm_up.tensor_core_support = profile::TensorCoreSupport::none;
  for (const PlantedLaunch& launch : run.launches) {
    const demo::OpSpec& spec =
        launch.op < 0 ? warm_up : specs[static_cast<std::size_t>(launch.op) + 1];
    const int64_t begin = launch.op < 0 ? launch.api_start_ns - 500 : launch.op_start_ns;
    const auto instance = recorder.begin(spec, 0, thread, begin);
    recorder.kernel(instance, spec.kernels.front(), device,
                    {launch.api_start_ns, launch.api_end_ns, launch.start_ns, launch.end_ns});
    recorder.end(instance, launch.op < 0 ? launch.api_end_ns + 200 : launch.op_end_ns);
  }
  const auto profile =
      std::make_shared<const profile::Profile>(std::move(recorder).finish(facts_of_run()));
  const auto reference = aggregate::make_reference_aggregator(profile, &progress);
  aggregate::Selection selection;
  selection.cut.key_op = "TRAIN_STEP_1";
  selection.range = {0, std::ssize(run.steps)};
  return write_dlprof_database(*profile, {reference->aggregate(selection)}, path, progress,
                               if_exists);
}

base::Status write_trace(const PlantedRun& run, const std::filesystem::path& path,
                         IfExists if_exists) {
  DLVIEW_TRY(check_target(path, if_exists));
  base::Result<base::UnfinishedFile> target = base::UnfinishedFile::create(path);
  if (!target) return std::move(target).error();
  pytorch::TraceFile file(target->out(), path.extension() == ".gz");
  pytorch::EventWriter writer(file, {});
  writer.begin_file(header_of(run.gpu));
  TraceWriter(run, writer).write();
  writer.end_file({{"traceName", "\"/tmp/trace.json\""}});
  file.finish();
  return target->finish();
}

}  // namespace dlview::generate::limits
