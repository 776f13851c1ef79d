// A rank as a DLProf database, which has neither the rank nor a wall clock.
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "aggregate/reference/reference.h"
#include "generate/demo/network_parts.h"
#include "generate/demo/recorder.h"
#include "generate/dlprof.h"
#include "generate/dlprof/facts.h"
#include "generate/ranks/rank_file.h"

namespace dlview::generate::ranks {
namespace {

class DatabaseFile : public RankFile {
 public:
  DatabaseFile(std::filesystem::path path, const Plan& plan, base::Progress& progress)
      : path_(std::move(path)), progress_(progress) {
    demo::OpSpec& step = specs_.emplace_back();
    step.name = "/module/Trainer::train_step/begin";
    step.type = "train_step";
    step.direction = "fprop";
    step.stack_trace = "train.py:58";
    for (const OpKind& op : plan.ops) {
      demo::OpSpec& spec = specs_.emplace_back();
      spec.name = "/module/Net::step/" + op.name;
      spec.type = op.name.substr(op.name.rfind(':') + 1);
      spec.direction = op.is_backward ? "bprop" : "fprop";
      spec.stack_trace = "train.py:61";
      spec.input_shapes = spec.input_names = spec.output_shapes = spec.output_names = "null\n";
    }
    for (const KernelKind& kind : plan.kernels) {
      demo::KernelSpec& kernel = kernels_.emplace_back();
      kernel.name = kind.name;
      kernel.long_name = kind.long_name;
      kernel.tensor_cores = kind.tensor_cores;
      kernel.grid = kind.grid;
      kernel.block = kind.block;
    }
    demo::MemorySpec& to_gpu = copies_[0];
    to_gpu.copy_kind = profile::CopyKind::host_to_device;
    demo::MemorySpec& to_host = copies_[1];
    to_host.copy_kind = profile::CopyKind::device_to_host;
  }

  void begin_rank(const RankPlace& place) override {
    place_ = &place;
    devices_.push_back(recorder_.add_device(rank_device(place.gpu)));
    threads_.push_back(recorder_.add_thread({place.process, place.process}));
    threads_.push_back(recorder_.add_thread({place.process, place.process + 61}));
  }

  void add(const Record& record) override {
    if (record.iteration < place_->first_iteration) return;
    ++iterations_;
    recorder_.end(recorder_.begin(specs_.front(), 0, threads_[0], time(record.start_ns)),
                  time(record.start_ns) + 200);
    const std::vector<std::size_t> lost = lost_ops(record);
    std::vector<demo::Recorder::Instance> instances;
    for (std::size_t i = 0; i < record.ops.size(); ++i) {
      const Record::Op& op = record.ops[i];
      if (std::ranges::find(lost, i) != lost.end()) {
        instances.push_back(0);
        continue;
      }
      instances.push_back(recorder_.begin(specs_[op.op + 1], 0, threads_[op.is_backward ? 1 : 0],
                                          time(op.start_ns)));
      recorder_.end(instances.back(), time(op.end_ns));
    }
    for (const Record::Launch& launch : record.launches) {
      if (launch.is_lost) continue;
      recorder_.kernel(instances[launch.op], kernels_[launch.kernel], devices_[0],
                       {time(launch.api_start_ns), time(launch.api_end_ns), time(launch.start_ns),
                        time(launch.end_ns)});
    }
    for (const Record::Copy& copy : record.copies) {
      demo::MemorySpec& spec = copies_[copy.kind == profile::CopyKind::host_to_device ? 0 : 1];
      spec.bytes = copy.bytes;
      recorder_.memory_op(
          instances[copy.op], spec, devices_[0],
          {time(copy.api_start_ns), time(copy.api_end_ns), time(copy.start_ns), time(copy.end_ns)});
    }
    recorder_.sync(instances.back(), "cudaStreamSynchronize_v3020", 3, time(record.sync_start_ns),
                   time(record.sync_end_ns));
  }

  base::Status finish() override {
    profile::SystemFacts facts = dlprof_facts();
    facts.cpu_model = "AMD EPYC 9654 96-Core Processor";
    facts.cudnn_version.clear();
    facts.profile_name = "synthetic ranks";
    facts.original_command = "dlview generate --ranks";
    const auto profile =
        std::make_shared<const profile::Profile>(std::move(recorder_).finish(facts));
    const auto reference = aggregate::make_reference_aggregator(profile, &progress_);
    aggregate::Selection selection;
    selection.cut.key_op = "TRAIN_STEP_1";
    selection.range = {0, iterations_};
    return write_dlprof_database(*profile, {reference->aggregate(selection)}, path_, progress_);
  }

 private:
  int64_t time(int64_t true_ns) const {
    return place_->utc_ns(true_ns) - place_->utc_ns(place_->capture_start_ns);
  }

  std::filesystem::path path_;
  base::Progress& progress_;
  demo::Recorder recorder_;
  std::deque<demo::OpSpec> specs_;  // known by their addresses; the first one marks iterations
  std::deque<demo::KernelSpec> kernels_;
  demo::MemorySpec copies_[2];
  std::vector<profile::Row> devices_, threads_;
  const RankPlace* place_ = nullptr;
  int64_t iterations_ = 0;
};

}  // namespace

profile::Device rank_device(int64_t gpu) {
  profile::Device device;
  device.source_id = gpu + 1;
  device.device_id = gpu;
  device.name = "NVIDIA H100 80GB HBM3";
  device.compute_capability_major = 9;
  device.sm_count = 132;
  device.memory_total_bytes = 84'942'979'072;
  return device;
}

base::Result<std::unique_ptr<RankFile>> create_database(const std::filesystem::path& path,
                                                        const Plan& plan,
                                                        base::Progress& progress) {
  return std::unique_ptr<RankFile>(std::make_unique<DatabaseFile>(path, plan, progress));
}

}  // namespace dlview::generate::ranks
