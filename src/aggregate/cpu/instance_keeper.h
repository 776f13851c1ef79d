// Kept::InstanceKeeper: decides for one instance after the other, of ops that keep some. One thread
// each.
#pragma once

#include "aggregate/cpu/kept.h"
#include "aggregate/instance_times.h"

namespace dlview::aggregate::cpu {

class Kept::InstanceKeeper {
 public:
  InstanceKeeper(const Kept& kept, const profile::Profile& profile, const ProfileIndex& index);

  // Whether the instance counts, and what of it did on the GPU.
  bool keep_inside(profile::InstanceIndex instance, OnGpu& on_gpu);
  bool keep_partly(profile::InstanceIndex instance, OnGpu& on_gpu);
  // Returns the totals of the matching kernels of all inner instances requested since the last
  // call.
  KernelTotals take_kernels();

 private:
  void use_exact_times(profile::InstanceIndex instance, OnGpu& on_gpu);
  bool any_touches(profile::InstanceIndex instance, OnGpu& on_gpu);
  bool sum_up_plain(profile::InstanceIndex instance, OnGpu& on_gpu);
  bool sum_up(profile::InstanceIndex instance, OnGpu& on_gpu);

  const Kept& kept_;
  const profile::Profile& profile_;
  const ProfileIndex& index_;
  InstanceTimer timer_;
  KernelTotals kernels_;
  bool summed_up_ = false;  // the times of the present instance are known
};

}  // namespace dlview::aggregate::cpu
