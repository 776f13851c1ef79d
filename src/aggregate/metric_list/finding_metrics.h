// Metrics of potential savings and of ranks that make others wait.
#pragma once

#include <array>

#include "aggregate/metric.h"

namespace dlview::aggregate::metric_list {

inline constexpr std::array kFindingMetrics{
    Metric{"time_at_stake", "Potential savings", Unit::ns, Accounting::none,
           "All the time that a finding covers, per iteration and per GPU that ran a kernel. It is "
           "an upper bound of the savings.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets",
           false},
    Metric{"findings", "Findings", Unit::count, Accounting::none,
           "Number of findings about the range. Findings that cover the same time count once.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets",
           false},
    Metric{"match_rate", "Match rate", Unit::percent, Accounting::none,
           "Share of the GPU time of ops whose names the baseline of a budget has, whatever the "
           "running numbers of layers. Without GPU time, the share of their CPU time.",
           "read_only_op_instances, read_only_kernels"},
    Metric{"new", "New ops, kernels and synchronizations", Unit::count, Accounting::none,
           "Names of the range that the baseline of a budget does not have: ops, whatever the "
           "running numbers of layers, kernels, and ops with a call that synchronizes.",
           "read_only_op_instances, read_only_kernels, read_only_cuda_syncs, "
           "read_only_cuda_calls"},
    Metric{"rank_own_work", "Own work", Unit::ns, Accounting::mean,
           "Iteration time minus exposed wait, over the iterations whose wait is known.",
           "iteration_list, read_only_kernels", false},
    Metric{"rank_wait", "Wait", Unit::ns, Accounting::mean,
           "Sum over collectives of the rank's duration minus the shortest among the members.",
           "read_only_kernels", false},
    Metric{"rank_exposed_wait", "Exposed wait", Unit::ns, Accounting::mean,
           "Lower bound of the part of the wait in which no other kernel runs on the GPU.",
           "read_only_kernels", false},
    Metric{"rank_sole_delay", "Sole delay", Unit::ns, Accounting::mean,
           "Time per iteration in which all other members of a collective waited for this rank.",
           "read_only_kernels", false},
    Metric{"rank_times_slowest", "Times slowest", Unit::count, Accounting::none,
           "Iterations in which the rank stands out as the slowest of its peers.",
           "iteration_list, read_only_kernels", false},
};

}  // namespace dlview::aggregate::metric_list
