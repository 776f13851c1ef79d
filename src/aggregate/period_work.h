// The kernels that each period of a candidate launches, from one start to the next. Steps launch
// the same kernels each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

struct Likeness {
  // 0..1: the part of their kernels, by name, that two consecutive periods have in common; the
  // median over all sampled pairs.
  double share = 0;
  double equal = 0;  // 0..1: the part of the periods that launch just what most of them launch
  // Every stride-th period launches other kernels than the rest, like the last layer of a pass;
  // 0: no stride. How many kernels these launch, compared with the rest (medians).
  int64_t stride = 0;
  double odd_kernels = 1;
};

class PeriodWork {
 public:
  // Without what op instances launch that begin in `left_out`. Linear in kernels. The profile must
  // outlive this object.
  PeriodWork(const profile::Profile& profile, const base::IntervalSet& left_out);

  // Return how many kernels the run launches, the process launches, the thread launches, or the
  // process launches in [from_ns, to_ns). A kernel counts at the start of its op instance.
  int64_t kernels() const { return kernels_; }
  int64_t kernels(int64_t process) const;
  int64_t kernels_of_thread(const profile::Thread& thread) const;
  int64_t kernels_between(int64_t process, int64_t from_ns, int64_t to_ns) const;

  // Compares the periods between the ascending `starts_ns`: at most `most_periods` in a row, from
  // the middle. Names are looked at in one pair of 16 that differ, in four at least. Returns
  // nullopt if the median period launches no kernel, or there are fewer than two.
  std::optional<Likeness> likeness(int64_t process, std::span<const int64_t> starts_ns,
                                   std::size_t most_periods = 256) const;

 private:
  // Op instances of a process that launch kernels, in order of start, and what is launched before
  // each and before the end: how many kernels, and the sum of a hash of their names.
  struct Launches {
    std::vector<profile::InstanceIndex> instances;
    std::vector<int64_t> kernels_before{0};
    std::vector<uint64_t> names_before{0};
  };
  // Part of the instances of a process. Equal ones launch the same kernels.
  struct Work {
    std::size_t first = 0, last = 0;
    int64_t kernels = 0;
    uint64_t names = 0;
    bool same_as(const Work& other) const {
      return kernels == other.kernels && names == other.names;
    }
  };
  using Names = std::vector<profile::StringId>;  // sorted, each as often as it is launched

  static Work between(const Launches& of, std::size_t first, std::size_t last);
  std::size_t place_of(const Launches& of, int64_t time_ns) const;
  Names names_of(const Launches& of, const Work& work) const;
  double median_share(const Launches& of, const std::vector<Work>& periods) const;

  const profile::Profile& profile_;
  std::map<int64_t, Launches> of_process_;
  std::map<profile::ThreadIndex, int64_t> of_thread_;
  int64_t kernels_ = 0;
};

// Detects bursts: several instances in short succession, then a pause. An op that runs four times
// per step would split the run into quarters of steps.

inline constexpr int64_t kLongestBurst = 16;

// How many starts follow each other before a pause of more than four times the median distance, if
// at least three bursts, and four of five, are of that one size; else 1. `starts_ns` ascend.
int64_t burst_size(const std::vector<int64_t>& starts_ns);

}  // namespace dlview::aggregate
