#include "report/nsys/launches.h"

#include "report/nsys/declarations.h"

namespace dlview::report::nsys {

Launches::Launches(const profile::TraceApiCalls& calls) : next_(calls.size(), kNone) {
  first_.reserve(calls.size());
  for (std::size_t call = calls.size(); call-- > 0;) {
    if (calls.correlation[call] == profile::kNoValue) continue;
    const Key<2> id{profile::process_of(calls.thread[call]), calls.correlation[call]};
    const auto [first, is_new] = first_.try_emplace(id, call);
    if (is_new) continue;
    next_[call] = first->second;
    first->second = call;
  }
}

bool are_tied(const profile::GpuWork& work, const profile::TraceApiCalls& calls) {
  return is_recorded(work.process, work.size()) && is_recorded(work.correlation, work.size()) &&
         is_recorded(calls.thread, calls.size()) && is_recorded(calls.correlation, calls.size());
}

}  // namespace dlview::report::nsys
