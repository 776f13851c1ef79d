// Real files, against a reader that is too simple to be wrong in the same way.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>
#include <zlib.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "import/pytorch/read_trace.h"
#include "import/pytorch/simple_json.h"
#include "support/test_data.h"

namespace dlview::import::pytorch {
namespace {

namespace fs = std::filesystem;
using testing::SimpleJson;
using testing::SimpleJsonParser;

std::vector<fs::path> real_traces() {
  std::vector<fs::path> folders{fs::path(DLVIEW_SOURCE_DIR) / "tests/import/pytorch/traces"};
  if (testing::test_data_folder()) folders.push_back(pytorch_data());
  std::vector<fs::path> paths;
  for (const fs::path& folder : folders) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".json") || name.ends_with(".json.gz")) paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

std::string unpacked(const fs::path& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  std::string all, block(1 << 20, '\0');
  for (int got = 1; got > 0;) {
    got = gzread(file, block.data(), static_cast<unsigned>(block.size()));
    all.append(block, 0, static_cast<std::size_t>(std::max(got, 0)));
  }
  gzclose(file);
  return all;
}

// Events as lines of text, by what they are.
using EventLines = std::map<std::string, std::vector<std::string>>;

std::string ns_of(const SimpleJson& micros) {
  std::string text = micros.text.empty() ? "0" : micros.text;
  const std::size_t point = text.find('.');
  std::string fraction = point == std::string::npos ? "" : text.substr(point + 1);
  if (fraction.size() > 3 || text.find('e') != std::string::npos) throw std::runtime_error(text);
  fraction.resize(3, '0');
  return std::to_string(std::stoll(text.substr(0, point) + fraction));
}

std::string times_of(const SimpleJson& event) {
  const int64_t start = std::stoll(ns_of(event["ts"]));
  return fmt::format("{} {} {}", start, start + std::stoll(ns_of(event["dur"])),
                     event["name"].text);
}

std::string number_of(const SimpleJson& value) {
  return value.kind == SimpleJson::Kind::null ? "-" : value.text;
}

// Of synchronization, which writes none in two ways.
std::string number_or_none(const SimpleJson& value) {
  const std::string number = number_of(value);
  return number == "-1" || number == "4294967295" ? "-" : number;
}

std::string list_of(const SimpleJson& value) {
  return value.kind == SimpleJson::Kind::list ? value.dense() : "";
}

const SimpleJson& either(const SimpleJson& first, const SimpleJson& second) {
  return first.kind == SimpleJson::Kind::null ? second : first;
}

std::string dims_of(const SimpleJson& list) {
  return list.kind == SimpleJson::Kind::list ? list.dense() : "[0,0,0]";
}

void add_simple(EventLines& lines, const SimpleJson& event) {
  const std::string phase = event["ph"].text, category = event["cat"].text;
  const SimpleJson& args = event["args"];
  const std::string thread = event["pid"].text + "/" + event["tid"].text;
  if (event["name"].text == "[memory]" && phase == "i") {
    lines["memory"].push_back(fmt::format(
        "{} {} {} {} {} {} {} {}", ns_of(event["ts"]), thread, number_of(args["Addr"]),
        args["Bytes"].text, number_of(args["Total Allocated"]), number_of(args["Total Reserved"]),
        number_of(args["Device Type"]), number_of(args["Device Id"])));
  }
  if (phase != "X" || category == "Trace") return;
  lines["x"].emplace_back();
  if (category == "cpu_op" || category == "Operator" || category == "user_annotation") {
    lines["host"].push_back(fmt::format(
        "{} {} {} {} {} {} {} {} {} {}", times_of(event), thread, category == "user_annotation",
        number_of(args["Sequence number"]), number_of(args["Fwd thread id"]),
        list_of(either(args["Input Dims"], args["Input dims"])), list_of(args["Input type"]),
        list_of(args["Input Strides"]), list_of(args["Concrete Inputs"]), args["Call stack"].text));
  }
  if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime" ||
      category == "mtia_runtime") {
    lines["call"].push_back(fmt::format("{} {} {} {} {} {}", times_of(event), thread,
                                        category == "cuda_driver", number_of(args["correlation"]),
                                        dims_of(args["grid"]), dims_of(args["block"])));
  }
  if (category == "python_function") {
    lines["frame"].emplace_back();
    if (event["name"].text.starts_with("nn.Module: ")) {
      lines["module"].push_back(
          fmt::format("{} {} {} {} {}", times_of(event), thread, number_of(args["Python id"]),
                      number_of(args["Python parent id"]), number_of(args["Python module id"])));
    }
  }
  const std::string gpu = fmt::format("{} {} {} {}", times_of(event), args["device"].text,
                                      args["stream"].text, number_of(args["correlation"]));
  if (category == "kernel" || category == "Kernel") {
    lines["kernel"].push_back(
        fmt::format("{} {} {} {} {} {}", gpu, dims_of(args["grid"]), dims_of(args["block"]),
                    number_of(args["registers per thread"]), number_of(args["shared memory"]),
                    number_of(args["est. achieved occupancy %"])));
  }
  const std::string name = event["name"].text;
  if (category == "mtia_ccp_events" && !name.starts_with("event_")) {
    const std::string work = fmt::format("{} {} {} {}", times_of(event), event["pid"].text,
                                         args["stream"].text, number_of(args["correlation"]));
    if (name == "dma_request") {
      lines["cpy"].push_back(fmt::format("{} {}", work, number_of(args["size"])));
    } else {
      lines["kernel"].push_back(work + " [0,0,0] [0,0,0] - - -");
    }
  }
  for (const char* const kind : {"cpy", "set"}) {
    if (category == std::string("gpu_mem") + kind || category == std::string("Mem") + kind) {
      lines[kind].push_back(fmt::format("{} {}", gpu, number_of(args["bytes"])));
    }
  }
  if (category == "mtia_ccp_events" && name.starts_with("event_")) {
    lines["sync"].push_back(fmt::format("{} {} {} {}  {} -", times_of(event), event["pid"].text,
                                        args["stream"].text, number_of(args["correlation"]),
                                        number_or_none(args["wait_on_stream"])));
  }
  if (category == "cuda_sync") {
    lines["sync"].push_back(fmt::format(
        "{} {} {} {} {} {} {}", times_of(event), args["device"].text,
        number_or_none(args["stream"]), number_of(args["correlation"]), args["cuda_sync_kind"].text,
        number_or_none(args["wait_on_stream"]), number_or_none(args["wait_on_cuda_event_id"])));
  }
  if (category == "overhead") lines["overhead"].push_back(times_of(event));
}

