// KernelRows: kernels and launches of whole graphs as rows for the builder, which asks for them on
// all cores: launches and verdicts on Tensor Cores are found before, each distinct one once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/number_distinct.h"
#include "base/untouched_vector.h"
#include "import/capture/kernel_name_ids.h"
#include "import/capture/work.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::capture {

// Whose call caused the work; where none is recorded, its process.
profile::GlobalId thread_of(const profile::Trace& trace, const Work& work);
// The call that caused the work; where none is recorded, of no duration, when the work began.
base::Interval call_of(const profile::Trace& trace, const Work& work, base::Interval time);

class KernelRows {
 public:
  // `work` holds kernels and behind them graphs. Adds what their rows refer to to the builder; all
  // must outlive the object.
  KernelRows(const profile::Trace& trace, const KernelNameIds& name_ids, std::span<const Work> work,
             profile::ProfileBuilder& builder);

  // Of work[i], without its instance.
  profile::KernelRow row(std::size_t i) const;

 private:
  struct LaunchKey {
    profile::Dim3 grid, block;
    profile::Row device = 0;
    profile::GlobalId thread = 0;
    bool operator==(const LaunchKey&) const = default;
  };
  struct HashOfLaunch {
    std::size_t operator()(const LaunchKey& launch) const;
  };
  struct Names {
    profile::StringId name = 0, long_name = 0;
  };

  LaunchKey launch_of(const Work& work) const;
  // Of a kernel; the long one as recorded.
  Names names_of(const Work& work) const;
  void add_launches(profile::ProfileBuilder& builder);
  void judge_names(const profile::ProfileBuilder& builder);
  void name_graphs(profile::ProfileBuilder& builder);

  const profile::Trace& trace_;
  const KernelNameIds& name_ids_;
  const std::span<const Work> work_;
  std::size_t kernels_ = 0;                   // the others are graphs
  base::UntouchedVector<uint32_t> launches_;  // by work: number of the launch
  std::vector<profile::Row> launch_rows_;     // by that number
  base::UntouchedVector<uint32_t> judged_;    // by kernel: number of its name on its GPU
  std::vector<bool> uses_tensor_cores_;       // by that number
  std::vector<Names> graph_names_;            // by graph
};

}  // namespace dlview::import::capture
