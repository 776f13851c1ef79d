#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "aggregate/limits/headroom.h"
#include "aggregate/rules/detectors.h"
#include "aggregate/rules/worst_places.h"
#include "base/saturated_sum.h"
#include "base/units.h"

namespace dlview::aggregate {
namespace {

using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::MemoryOpIndex;
using profile::Profile;
using profile::Row;
using profile::ThreadIndex;

// What is read of a GPU activity.
struct Activity {
  int64_t start_ns = 0, stop_ns = 0;
  InstanceIndex instance{0};
  ThreadIndex thread{0};
  DeviceIndex device{0};
  profile::StringId name = 0;  // of the kernel, or of the API call
  int64_t bytes = 0;
};

Activity activity_of(const Profile& profile, ExposedKind kind, Row row) {
  if (is_of_kernels(kind)) {
    const profile::Kernels& kernels = profile.kernels;
    const KernelIndex kernel(row);
    return {kernels.gpu_start_ns[kernel],
            kernels.gpu_stop_ns[kernel],
            kernels.instance[kernel],
            profile.launches.thread[kernels.launch[kernel]],
            profile.device_of_kernel(kernel),
            kernels.name[kernel],
            0};
  }
  const profile::MemoryOps& ops = profile.memory_ops;
  const MemoryOpIndex op(row);
  return {ops.gpu_start_ns[op], ops.gpu_stop_ns[op], ops.instance[op], ops.thread[op],
          ops.device[op],       ops.name[op],        ops.bytes[op]};
}

// Those of one op instance on one GPU.
struct PlaceOfWork {
  FindingPlace place;
  ThreadIndex thread;  // that launched the first
};

// Activities of one kind in the range.
struct Activities {
  PerIteration exposed_ns;
  FindingFigures figures;
  WorstPlaces places;
  std::map<profile::StringId, int64_t> by_name;  // exposed ns
  int64_t bytes = 0;
};

constexpr const char* kPrefetch =
    "These are pages of managed memory, migrated on first access. Prefetch them "
    "(cudaMemPrefetchAsync, cudaMemAdvise), or use cudaMalloc and explicit copies";

class WorkReporter {
 public:
  WorkReporter(const RuleIndex& index, std::size_t most_places, FindingReport& report)
      : index_(index),
        most_places_(most_places),
        profile_(report.profile()),
        view_(report.view()),
        report_(report) {}

  void report() {
    report_copies_to_gpu();
    report_copies_to_host();
    report_memory_on_gpu();
    report_communication();
    report_layout_transposes();
    report_cuda_core_products();
  }

 private:
  Activities activities(ExposedKind kind) const {
    Activities found{view_.zeros(), {}, WorstPlaces(most_places_), {}, 0};
    const ExposedWork& work = index_.exposed_work(kind);
    const int64_t gpus = view_.used_gpus();
    for (const auto& [device, times] : work.exposed) {
      if (view_.is_used(device)) view_.add_covered(found.exposed_ns, times);
    }
    for (int64_t& ns : found.exposed_ns) ns /= gpus;
    std::map<std::pair<InstanceIndex, DeviceIndex>, PlaceOfWork> by_instance;
    for_each_in_range(kind, work, [&](const Activity& activity) {
      const auto exposed = work.exposed.find(activity.device);
      const int64_t start_ns = std::max(activity.start_ns, view_.start_ns()),
                    stop_ns = std::min(activity.stop_ns, view_.stop_ns());
      const int64_t exposed_ns =
          exposed == work.exposed.end() ? 0 : exposed->second.covered_ns(start_ns, stop_ns);
      ++found.figures.count;
      found.figures.total_ns += stop_ns - start_ns;
      found.bytes = base::saturated_sum(found.bytes, activity.bytes);
      found.by_name[activity.name] += exposed_ns;
      add_to_place(kind, activity, exposed_ns, by_instance[{activity.instance, activity.device}]);
    });
    for (const auto& [instance, place] : by_instance) {
      found.places.add(profile_, place.place, place.thread);
    }
    return found;
  }