EventLines lines_of(const ReadTrace& trace) {
  EventLines lines;
  const auto times = [&](const EventTime& time, StringId name) {
    return fmt::format("{} {} {}", time.start_ns, time.stop_ns, trace.text(name));
  };
  const auto thread = [&](uint32_t number) {
    return trace->threads[number].process + "/" + trace->threads[number].thread;
  };
  const auto number = [](int64_t value) { return value == kNoValue ? "-" : std::to_string(value); };
  const auto dims = [](const profile::Dim3& dim) {
    return fmt::format("[{},{},{}]", dim.x, dim.y, dim.z);
  };
  const auto gpu = [&](const GpuEvent& event) {
    return fmt::format("{} {} {} {}", times(event, event.name), event.device, event.stream,
                       number(event.correlation));
  };
  for (const HostEvent& host : trace->host) {
    if (host.kind == HostEvent::Kind::other) continue;
    const OpInputs inputs =
        host.inputs == HostEvent::kNoInputs ? OpInputs() : trace->op_inputs[host.inputs];
    lines["host"].push_back(fmt::format(
        "{} {} {} {} {} {} {} {} {} {}", times(host, host.name), thread(host.thread),
        host.kind == HostEvent::Kind::annotation, number(host.sequence_number),
        number(host.forward_thread), trace.text(inputs.dims), trace.text(inputs.types),
        trace.text(inputs.strides), trace.text(inputs.concrete), trace.text(host.call_stack)));
  }
  for (const CallEvent& call : trace->calls) {
    lines["call"].push_back(
        fmt::format("{} {} {} {} {} {}", times(call, call.name), thread(call.thread),
                    call.layer == profile::ApiLayer::driver, number(call.correlation),
                    dims(call.grid), dims(call.block)));
  }
  for (const PythonFrame& frame : trace->modules) {
    lines["module"].push_back(fmt::format("{} {} {} {} {}", times(frame, frame.name),
                                          thread(frame.thread), number(frame.id),
                                          number(frame.parent), number(frame.module_id)));
  }
  for (const KernelEvent& kernel : trace->kernels) {
    lines["kernel"].push_back(fmt::format("{} {} {} {} {} {}", gpu(kernel), dims(kernel.grid),
                                          dims(kernel.block), number(kernel.registers_per_thread),
                                          number(kernel.shared_bytes),
                                          number(kernel.occupancy_percent)));
  }
  const auto add_memory = [&](const std::string& kind, const auto& events) {
    for (const MemoryEvent& memory : events) {
      lines[kind].push_back(fmt::format("{} {}", gpu(memory), number(memory.bytes)));
    }
  };
  add_memory("cpy", trace->memcpys);
  add_memory("set", trace->memsets);
  for (const SyncEvent& sync : trace->syncs) {
    lines["sync"].push_back(fmt::format("{} {} {} {} {} {} {}", times(sync, sync.name), sync.device,
                                        number(sync.stream), number(sync.correlation),
                                        trace.text(sync.kind), number(sync.waits_for_stream),
                                        number(sync.event)));
  }
  for (const OverheadEvent& overhead : trace->overheads) {
    lines["overhead"].push_back(times(overhead, overhead.name));
  }
  for (const AllocationEvent& each : trace->allocations) {
    lines["memory"].push_back(fmt::format("{} {} {} {} {} {} {} {}", each.time_ns,
                                          thread(each.thread), number(each.address), each.bytes,
                                          number(each.total_allocated), number(each.total_reserved),
                                          number(each.device_type), number(each.device)));
  }
  if (trace->x_events > 0) lines["x"].resize(static_cast<std::size_t>(trace->x_events));
  if (trace->frames > 0) lines["frame"].resize(static_cast<std::size_t>(trace->frames));
  return lines;
}

