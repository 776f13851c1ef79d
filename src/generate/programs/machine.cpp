#include "generate/programs/machine.h"

#include <algorithm>
#include <utility>

namespace dlview::generate::programs {
namespace {

constexpr int64_t kBetweenCallsNs = 2'000, kRangeNs = 150;
constexpr int64_t kToSleepNs = 1'500, kBetweenSamplesNs = 1'000'000;
constexpr int64_t kLaunchNs = 5'000, kCopyCallNs = 7'000;
constexpr int64_t kLatencyNs = 1'500, kBetweenWorkNs = 900;
constexpr int64_t kReturnsAtOnceBytes = 64 * 1024;
constexpr int64_t kBytesPerUs = 12'000, kPinnedBytesPerUs = 24'000, kOnGpuBytesPerUs = 600'000;

int64_t copy_ns(const Copy& copy) {
  const int64_t rate = copy.kind == kOnGpu ? kOnGpuBytesPerUs
                       : copy.is_pinned    ? kPinnedBytesPerUs
                                           : kBytesPerUs;
  return 1'200 + copy.bytes * 1'000 / rate;
}

bool returns_at_once(const Copy& copy) {
  return copy.kind == kToGpu && copy.bytes <= kReturnsAtOnceBytes;
}

}  // namespace

int64_t Machine::add_device() {
  profile::Device device;
  device.device_id = std::ssize(capture_.devices);
  device.name = "NVIDIA A100-SXM4-40GB";
  device.compute_capability_major = 8;
  device.sm_count = 108;
  device.memory_total_bytes = int64_t{40} << 30;
  capture_.devices.push_back(device);
  return device.device_id;
}

Host::Host(Machine& machine, int64_t process, int64_t thread, std::string name, int64_t start_ns)
    : machine_(&machine), thread_(machine.capture().threads.size()), now_ns_(start_ns) {
  machine.capture().threads.push_back({{process, thread}, std::move(name)});
}

std::size_t Host::open(std::string text) {
  now_ns_ += kRangeNs;
  machine_->capture().ranges.push_back({now_ns_, std::nullopt, thread_, std::move(text)});
  now_ns_ += kRangeNs;
  return machine_->capture().ranges.size() - 1;
}

void Host::close(std::size_t range) {
  now_ns_ += kRangeNs;
  machine_->capture().ranges[range].end_ns = now_ns_;
  now_ns_ += kRangeNs;
}

std::size_t Host::add_call(std::string_view name, int64_t ns) {
  run(kBetweenCallsNs, 60);
  const int64_t start_ns = now_ns_;
  run(ns, 40);
  machine_->capture().calls.push_back({start_ns, now_ns_, thread_, std::string(name)});
  return machine_->capture().calls.size() - 1;
}

void Host::sleep(int64_t ns, std::string_view os_call) {
  const int64_t start_ns = now_ns_;
  run(ns);
  Capture& capture = machine_->capture();
  if (!os_call.empty()) {
    capture.os_calls.push_back({start_ns, now_ns_, thread_, std::string(os_call)});
  }
  capture.switches.push_back({start_ns + kToSleepNs, thread_, false});
  capture.switches.push_back({now_ns_ - kToSleepNs, thread_, true});
}

void Host::compute(int64_t ns, const std::vector<std::string>& stack) {
  const int64_t start_ns = now_ns_;
  run(ns);
  for (int64_t at = start_ns; at < now_ns_; at += kBetweenSamplesNs) {
    machine_->capture().samples.push_back({at, thread_, stack});
  }
}

void Host::call(std::string_view name, int64_t ns) {
  add_call(name, ns);
}

void Host::launch(const Kernel& kernel, Stream& stream) {
  Capture::Work work;
  work.call = add_call("cudaLaunchKernel_v7000", kLaunchNs);
  work.device = stream.device;
  work.stream = stream.id;
  work.name = kernel.name;
  work.long_name = kernel.long_name;
  Random& random = machine_->random();
  work.start_ns = std::max(now_ns_ + random.around(kLatencyNs, 80),
                           stream.free_ns + random.around(kBetweenWorkNs, 60));
  work.end_ns = work.start_ns + std::max<int64_t>(1'000, random.around(kernel.ns, 8));
  stream.free_ns = work.end_ns;
  machine_->capture().works.push_back(std::move(work));
}

void Host::add_work(Capture::Work work, int64_t ns, bool blocks, Stream& stream) {
  work.device = stream.device;
  work.stream = stream.id;
  Random& random = machine_->random();
  work.start_ns = std::max(now_ns_ + random.around(kLatencyNs, 80),
                           stream.free_ns + random.around(kBetweenWorkNs, 60));
  work.end_ns = work.start_ns + random.around(ns, 6);
  stream.free_ns = work.end_ns;
  if (blocks) {
    wait_until(work.end_ns);
    machine_->capture().calls[work.call].end_ns = now_ns_;
  }
  machine_->capture().works.push_back(std::move(work));
}

void Host::add_copy(std::string_view call, const Copy& copy, bool blocks, Stream& stream) {
  Capture::Work work;
  work.kind = Capture::WorkKind::copy;
  work.call = add_call(call, kCopyCallNs);
  work.bytes = copy.bytes;
  work.copy_kind = copy.kind;
  work.is_pinned = copy.is_pinned;
  add_work(std::move(work), copy_ns(copy), blocks, stream);
}

void Host::copy(const Copy& copy, Stream& stream) {
  add_copy("cudaMemcpyAsync_v3020", copy,
           copy.kind != kOnGpu && !copy.is_pinned && !returns_at_once(copy), stream);
}

void Host::copy_synchronously(const Copy& copy, Stream& stream) {
  add_copy("cudaMemcpy_v3020", copy, copy.kind != kOnGpu && !returns_at_once(copy), stream);
}

void Host::set(int64_t bytes, bool is_pinned, bool is_async, Stream& stream) {
  Capture::Work work;
  work.kind = Capture::WorkKind::set;
  work.call = add_call(is_async ? "cudaMemsetAsync_v3020" : "cudaMemset_v3020", kCopyCallNs);
  work.bytes = bytes;
  work.is_pinned = is_pinned;
  const int64_t rate = is_pinned ? kPinnedBytesPerUs : kOnGpuBytesPerUs;
  add_work(std::move(work), 1'000 + bytes * 1'000 / rate, is_pinned && !is_async, stream);
}

void Host::call_when_idle(std::string_view name, int64_t ns, const Stream& stream) {
  const std::size_t added = add_call(name, 1'000);
  wait_until(stream.free_ns);
  run(ns, 20);
  machine_->capture().calls[added].end_ns = now_ns_;
}

void Host::wait_for_event(int64_t event_ns) {
  const std::size_t added = add_call("cudaEventSynchronize_v3020", 1'000);
  wait_until(event_ns + 2'000);
  machine_->capture().calls[added].end_ns = now_ns_;
}

void Host::synchronize(Stream& stream) {
  Capture::Work work;
  work.kind = Capture::WorkKind::synchronization;
  work.call = add_call("cudaStreamSynchronize_v3020", 1'000);
  wait_until(stream.free_ns + 2'000);
  Capture::Call& call = machine_->capture().calls[work.call];
  call.end_ns = now_ns_;
  work.device = stream.device;
  work.stream = stream.id;
  work.start_ns = call.start_ns;
  work.end_ns = now_ns_;
  machine_->capture().works.push_back(std::move(work));
}

}  // namespace dlview::generate::programs
