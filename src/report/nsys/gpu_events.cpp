#include "report/nsys/gpu_events.h"

namespace dlview::report::nsys {
namespace {

const profile::GpuWork& table_of(const profile::Trace& trace, GpuEvent::Kind kind) {
  switch (kind) {
    case GpuEvent::Kind::kernel:
      return trace.kernels;
    case GpuEvent::Kind::copy:
      return trace.memcpys;
    case GpuEvent::Kind::memset:
      break;
  }
  return trace.memsets;
}

}  // namespace

void GpuEvents::append(GpuEvent::Kind kind, const Input& input) {
  for (const std::size_t row : input.rows(table_of(trace(), kind))) events.push_back({kind, row});
}

const profile::GpuWork& GpuEvents::work(const GpuEvent& event) const {
  return table_of(trace(), event.kind);
}

std::optional<int64_t> GpuEvents::bytes(const GpuEvent& event) const {
  if (event.kind == GpuEvent::Kind::kernel) return std::nullopt;
  const profile::Column<int64_t>& bytes =
      event.kind == GpuEvent::Kind::copy ? trace().memcpys.bytes : trace().memsets.bytes;
  if (event.row >= bytes.size() || bytes[event.row] == profile::kNoValue) return std::nullopt;
  return bytes[event.row];
}

}  // namespace dlview::report::nsys