TEST(RealTraces, AgreeWithASimpleReader) {
  const std::vector<fs::path> paths = real_traces();
  ASSERT_GT(paths.size(), 5U);
  for (const fs::path& path : paths) {
    SCOPED_TRACE(path);
    EventLines expected;
    SimpleJsonParser(unpacked(path)).parse("traceEvents", [&](const SimpleJson& event) {
      add_simple(expected, event);
    });
    const ReadTrace trace = read_trace(path);
    if (expected["host"].empty()) {
      EXPECT_FALSE(trace.events) << "nothing of PyTorch in it";
      continue;
    }
    ASSERT_TRUE(trace.events) << base::to_text(trace.events.error());
    EventLines lines = lines_of(trace);
    std::set<std::string> kinds;
    for (const auto& each : expected) kinds.insert(each.first);
    for (const auto& each : lines) kinds.insert(each.first);
    for (const std::string& kind : kinds) {
      ASSERT_EQ(lines[kind].size(), expected[kind].size()) << kind;
      for (std::size_t i = 0; i < lines[kind].size(); ++i) {
        ASSERT_EQ(lines[kind][i], expected[kind][i]) << kind << " " << i;
      }
    }
    EXPECT_FALSE(trace->is_cut_off);
  }
}

TEST(RealTraces, DoNotDependOnThePieces) {
  for (const fs::path& path : real_traces()) {
    ReadOptions options;
    options.block_bytes = 5000;
    options.window_bytes = 70'001;
    EXPECT_TRUE(dump(read_trace(path, options)) == dump(read_trace(path))) << path;
  }
}

}  // namespace
}  // namespace dlview::import::pytorch
