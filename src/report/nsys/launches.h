// Which API calls started a piece of GPU work: those of its process with its correlation id.
// Usually there is one; with call stacks recorded there are two, and at the edge of a capture none.
#pragma once

#include <unordered_map>
#include <vector>

#include "profile/trace.h"
#include "report/nsys/groups.h"

namespace dlview::report::nsys {

class Launches {
 public:
  explicit Launches(const profile::TraceApiCalls& calls);

  // Calls use(row of the API call) for each of them, in the file's order.
  template <typename Use>
  void for_each(const profile::GpuWork& work, std::size_t row, const Use& use) const {
    const auto first = first_.find({work.process[row], work.correlation[row]});
    if (first == first_.end()) return;
    for (std::size_t call = first->second; call != kNone; call = next_[call]) use(call);
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;
  std::unordered_map<Key<2>, std::size_t, KeyHash<2>> first_;  // by process and correlation id
  std::vector<std::size_t> next_;                              // call of the same id, or kNone
};

// Whether `work` and `calls` have the columns that tie one to the other.
bool are_tied(const profile::GpuWork& work, const profile::TraceApiCalls& calls);

}  // namespace dlview::report::nsys
