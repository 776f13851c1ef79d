// KeptInstances: the matching op instances of partly matching ops, stored contiguously, so that a
// sum reads nothing else. Reuses its memory for the next filter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregate/cpu/instance_spans.h"
#include "aggregate/cpu/packed_instances.h"
#include "base/untouched_vector.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

// Without a value to begin with, so that nothing is written before it is known.
struct KeptInstance {
  profile::Row row, op;
  uint32_t cpu, gpu, api, idle;

  PackedTimes times() const { return {cpu, gpu, api, idle}; }
};

class KeptInstances {
 public:
  explicit KeptInstances(std::size_t instances) : instances_(instances) {}

  // Before the first writer.
  void make_room() {
    rows_.resize(instances_);
    runs_.resize((instances_ + kRun - 1) / kRun);
  }
  // Writes consecutive runs. One thread each.
  class Writer {
   public:
    Writer(KeptInstances& kept, std::size_t first_run) : kept_(kept), next_(first_run * kRun) {}
    void begin(std::size_t run) { kept_.runs_[run].first = static_cast<uint32_t>(next_); }
    void add(const KeptInstance& instance) { kept_.rows_[next_++] = instance; }
    void end(std::size_t run) { kept_.runs_[run].end = static_cast<uint32_t>(next_); }

   private:
    KeptInstances& kept_;
    std::size_t next_;
  };

  // Calls use(instance) for those of instance rows [first, end), whose runs have been written.
  template <typename Use>
  void for_each(profile::Row first, profile::Row end, const Use& use) const {
    const std::size_t end_run = (end + kRun - 1) / kRun;
    for (std::size_t run = first / kRun; run < end_run;) {
      const KeptInstance* kept = rows_.data() + runs_[run].first;
      const KeptInstance* behind = rows_.data() + runs_[run].end;
      for (++run; run < end_run && rows_.data() + runs_[run].first == behind; ++run) {
        behind = rows_.data() + runs_[run].end;
      }
      kept = first_from(kept, behind, first);
      behind = first_from(kept, behind, end);
      for (; kept != behind; ++kept) use(*kept);
    }
  }

 private:
  static constexpr std::size_t kRun = InstanceSpans::kRun;
  static const KeptInstance* first_from(const KeptInstance* kept, const KeptInstance* behind,
                                        profile::Row row) {
    return std::lower_bound(kept, behind, row, [](const KeptInstance& one, profile::Row wanted) {
      return one.row < wanted;
    });
  }
  struct Run {
    uint32_t first = 0, end = 0;  // of rows_
  };

  std::size_t instances_;
  base::UntouchedVector<KeptInstance> rows_;
  std::vector<Run> runs_;
};

}  // namespace dlview::aggregate::cpu