  void add_to_place(ExposedKind kind, const Activity& activity, int64_t exposed_ns,
                    PlaceOfWork& sum) const {
    FindingPlace& place = sum.place;
    if (place.instance == profile::kNoRow) {
      sum.thread = activity.thread;
      place = {.iteration = view_.iteration_at(activity.start_ns),
               .start_ns = activity.start_ns,
               .duration_ns = 0,
               .stake_ns = 0,
               .instance = activity.instance,
               .call = is_of_kernels(kind) ? profile::StringId{0} : activity.name,
               .device = activity.device};
    }
    // They come in order of start.
    place.duration_ns = std::max(place.duration_ns, activity.stop_ns - place.start_ns);
    place.stake_ns += exposed_ns;
  }

  // Also those that only reach into the range; of GPUs that ran a kernel in it.
  template <typename Use>
  void for_each_in_range(ExposedKind kind, const ExposedWork& work, const Use& use) const {
    const auto first = std::ranges::upper_bound(work.reached_ns, view_.start_ns());
    for (auto i = static_cast<std::size_t>(first - work.reached_ns.begin()); i < work.rows.size();
         ++i) {
      const Activity activity = activity_of(profile_, kind, work.rows[i]);
      if (activity.start_ns >= view_.stop_ns()) return;
      const bool is_in = activity.stop_ns > std::max(activity.start_ns, view_.start_ns());
      if (is_in && view_.is_used(activity.device)) use(activity);
    }
  }

  Finding* report_kind(std::string_view detector, std::string_view what, std::string_view basis,
                       Activities& found) {
    Finding* finding = report_.saves(detector, found.exposed_ns, basis);
    if (finding == nullptr) return nullptr;
    found.places.tell_most(*finding);
    finding->places = found.places.take();
    found.figures.range_percent = view_.percent(found.figures.total_ns / view_.used_gpus());
    finding->figures = found.figures;
    finding->advice.problem = fmt::format("{}: {}", what, amount_text(view_, found.exposed_ns));
    return finding;
  }

  // "23 copies, 351 MiB. "
  static std::string moved_text(const Activities& found, std::string_view one,
                                std::string_view several) {
    return fmt::format("{} {}, {}. ", base::format_count(found.figures.count),
                       found.figures.count == 1 ? one : several, base::format_bytes(found.bytes));
  }
  static std::string copied_text(const Activities& found) {
    return moved_text(found, "copy", "copies");
  }
  // "99 kernels per iteration"
  std::string kernels_text(const Activities& found) const {
    const double each =
        static_cast<double>(found.figures.count) / static_cast<double>(view_.size());
    const std::string number =
        each >= 999.5 ? base::format_count(std::llround(each)) : fmt::format("{:.3g}", each);
    return fmt::format("{} {}{}", number, number == "1" ? "kernel" : "kernels",
                       view_.size() == 1 ? "" : " per iteration");
  }
  // Whether most of them are pages of unified memory.
  bool is_migration(ExposedKind kind) const {
    const ExposedWork& work = index_.exposed_work(kind);
    return 2 * work.migrations > std::ssize(work.rows);
  }

  // Whether most of the copies share a stream with kernels.
  bool is_on_compute_streams(ExposedKind kind) const {
    const ExposedWork& work = index_.exposed_work(kind);
    return 2 * work.on_compute_streams > std::ssize(work.rows);
  }

  void report_copies_to_gpu() {
    const bool shares = is_on_compute_streams(ExposedKind::copies_to_gpu);
    Activities found = activities(ExposedKind::copies_to_gpu);
    Finding* finding = report_kind("exposed_copies_to_gpu",
                                   shares ? "Exposed host-to-device copies on the compute stream"
                                          : "Exposed host-to-device copies",
                                   "host-to-device copies while no kernel runs", found);
    if (finding == nullptr) return;
    finding->advice.recommendation =
        where_text(profile_, *finding) + copied_text(found) +
        (is_migration(ExposedKind::copies_to_gpu) ? kPrefetch
         : shares ? "They share a stream with the kernels, so the two cannot overlap. Prefetch the "
                    "next batch on a separate stream, from pinned memory (non_blocking=True, a "
                    "prefetcher), or copy less: smaller types, decoding on the GPU"
                  : "Begin them earlier, one step ahead, or copy less: smaller types, decoding on "
                    "the GPU");
  }

