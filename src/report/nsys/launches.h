// Which API calls started a piece of GPU work: those of its process with its correlation id.
// Usually there is one; with call stacks recorded there are two, and at the edge of a capture none.
#pragma once

#include <vector>

#include "profile/trace.h"
#include "report/nsys/key_table.h"

namespace dlview::report::nsys {

class Launches {
 public:
  explicit Launches(const profile::TraceApiCalls& calls);

  // Calls use(row of the API call) for each of them, in the file's order.
  template <typename Use>
  void for_each(const profile::GpuWork& work, std::size_t row, const Use& use) const {
    const std::size_t id = ids_.find({work.process[row], work.correlation[row]});
    if (id == ids_.kNone) return;
    for (std::size_t call = first_[id]; call != kNone; call = next_[call]) use(call);
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;
  KeyTable<2> ids_;                 // process and correlation id
  std::vector<std::size_t> first_;  // call of each id
  std::vector<std::size_t> next_;   // call of the same id as this call, or kNone
};

// Whether `work` and `calls` have the columns that tie one to the other.
bool are_tied(const profile::GpuWork& work, const profile::TraceApiCalls& calls);

}  // namespace dlview::report::nsys
