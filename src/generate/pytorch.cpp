#include "generate/pytorch.h"

#include <algorithm>
#include <numeric>
#include <ostream>
#include <streambuf>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/unfinished_file.h"
#include "generate/option_limits.h"
#include "generate/pytorch/event_writer.h"
#include "generate/pytorch/training.h"

namespace dlview::generate {
namespace {

constexpr int kMostRanks = 1024;
constexpr int64_t kMostPytorchBytes = int64_t{1} << 40;

base::Status check_pytorch(const PytorchOptions& options) {
  base::Status status = check_options({{"--iterations", options.iterations, 0, kMostIterations},
                                       {"--kernels", options.kernels, 1, kMostKernels},
                                       {"--size", options.bytes, 0, kMostPytorchBytes},
                                       {"--gpus", options.gpus, 1, kMostRanks},
                                       {"--rank", options.rank, 0, options.gpus - 1},
                                       {"--indent", options.indent, 0, 8}});
  if (!status) return status;
  if (options.writer == PytorchWriter::python_exporter && options.schema != PytorchSchema::v2026) {
    return base::Error{"Invalid --schema", "writer B exists only for 2026",
                       "Use --schema 2026 or another writer"};
  }
  if (options.gpu == PytorchGpu::amd && options.schema < PytorchSchema::v2024) {
    return base::Error{"Invalid --schema", "traces of AMD GPUs begin in 2024",
                       "Use --schema 2024 or later"};
  }
  if (options.sync_events &&
      (options.gpu == PytorchGpu::amd || options.schema < PytorchSchema::v2023)) {
    return base::Error{"Invalid --sync-events", "only NVIDIA's profiler writes them, since 2023",
                       "Use --schema 2023 or later and --vendor nvidia"};
  }
  return base::Success{};
}

base::Status check_changes(const PytorchOptions& options) {
  for (const PlantedChange& change : options.changes) {
    const std::string title = fmt::format("Invalid --change: \"{}\"", to_text(change));
    const bool names_gpu = change.kind == PlantedKind::other_gpu;
    if (!names_gpu && change.kind != PlantedKind::slower_op && change.kind != PlantedKind::clocks) {
      return base::Error{title, "traces have slower-op, clocks and other-gpu",
                         "Use --format dlprof or nsys"};
    }
    if (names_gpu && options.gpu == PytorchGpu::amd) {
      return base::Error{title, "traces of AMD GPUs name no model", "Use --vendor nvidia"};
    }
  }
  return base::Success{};
}

// An op that launches nothing is a mistake in its name.
base::Status check_slower_ops(const PytorchOptions& options, const PytorchTruth& truth) {
  for (const PlantedChange& change : options.changes) {
    if (change.kind != PlantedKind::slower_op) continue;
    const auto op = truth.ops.find(change.op);
    if (op != truth.ops.end() && op->second.gpu_events_total > 0) continue;
    return base::Error{fmt::format("Invalid --change: \"{}\"", to_text(change)),
                       fmt::format("no op \"{}\" launches kernels", change.op),
                       "Write the name of an op of the trace, for example aten::linear"};
  }
  return base::Success{};
}

std::string device_properties(const PytorchOptions& options) {
  struct Model {
    std::string_view name;
    int64_t bytes;
    int major, minor, multiprocessors, shared;
  };
  static constexpr Model kV100{"Tesla V100-SXM2-32GB", 34'089'730'048, 7, 0, 80, 98'304};
  static constexpr Model kA100{"NVIDIA A100-SXM4-80GB", 85'097'971'712, 8, 0, 108, 167'936};
  static constexpr Model kH100{"NVIDIA H100 80GB HBM3", 84'942'979'072, 9, 0, 132, 233'472};
  static constexpr Model kMI300X{"", 205'822'885'888, 9, 4, 304, 65'536};
  const bool is_amd = options.gpu == PytorchGpu::amd;
  const bool is_other = std::ranges::find(options.changes, PlantedKind::other_gpu,
                                          &PlantedChange::kind) != options.changes.end();
  const Model& usual = is_amd                                   ? kMI300X
                       : options.schema == PytorchSchema::v2021 ? kV100
                       : options.schema == PytorchSchema::v2023 ? kA100
                                                                : kH100;
  const Model& model = !is_other ? usual : &usual == &kA100 ? kH100 : kA100;
  std::string result = "[";
  for (int id = 0; id < 8; ++id) {
    result += fmt::format(
        "{}\n    {{\n      \"id\": {}, \"name\": \"{}\", \"totalGlobalMem\": {},\n      "
        "\"computeMajor\": {}, \"computeMinor\": {},\n      \"maxThreadsPerBlock\": 1024, "
        "\"maxThreadsPerMultiprocessor\": 2048,\n      \"regsPerBlock\": 65536, \"warpSize\": "
        "{},\n      \"sharedMemPerBlock\": {}, \"numSms\": {}",
        id == 0 ? "" : ",", id, model.name, model.bytes, model.major, model.minor, is_amd ? 64 : 32,
        is_amd ? model.shared : 49'152, model.multiprocessors);
    if (!is_amd) {
      result += fmt::format(
          ",\n      \"regsPerMultiprocessor\": 65536, \"sharedMemPerBlockOptin\": {}, "
          "\"sharedMemPerMultiprocessor\": {}",
          model.shared - 1'024, model.shared);
    }
    result += "\n    }";
  }
  return result + "\n  ]";
}

std::string distributed_info(const PytorchOptions& options) {
  std::string result = fmt::format("{{\"backend\": \"nccl\", \"rank\": {}, \"world_size\": {}",
                                   options.rank, options.gpus);
  if (options.schema >= PytorchSchema::v2024) {
    std::vector<int> ranks(static_cast<std::size_t>(options.gpus));
    std::iota(ranks.begin(), ranks.end(), 0);
    result += fmt::format(
        ", \"pg_count\": 1, \"pg_config\": [{{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", "
        "\"backend_config\": \"cuda:nccl\", \"pg_size\": {}, \"ranks\": [{}]}}], "
        "\"nccl_version\": \"2.26.2\"",
        options.gpus, fmt::join(ranks, ", "));
  }
  return result + "}";
}

pytorch::EventWriter::Header make_header(const PytorchOptions& options) {
  pytorch::EventWriter::Header header;
  header.emplace_back("schemaVersion", "1");
  header.emplace_back("deviceProperties", device_properties(options));
  if (options.gpus > 1) header.emplace_back("distributedInfo", distributed_info(options));
  if (options.gpu == PytorchGpu::amd) {
    header.emplace_back("hip_driver_version", "60443483");
    header.emplace_back("hip_runtime_version", "60443483");
    header.emplace_back("roctracer_version", "4");
  } else if (options.schema == PytorchSchema::v2026) {
    header.emplace_back("cuda_driver_version", "12080");
    header.emplace_back("cuda_runtime_version", "12080");
    header.emplace_back("cupti_version", "26");
  }
  if (options.schema > PytorchSchema::v2021) {
    if (options.record_shapes) header.emplace_back("record_shapes", "1");
    if (options.with_stack) header.emplace_back("with_stack", "1");
    if (options.profile_memory) header.emplace_back("profile_memory", "1");
  }
  if (options.schema >= PytorchSchema::v2024) {
    header.emplace_back("trace_id", fmt::format("\"{:032X}\"", options.seed));
    header.emplace_back("displayTimeUnit", "\"ms\"");
  }
  if (options.schema == PytorchSchema::v2026) {
    header.emplace_back("baseTimeNanoseconds", "1775001600000000000");
  }
  return header;
}

// Members of one JSON object, in one line.
class Members {
 public:
  void add(std::string_view key, int64_t value) { add_json(key, fmt::format("{}", value)); }
  void add_if(bool is_there, std::string_view key, int64_t value) {
    if (is_there) add(key, value);
  }
  void add_json(std::string_view key, std::string_view json) {
    text_ += fmt::format("{}{}: {}", text_.empty() ? "" : ", ", pytorch::json_string(key), json);
  }
  std::string object() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

template <typename Row, typename AddMembers>
std::string table(const std::map<std::string, Row>& rows, const AddMembers& add_members) {
  std::string result = "{";
  for (const auto& [name, row] : rows) {
    Members members;
    add_members(members, row);
    result += fmt::format("{}\n  {}: {}", result.size() > 1 ? "," : "", pytorch::json_string(name),
                          members.object());
  }
  return result + "}";
}

std::string devices_json(const std::map<std::string, PytorchTruth::GpuFigures>& devices) {
  Members result;
  for (const auto& [device, figures] : devices) {
    Members members;
    members.add("kernel_union_ns", figures.kernel_union_ns);
    members.add("busy_union_ns", figures.busy_union_ns);
    members.add("communication_union_ns", figures.communication_union_ns);
    members.add("exposed_communication_ns", figures.exposed_communication_ns);
    result.add_json(device, members.object());
  }
  return result.object();
}

std::string step_json(const PytorchTruth::Step& step) {
  Members members, launched;
  members.add_json("name", step.name ? pytorch::json_string(*step.name) : "null");
  members.add("start_ns", step.start_ns);
  members.add_json("range_ns", step.range_ns ? fmt::format("{}", *step.range_ns) : "null");
  members.add("window_ns", step.window_ns);
  if (step.kernels > 0) {
    launched.add("kernels", step.kernels);
    launched.add("kernels_ns", step.kernels_ns);
  }
  if (step.memory > 0) {
    launched.add("memory", step.memory);
    launched.add("memory_ns", step.memory_ns);
  }
  members.add_json("launched", launched.object());
  members.add_json("devices", devices_json(step.devices));
  return members.object();
}

std::string counts_json(const std::map<std::string, int64_t>& counts) {
  Members members;
  for (const auto& [name, count] : counts) members.add(name, count);
  return members.object();
}

std::string gpu_names_json(const std::map<std::string, PytorchTruth::GpuName>& names,
                           bool has_bytes) {
  return table(names, [&](Members& members, const PytorchTruth::GpuName& row) {
    members.add("count", row.count);
    members.add("total_ns", row.total_ns);
    members.add_if(has_bytes, "bytes", row.bytes);
    members.add_if(has_bytes, "without_bytes", 0);
  });
}

std::string ops_json(const PytorchTruth& truth) {
  if (!truth.has_categories) return "{}";
  return table(truth.ops, [](Members& members, const PytorchTruth::Op& row) {
    members.add("calls", row.calls);
    members.add("host_self_ns", row.host_self_ns);
    members.add("host_total_ns", row.host_total_ns);
    members.add_if(row.api_calls > 0, "call_self_ns", row.call_self_ns);
    members.add_if(row.gpu_events_self > 0, "gpu_self_ns", row.gpu_self_ns);
    members.add_if(row.gpu_events_self > 0, "gpu_events_self", row.gpu_events_self);
    members.add_if(row.gpu_events_total > 0, "gpu_total_ns", row.gpu_total_ns);
  });
}

pytorch::EventWriter::Header make_trailer() {
  return {{"traceName", "\"/tmp/trace.json\""}};
}

// A stream that keeps nothing.
class NoBuffer : public std::streambuf {
 protected:
  int_type overflow(int_type c) override { return traits_type::not_eof(c); }
  std::streamsize xsputn(const char*, std::streamsize count) override { return count; }
};

base::Result<int64_t> json_bytes(const PytorchOptions& options) {
  NoBuffer buffer;
  std::ostream out(&buffer);
  pytorch::TraceFile file(out, false);
  base::Progress progress;
  const base::Result<PytorchTruth> truth =
      pytorch::play_training(options, file, make_header(options), make_trailer(), progress);
  if (!truth) return truth.error();
  return truth->raw_bytes;
}

// `options` with the iterations and kernels of that size.
base::Result<PytorchOptions> with_size(PytorchOptions options) {
  if (options.bytes == 0) return options;
  const int64_t kernels = options.kernels / std::max<int64_t>(1, options.iterations);
  const auto set_iterations = [&](int64_t iterations) {
    options.iterations = iterations;
    options.kernels = iterations * kernels;
  };
  // Later iterations have longer numbers: the third is about as long as the average.
  set_iterations(2);
  const base::Result<int64_t> of_two = json_bytes(options);
  if (!of_two) return of_two.error();
  set_iterations(4);
  const base::Result<int64_t> of_four = json_bytes(options);
  if (!of_four) return of_four.error();
  const int64_t per_iteration = std::max<int64_t>(1, (*of_four - *of_two) / 2);
  const int64_t rest = options.bytes - *of_two;
  set_iterations(
      std::max<int64_t>(1, 2 + (rest + (rest < 0 ? -1 : 1) * per_iteration / 2) / per_iteration));
  return options;
}

}  // namespace

base::Result<PytorchTruth> generate_pytorch(const std::filesystem::path& path,
                                            const PytorchOptions& asked, base::Progress& progress,
                                            IfExists if_exists) {
  DLVIEW_TRY(check_pytorch(asked));
  DLVIEW_TRY(check_changes(asked));
  const base::Result<PytorchOptions> sized = with_size(asked);
  if (!sized) return sized.error();
  const PytorchOptions& options = *sized;
  DLVIEW_TRY(check_target(path, if_exists));
  base::Result<base::UnfinishedFile> target = base::UnfinishedFile::create(path);
  if (!target) return std::move(target).error();
  pytorch::TraceFile file(target->out(), path.extension() == ".gz");
  base::Result<PytorchTruth> truth =
      pytorch::play_training(options, file, make_header(options), make_trailer(), progress);
  if (!truth) return truth;
  DLVIEW_TRY(check_slower_ops(options, *truth));
  file.finish();
  DLVIEW_TRY(target->finish());
  if (options.gpus > 1 && options.writer != PytorchWriter::autograd) {
    truth->rank = options.rank;
    truth->world_size = options.gpus;
  }
  return truth;
}

std::string to_json(const PytorchTruth& truth) {
  const auto or_null = [](const std::optional<int64_t>& value) {
    return value ? fmt::format("{}", *value) : "null";
  };
  std::string steps = "[";
  PytorchTruth::Step whole;
  whole.window_ns = truth.span_ns;
  for (const PytorchTruth::Step& step :
       truth.has_categories ? truth.steps : std::vector<PytorchTruth::Step>{whole}) {
    steps += fmt::format("{}\n  {}", steps.size() > 1 ? "," : "", step_json(step));
  }
  steps += "]";
  Members attribution;
  if (truth.gpu_events > 0) {
    attribution.add("events", truth.gpu_events);
    attribution.add("total_ns", truth.gpu_total_ns);
  }
  if (truth.no_launch_events > 0) {
    attribution.add("no_launch_events", truth.no_launch_events);
    attribution.add("no_launch_ns", truth.no_launch_ns);
  }
  if (truth.no_op_events > 0) {
    attribution.add("no_op_events", truth.no_op_events);
    attribution.add("no_op_ns", truth.no_op_ns);
  }
  const std::string outer_ops =
      table(truth.has_categories ? truth.outer_ops : decltype(truth.outer_ops)(),
            [](Members& members, const PytorchTruth::OuterOp& row) {
              members.add_if(row.calls > 0, "calls", row.calls);
              members.add_if(row.calls > 0, "host_ns", row.host_ns);
              members.add_if(row.gpu_events > 0, "gpu_ns", row.gpu_ns);
              members.add_if(row.gpu_events > 0, "gpu_events", row.gpu_events);
            });
  const std::string modules =
      table(truth.modules, [](Members& members, const PytorchTruth::Module& row) {
        members.add("calls", row.calls);
        members.add("host_total_ns", row.host_total_ns);
        members.add_if(row.gpu_forward_events > 0, "gpu_forward_ns", row.gpu_forward_ns);
        members.add_if(row.gpu_backward_events > 0, "gpu_backward_ns", row.gpu_backward_ns);
      });
  const std::string collectives =
      table(truth.collectives, [](Members& members, const PytorchTruth::Collective& row) {
        members.add("calls", row.calls);
        members.add("in_elements", row.in_elements);
        members.add("out_elements", row.out_elements);
        members.add_if(row.gpu_events > 0, "gpu_events", row.gpu_events);
        members.add_if(row.gpu_events > 0, "gpu_ns", row.gpu_ns);
      });
  const std::string memory =
      table(truth.memory, [](Members& members, const PytorchTruth::Memory& row) {
        members.add("events", row.events);
        members.add_if(row.allocations > 0, "allocations", row.allocations);
        members.add_if(row.allocations > 0, "allocated_bytes", row.allocated_bytes);
        members.add_if(row.frees > 0, "frees", row.frees);
        members.add_if(row.frees > 0, "freed_bytes", row.freed_bytes);
        members.add("peak_allocated", row.peak_allocated);
        members.add("peak_reserved", row.peak_reserved);
      });
  const auto waits_json = [](const std::map<std::string, PytorchTruth::Wait>& waits) {
    return table(waits, [](Members& members, const PytorchTruth::Wait& row) {
      members.add("count", row.count);
      members.add("total_ns", row.total_ns);
    });
  };
  const std::string counters =
      table(truth.counters, [](Members& members, const PytorchTruth::Counter& row) {
        members.add("values", row.values);
        members.add("most", row.most);
        members.add("sum_ns", row.sum_ns);
      });
  std::string result = "{\n \"source\": null";
  const auto add = [&](std::string_view key, std::string_view json) {
    result += fmt::format(",\n \"{}\": {}", key, json);
  };
  add("raw_bytes", fmt::format("{}", truth.raw_bytes));
  add("events", fmt::format("{}", truth.events));
  add("x_events", fmt::format("{}", truth.x_events));
  add("origin_us", fmt::format("\"{}.{:03}\"", truth.origin_ns / 1000, truth.origin_ns % 1000));
  add("span_ns", fmt::format("{}", truth.span_ns));
  add("rank", or_null(truth.rank));
  add("world_size", or_null(truth.world_size));
  add("crossing", "0");
  add("steps", steps);
  add("devices", devices_json(truth.devices));
  add("attribution", attribution.object());
  add("external_id", counts_json(truth.external_id));
  add("links", counts_json(truth.links));
  add("kernels", gpu_names_json(truth.kernels, false));
  add("memcpys", gpu_names_json(truth.memcpys, true));
  add("memsets", gpu_names_json(truth.memsets, true));
  add("ops", ops_json(truth));
  add("outer_ops", outer_ops);
  add("modules", modules);
  add("collectives", collectives);
  add("memory", memory);
  add("syncs", waits_json(truth.syncs));
  add("overheads", waits_json(truth.overheads));
  add("counters", counters);
  return result + "\n}\n";
}

}  // namespace dlview::generate
