#include "report/nsys/launches.h"

#include <utility>

#include "report/nsys/declarations.h"

namespace dlview::report::nsys {

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
