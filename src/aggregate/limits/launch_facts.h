// What advice looks at in a launch: what its kernel computes, how fast that could be, and how well
// its blocks fill the GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "aggregate/limits/headroom.h"
#include "aggregate/limits/limit_advice.h"
#include "aggregate/limits/residency.h"

namespace dlview::aggregate {

// What is known of the kernels of one work group, name and launch. ns of a call.
struct LaunchFacts {
  enum class Family : uint8_t { other, product, attention, pointwise, communication };
  Family family = Family::other;
  std::optional<double> tensor_best_ns, aligned_best_ns;  // of a call
  bool is_unaligned = false;
  bool uses_measured_rate = false;
  std::string unaligned;
  std::optional<double> tail_percent;  // of its time that is lost
  std::string tail_text;
  std::optional<double> occupancy;
  std::string occupancy_text;
  double size = 0;  // bytes of a call, or threads
};

class LaunchFactsFinder {
 public:
  // They outlive it. The best rates: of all calls, and of those with aligned sizes.
  LaunchFactsFinder(const profile::Profile& profile, const LimitIndex& index,
                    const AdviceOptions& options, const BestRates& rates,
                    const BestRates& aligned_rates)
      : profile_(profile),
        index_(index),
        work_(index.work()),
        options_(options),
        rates_(rates),
        aligned_rates_(aligned_rates) {}

  // Valid until it is destroyed. Each is found once.
  const LaunchFacts& facts_of(profile::KernelIndex kernel);

 private:
  using Family = LaunchFacts::Family;

  struct Key {
    uint32_t group = 0;
    profile::StringId name = 0;
    profile::Row launch = 0;
    bool operator==(const Key&) const = default;
  };
  struct HashOfKey {
    std::size_t operator()(const Key& key) const;
  };

  std::string_view long_name(profile::KernelIndex kernel) const;
  LaunchFacts make_facts(profile::KernelIndex kernel) const;
  Family family_of(profile::KernelIndex kernel, std::string_view name, WorkKind kind) const;
  std::optional<double> best_time_ns(profile::DeviceIndex device, const OpWork& work, MathType type,
                                     const std::optional<double>& rate) const;
  void find_best(profile::KernelIndex kernel, const WorkGroup& group, const OpWork& work,
                 LaunchFacts& facts) const;
  void find_tail(profile::KernelIndex kernel, std::string_view name, const WorkGroup& group,
                 const OpWork& work, const profile::Dim3& grid,
                 const std::optional<Residency>& residency, LaunchFacts& facts) const;
  void find_occupancy(profile::KernelIndex kernel, const profile::Dim3& grid,
                      const std::optional<Residency>& residency, LaunchFacts& facts) const;

  const profile::Profile& profile_;
  const LimitIndex& index_;
  const WorkIndex& work_;
  const AdviceOptions& options_;
  BestRates rates_, aligned_rates_;
  std::unordered_map<Key, LaunchFacts, HashOfKey> facts_;
};

}  // namespace dlview::aggregate
