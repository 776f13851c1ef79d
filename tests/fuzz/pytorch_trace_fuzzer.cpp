// Traces of the PyTorch profiler, of any bytes: what is read holds together, and does not depend on
// the pieces in which the file is read.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "fuzz/fuzz.h"
#include "import/pytorch/trace_reader.h"

namespace dlview::fuzz {
namespace {

using namespace import::pytorch;

class TraceCheck {
 public:
  TraceCheck(const std::filesystem::path& path, const ReadOptions& options) {
    base::Progress progress;
    const base::Result<import::ByteSource> source = import::ByteSource::open(path, progress);
    if (!source || source->kind() == import::ByteSource::Kind::database) return;
    import::QualityLog quality;
    const base::Result<TraceEvents> events =
        read_trace_events(*source, builder_, quality, progress, options);
    if (!events) {
      summary_ = events.error().title + events.error().detail;
      return;
    }
    check(*events);
    for (const profile::QualityNote& note : std::move(quality).finish()) {
      summary_ += fmt::format("{} {} {}\n", note.reason, note.rows, note.first_example);
    }
  }
  // Equal for equal results.
  const std::string& summary() const { return summary_; }

 private:
  template <typename Events>
  void check_events(const Events& events) {
    for (const auto& event : events) {
      require(event.start_ns <= event.stop_ns, "an event ends before it starts");
      summary_ += fmt::format("{} {} {}\n", event.start_ns, event.stop_ns, text(event.name));
    }
  }
  template <typename Events>
  void check_threads(const TraceEvents& all, const Events& events) {
    for (const auto& event : events) {
      require(event.thread < all.threads.size(), "an event has no thread");
      summary_ += all.threads[event.thread].thread + " ";
    }
  }
  void check(const TraceEvents& all) {
    check_events(all.host);
    check_events(all.modules);
    check_events(all.calls);
    check_events(all.kernels);
    check_events(all.memcpys);
    check_events(all.memsets);
    check_events(all.syncs);
    check_threads(all, all.host);
    check_threads(all, all.modules);
    check_threads(all, all.calls);
    check_threads(all, all.allocations);
    for (const HostEvent& host : all.host) {
      if (host.inputs == HostEvent::kNoInputs) continue;
      require(host.inputs < all.op_inputs.size(), "an op has no inputs");
      summary_ += text(all.op_inputs[host.inputs].dims);
    }
    for (const CounterEvent& counter : all.counters) {
      require(counter.series < all.counter_series.size(), "a counter has no series");
      summary_ += fmt::format("{} {} {}\n", counter.time_ns, counter.value,
                              text(all.counter_series[counter.series].value));
    }
    for (const CollectiveEvent& collective : all.collectives) {
      require(collective.host_event == CollectiveEvent::kNoEvent ||
                  collective.host_event < all.host.size(),
              "a collective has no event");
    }
    for (const KernelEvent& kernel : all.kernels) {
      require(kernel.collective == CollectiveEvent::kNoEvent ||
                  kernel.collective < all.collectives.size(),
              "a kernel has no collective");
    }
    require(all.x_events >= 0 && all.frames >= 0 && all.bytes_left >= 0, "a count is negative");
    summary_ += fmt::format("{} {} {} {}\n", all.x_events, all.frames, all.bytes_left,
                            all.header.base_time_ns.value_or(0));
  }
  std::string text(StringId id) const { return std::string(builder_.text(id)); }

  profile::ProfileBuilder builder_;
  std::string summary_;
};

}  // namespace
}  // namespace dlview::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace dlview;
  static const std::filesystem::path path = fuzz::folder() / "trace.json";
  fuzz::use_one_thread();
  fuzz::write(path, {reinterpret_cast<const char*>(data), size});
  import::pytorch::ReadOptions options;
  options.all_frames = true;
  options.window_bytes = std::size_t{1} << 16;
  const fuzz::TraceCheck whole(path, options);
  options.block_bytes = 61;
  options.window_bytes = 211;
  const fuzz::TraceCheck pieces(path, options);
  fuzz::require(whole.summary() == pieces.summary(), "the result depends on the pieces",
                whole.summary() + "\n--\n" + pieces.summary());
  return 0;
}