  void report_copies_to_host() {
    Activities found = activities(ExposedKind::copies_to_host);
    Finding* finding = report_kind("exposed_copies_to_host", "Exposed device-to-host copies",
                                   "device-to-host copies while no kernel runs", found);
    if (finding == nullptr) return;
    finding->advice.recommendation = where_text(profile_, *finding) + copied_text(found) +
                                     (is_migration(ExposedKind::copies_to_host)
                                          ? kPrefetch
                                          : "Copy to pinned memory on a separate stream, "
                                            "overlapping the next step, or keep reused data on "
                                            "the GPU");
  }

  void report_memory_on_gpu() {
    Activities found = activities(ExposedKind::memory_on_gpu);
    Finding* finding =
        report_kind("memory_operations_detector", "Exposed device-to-device copies and memsets",
                    "device-to-device copies and memsets while no kernel runs", found);
    if (finding == nullptr) return;
    finding->advice.recommendation =
        where_text(profile_, *finding) +
        moved_text(found, "memory operation", "memory operations") +
        "Work in place, avoid .clone(), .contiguous() and torch.cat() of large tensors, and clear "
        "gradients with set_to_none=True";
  }

  void report_communication() {
    Activities found = activities(ExposedKind::communication);
    Finding* finding = report_kind("exposed_communication_detector", "Exposed communication",
                                   "communication while no other kernel runs", found);
    if (finding == nullptr) return;
    finding->fact = Fact::communication;
    if (finding->savings && 2 * finding->savings->iterations < view_.size()) {
      finding->advice.recommendation = fmt::format(
          "{}Only {} of {} iterations {} any. Look for what makes a rank late there: evaluation, a "
          "checkpoint, an uneven batch, a slow GPU. Overlap is not the problem",
          where_text(profile_, *finding), finding->savings->iterations, view_.size(),
          finding->savings->iterations == 1 ? "has" : "have");
      return;
    }
    const CommunicationTime& all = view_.aggregation().communication;
    finding->advice.recommendation = fmt::format(
        "{}{}{}, or use a faster interconnect. If a few iterations account for most of it, look "
        "for a straggler rank",
        where_text(profile_, *finding),
        all.overlapped_ns() == 0 ? "None of the communication overlaps with computation. " : "",
        exchanges(longest(found))
            ? "Overlap it with computation that does not need its result (smaller chunks, a "
              "separate stream), or exchange less (half precision, balanced experts or shards)"
            : "Overlap it with the backward pass (bucket size of the all-reduce), communicate less "
              "often (gradient accumulation) or less (half precision)");
  }

  void report_layout_transposes() {
    Activities found = activities(ExposedKind::layout_transposes);
    Finding* finding = report_kind("layout_transposes", "Layout transposes",
                                   "kernels that convert layouts", found);
    if (finding == nullptr) return;
    finding->advice.recommendation = fmt::format(
        "{}{}. {} converts between NCHW and NHWC. Tensor Core convolutions run in NHWC: keep model "
        "and input in memory_format=torch.channels_last (data_format='channels_last' in "
        "TensorFlow)",
        where_text(profile_, *finding), kernels_text(found), longest(found));
  }

  void report_cuda_core_products() {
    Activities found = activities(ExposedKind::cuda_core_products);
    Finding* finding =
        report_kind("cuda_core_products_detector", "GEMMs and convolutions on CUDA cores",
                    "GEMM and convolution time on CUDA cores", found);
    if (finding == nullptr) return;
    finding->fact = Fact::tensor_cores;
    finding->advice.recommendation =
        fmt::format("{}{}; {} takes the most. {}, with channels that are multiples of 8",
                    where_text(profile_, *finding), kernels_text(found), longest(found),
                    tensor_core_advice(profile_));
  }

  // Whether ranks exchange what they compute on, as mixtures of experts and sharded embeddings do.
  static bool exchanges(std::string_view kernel) {
    return kernel.find("AllToAll") != std::string_view::npos ||
           kernel.find("SendRecv") != std::string_view::npos;
  }

  std::string_view longest(const Activities& found) const {
    if (found.by_name.empty()) return "";
    const auto most =
        std::ranges::max_element(found.by_name, {}, [](const auto& entry) { return entry.second; });
    return profile_.text(most->first);
  }

  const RuleIndex& index_;
  std::size_t most_places_;
  const Profile& profile_;
  const RangeView& view_;
  FindingReport& report_;
};

}  // namespace

void report_exposed_work(const RuleIndex& index, std::size_t most_places, FindingReport& report) {
  WorkReporter(index, most_places, report).report();
}

}  // namespace dlview::aggregate
