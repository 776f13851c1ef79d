#include "import/dlprof/not_recorded.h"

#include <algorithm>

#include "profile/recorded.h"

namespace dlview::import::dlprof {
namespace {

using profile::NotRecorded;
using profile::Profile;

bool is_key(const Profile& profile, profile::OpIndex op, const std::string& key_op) {
  return profile.text(profile.ops.id[op]) == key_op || profile.text(profile.ops.name[op]) == key_op;
}

// Why the key op cuts nothing; "" when it does.
std::string problem_of_key_op(const Profile& profile, const std::string& key_op) {
  if (key_op.empty()) return "DLProf found no key op";
  std::vector<bool> is_key_op(profile.ops.size());
  for (profile::OpIndex op{0}; op < profile.ops.size(); ++op) {
    is_key_op[op] = is_key(profile, op, key_op);
  }
  const auto is_of_key_op = [&](profile::Row op) { return is_key_op[op]; };
  const auto& ops = profile.instances.op;
  if (std::any_of(ops.begin(), ops.end(), is_of_key_op)) return "";
  const bool is_op = std::find(is_key_op.begin(), is_key_op.end(), true) != is_key_op.end();
  return "the key op \"" + key_op + "\" " +
         (is_op ? "has no usable instance" : "is not an op of the run");
}

// Looks at the aggregation with which the file opens (aggregate/iterations.h).
void add_iterations(const Profile& profile, std::vector<NotRecorded>& list) {
  const auto& stored = profile.stored_aggregations;
  const std::string problem =
      problem_of_key_op(profile, stored.empty() ? "" : stored.front().key_op);
  if (problem.empty()) return;
  list.push_back({"Iterations: " + problem,
                  "Choose an op that runs once per iteration with --key-op NAME, or record with "
                  "DLProf's --key_op."});
}

void add_io(const Profile& profile, std::vector<NotRecorded>& list) {
  const auto& stored = profile.stored_aggregations;
  const bool is_stored = std::any_of(stored.begin(), stored.end(), [](const auto& aggregation) {
    return !aggregation.io_ns.empty();
  });
  if (is_stored) {
    list.push_back({"I/O time outside the stored aggregations",
                    "DLProf stores I/O time only for the range that it aggregated. For another "
                    "range, run dlprof with --iter_start and --iter_stop."});
  } else {
    list.push_back({"I/O time",
                    "Trace the OS runtime: dlprof --nsys_opts=\"-t cuda,nvtx,osrt -s "
                    "cpu\"; it is off by default."});
  }
}

void add_gpu(const Profile& profile, std::vector<NotRecorded>& list) {
  const auto& devices = profile.devices;
  if (devices.empty()) {
    list.push_back({"GPUs of the machine", "Record on a machine with an NVIDIA GPU and driver."});
  } else if (std::none_of(devices.begin(), devices.end(),
                          [](const auto& gpu) { return gpu.memory_total_bytes.has_value(); })) {
    list.push_back({"GPU memory",
                    "Let DLProf run the command itself: it does not measure memory when it starts "
                    "from an existing capture (--database)."});
  }
  if (profile.kernels.size() == 0) {
    list.push_back({std::string(profile::kNoKernels),
                    "Check that the run used the GPU, and trace CUDA: dlprof --nsys_opts=\"-t "
                    "cuda,nvtx\"."});
  }
}

void add_markers(const Profile& profile, std::vector<NotRecorded>& list) {
  if (profile.instances.size() == 0) {
    list.push_back({"Ops",
                    "Run dlprof with the --mode of the framework; for PyTorch, call "
                    "nvidia_dlprof_pytorch_nvtx.init() and run inside torch.autograd.profiler."
                    "emit_nvtx()."});
    return;
  }
  const auto& traces = profile.ops.stack_trace;
  if (std::all_of(traces.begin(), traces.end(), [](auto text) { return text == 0; })) {
    list.push_back({"Stack traces",
                    "For PyTorch: nvidia_dlprof_pytorch_nvtx.init(enable_function_stack=True)."});
  }
}

}  // namespace

std::vector<NotRecorded> list_not_recorded(const Profile& profile,
                                           const std::set<std::string>& lacking) {
  std::vector<NotRecorded> list;
  add_markers(profile, list);
  add_iterations(profile, list);
  add_gpu(profile, list);
  add_io(profile, list);
  for (const std::string& what : lacking) {
    const bool is_listed = std::any_of(list.begin(), list.end(),
                                       [&](const auto& entry) { return entry.what == what; });
    if (is_listed) continue;
    list.push_back({what, "DLProf " + profile.system.original_database_version +
                              " did not store it: record the run with DLProf 1.8."});
  }
  list.push_back({"Streams, CUDA graphs, NVTX ranges, OS runtime and MPI events",
                  "DLProf does not store them. Open the Nsight Systems report that it used."});
  return list;
}

}  // namespace dlview::import::dlprof
