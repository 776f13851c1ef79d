// A simulated machine for synthetic programs: host threads with a clock each, and GPU streams that
// run in order. What a profiler would record goes into a Capture.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "generate/capture.h"
#include "generate/random.h"
#include "profile/kinds.h"

namespace dlview::generate::programs {

struct Stream {
  int64_t device = 0, id = 7;
  int64_t free_ns = 0;
};

struct Kernel {
  std::string_view name, long_name;
  int64_t ns = 0;  // approximate duration
};

inline constexpr profile::CopyKind kToGpu = profile::CopyKind::host_to_device,
                                   kToHost = profile::CopyKind::device_to_host,
                                   kOnGpu = profile::CopyKind::device_to_device;

struct Copy {
  int64_t bytes = 0;
  profile::CopyKind kind = kToGpu;
  bool is_pinned = false;
};

class Machine {
 public:
  explicit Machine(uint64_t seed) : random_(seed) {}

  Capture& capture() { return capture_; }
  Random& random() { return random_; }
  int64_t add_device();

 private:
  Capture capture_;
  Random random_;
};

// A thread, on which things happen one after the other. Lengths vary by some percent.
class Host {
 public:
  Host(Machine& machine, int64_t process, int64_t thread, std::string name, int64_t start_ns);

  int64_t now_ns() const { return now_ns_; }
  void run(int64_t ns, int64_t percent = 10) { now_ns_ += machine_->random().around(ns, percent); }
  void wait_until(int64_t ns) { now_ns_ = now_ns_ < ns ? ns : now_ns_; }

  // An NVTX range around what `body` does.
  template <typename Body>
  void range(std::string text, const Body& body) {
    const std::size_t opened = open(std::move(text));
    body();
    close(opened);
  }
  // As above, but opens a range only if `is_wanted`.
  template <typename Body>
  void range_if(bool is_wanted, std::string text, const Body& body) {
    if (!is_wanted) return body();
    range(std::move(text), body);
  }

  // Off the CPU for `ns`, in an OS runtime call unless `os_call` is empty.
  void sleep(int64_t ns, std::string_view os_call = "");
  // On the CPU for `ns`, sampled every millisecond with that call stack, outermost function first.
  void compute(int64_t ns, const std::vector<std::string>& stack);

  void call(std::string_view name, int64_t ns);
  void launch(const Kernel& kernel, Stream& stream);
  // cudaMemcpyAsync. Blocks the host until the memcpy ends if the host memory is pageable, except
  // for up to 64 KiB to the device.
  void copy(const Copy& copy, Stream& stream);
  // cudaMemcpy. Blocks until the memcpy ends, with the same exception and within the device.
  void copy_synchronously(const Copy& copy, Stream& stream);
  // cudaMemset, of pinned memory blocking, or cudaMemsetAsync.
  void set(int64_t bytes, bool is_pinned, bool is_async, Stream& stream);
  // Another call of `ns`, which first waits for all work of the stream, as cudaFree does.
  void call_when_idle(std::string_view name, int64_t ns, const Stream& stream);
  // cudaEventSynchronize with an event that is recorded at this time.
  void wait_for_event(int64_t event_ns);
  void synchronize(Stream& stream);

 private:
  std::size_t open(std::string text);
  void close(std::size_t range);
  std::size_t add_call(std::string_view name, int64_t ns);
  void add_work(Capture::Work work, int64_t ns, bool blocks, Stream& stream);
  void add_copy(std::string_view call, const Copy& copy, bool blocks, Stream& stream);

  Machine* machine_;
  std::size_t thread_;
  int64_t now_ns_;
};

}  // namespace dlview::generate::programs
