#include "report/nsys/gpu_events.h"

#include <utility>

#include "report/nsys/declarations.h"

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
  const auto at = [&event](const profile::Column<int64_t>& bytes) -> std::optional<int64_t> {
    if (event.row >= bytes.size() || bytes[event.row] == profile::kNoValue) return std::nullopt;
    return bytes[event.row];
  };
  return event.kind == GpuEvent::Kind::copy ? at(trace().memcpys.bytes) : at(trace().memsets.bytes);
}

Launches::Launches(const profile::TraceApiCalls& calls) : next_(calls.size(), kNone) {
  for (std::size_t call = calls.size(); call-- > 0;) {
    if (calls.correlation[call] == profile::kNoValue) continue;
    const auto [id, is_new] =
        ids_.insert({profile::process_of(calls.thread[call]), calls.correlation[call]});
    if (is_new) first_.push_back(kNone);
    next_[call] = std::exchange(first_[id], call);
  }
}

bool are_tied(const profile::GpuWork& work, const profile::TraceApiCalls& calls) {
  return is_recorded(work.process, work.size()) && is_recorded(work.correlation, work.size()) &&
         is_recorded(calls.thread, calls.size()) && is_recorded(calls.correlation, calls.size());
}

std::vector<Launch> find_launches(const Input& input) {
  const profile::TraceKernels& kernels = input.trace().kernels;
  const Launches launches(input.trace().api_calls);
  std::vector<Launch> found;
  for (const std::size_t kernel : input.rows(kernels)) {
    const std::size_t before = found.size();
    launches.for_each(kernels, kernel, [&](std::size_t call) { found.push_back({kernel, call}); });
    if (found.size() == before) found.push_back({kernel});
  }
  return found;
}

}  // namespace dlview::report::nsys
