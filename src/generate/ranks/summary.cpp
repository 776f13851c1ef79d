#include "generate/ranks/summary.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.h"
#include "generate/random.h"
#include "ranks/packed.h"

namespace dlview::generate {
namespace {

using dlview::ranks::CollectiveSum;
using dlview::ranks::GroupRows;
using dlview::ranks::pack_column;
using dlview::ranks::RankPart;
using dlview::ranks::RowColumn;
using dlview::ranks::RunSummary;

constexpr int64_t kWorkNs = 80'000'000;     // of an iteration, without noise
constexpr int64_t kTransferNs = 4'000'000;  // of its collective, which nothing overlaps
constexpr int64_t kNoiseNs = 250'000;       // half of it
constexpr int64_t kPpm = 1'000'000;
constexpr const char* kGroup = "default_pg (0)";

class Maker {
 public:
  explicit Maker(const SummaryOptions& options)
      : options_(options),
        ranks_(static_cast<std::size_t>(options.ranks)),
        iterations_(static_cast<std::size_t>(options.iterations)) {}

  RunSummary make() {
    work_.resize(ranks_ * iterations_);
    base::parallel_for(ranks_, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t rank = begin; rank < end; ++rank) draw_work(rank);
    });
    find_ends();
    add_sums();
    summary_.parts.resize(ranks_);
    base::parallel_for(ranks_, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t rank = begin; rank < end; ++rank) fill(rank);
    });
    return std::move(summary_);
  }

 private:
  uint32_t& work(std::size_t rank, std::size_t i) { return work_[rank * iterations_ + i]; }

  void draw_work(std::size_t rank) {
    Random random(options_.seed * 1'000'003 + rank);
    const bool is_slow = static_cast<int64_t>(rank) == options_.straggler;
    for (std::size_t i = 0; i < iterations_; ++i) {
      const int64_t own_ns =
          kWorkNs + random.between(-kNoiseNs, kNoiseNs) + random.between(-kNoiseNs, kNoiseNs);
      work(rank, i) =
          static_cast<uint32_t>(is_slow ? own_ns + own_ns * options_.straggler_ppm / kPpm : own_ns);
    }
  }

  // An iteration ends on all ranks when the last one has come and the data are there.
  void find_ends() {
    begins_.push_back(0);
    for (std::size_t i = 0; i < iterations_; ++i) {
      CollectiveSum sum;
      sum.collective = profile::Collective::all_reduce;
      sum.bytes = int64_t{256} << 20U;
      sum.number = static_cast<int64_t>(i);
      sum.members = options_.ranks;
      uint32_t most = 0, second = 0, least = UINT32_MAX;
      for (std::size_t rank = 0; rank < ranks_; ++rank) {
        const uint32_t own = work(rank, i);
        if (own > most) {
          second = most;
          most = own;
          sum.least_rank = static_cast<int64_t>(rank);
        } else {
          second = std::max(second, own);
        }
        if (own < least) {
          least = own;
          sum.greatest_rank = static_cast<int64_t>(rank);
        }
        sum.sum_ns -= own;
      }
      sum.sum_ns += (int64_t{most} + kTransferNs) * options_.ranks;
      sum.exposed_ns = sum.sum_ns;
      sum.least_ns = kTransferNs;
      sum.second_ns = ranks_ > 1 ? kTransferNs + (most - second) : -1;
      sum.greatest_ns = kTransferNs + (most - least);
      summary_.collectives[{kGroup, static_cast<int64_t>(i) << 20U}] = sum;
      begins_.push_back(begins_.back() + most + kTransferNs);
    }
  }

  void add_sums() {
    summary_.rules = {"step", "start", "host", dlview::ranks::SummaryRules::Matching::group_place};
    summary_.groups[kGroup] = {profile::Collective::other, "default_pg", options_.ranks};
    const int64_t calls = options_.ranks * options_.iterations;
    dlview::ranks::OpSum op;
    op.gpu = op.cpu =
        op.kernel_gpu = {calls, kWorkNs, kWorkNs, dlview::ranks::Wide{calls} * kWorkNs};
    op.gpu_times.add(kWorkNs, calls);
    const dlview::ranks::OpKey key{"/model/block", "linear", "fprop"};
    summary_.ops[key] = op;
    summary_.kernels[{key, "gemm"}].gpu = op.gpu;
  }

  template <typename ValueOf>
  void set(RankPart& part, RowColumn column, const ValueOf& value_of) const {
    std::vector<int64_t> values(iterations_);
    for (std::size_t i = 0; i < iterations_; ++i) values[i] = value_of(i);
    part.rows[static_cast<std::size_t>(column)] = pack_column(values);
  }

  void fill(std::size_t rank) {
    RankPart& part = summary_.parts[rank];
    part.size = options_.iterations;
    part.head.rank = static_cast<int64_t>(rank);
    part.head.world_size = options_.ranks;
    part.head.source = "RANK";
    part.head.host = fmt::format("node{:04}", static_cast<int64_t>(rank) / options_.ranks_per_host);
    part.head.gpus = 1;
    part.head.gpu_name = "NVIDIA H100 80GB HBM3";
    part.head.first_device = static_cast<int64_t>(rank) % options_.ranks_per_host;
    part.head.format = "generated";
    part.head.file = fmt::format("report_{}.sqlite", rank);
    part.head.checksum = options_.seed + rank;
    part.head.work_signature = 1;
    part.head.launches_per_1000 = 2'000;
    const auto number = [](std::size_t i) { return static_cast<int64_t>(i); };
    const auto own = [&](std::size_t i) { return int64_t{work(rank, i)}; };
    const auto duration = [&](std::size_t i) { return begins_[i + 1] - begins_[i]; };
    const auto nothing = [](std::size_t) { return int64_t{0}; };
    const auto collective = [&](std::size_t i) { return duration(i) - own(i); };
    set(part, RowColumn::number, number);
    set(part, RowColumn::start_ns, [&](std::size_t i) { return begins_[i]; });
    set(part, RowColumn::stop_ns, [&](std::size_t i) { return begins_[i + 1]; });
    set(part, RowColumn::tensor_core_kernels_ns, [&](std::size_t i) { return own(i) / 2; });
    set(part, RowColumn::other_kernels_ns,
        [&](std::size_t i) { return duration(i) - own(i) / 2 - own(i) / 10; });
    set(part, RowColumn::cpu_ns, [&](std::size_t i) { return own(i) / 10; });
    for (const RowColumn column :
         {RowColumn::memory_ns, RowColumn::data_loader_ns, RowColumn::io_ns, RowColumn::other_ns}) {
      set(part, column, nothing);
    }
    set(part, RowColumn::communication_ns, collective);
    set(part, RowColumn::exposed_ns, collective);
    set(part, RowColumn::kernels, [](std::size_t) { return int64_t{2}; });
    set(part, RowColumn::kernel_ns, [&](std::size_t i) { return duration(i) - own(i) / 10; });
    std::vector<int64_t> calls(iterations_, 1), times(iterations_), none(iterations_);
    for (std::size_t i = 0; i < iterations_; ++i) times[i] = collective(i);
    GroupRows& rows = part.groups[kGroup];
    rows.calls = pack_column(calls);
    rows.ns.fill(pack_column(none));
    rows.ns[0] = pack_column(times);
    rows.exposed_ns = rows.ns;
  }

  const SummaryOptions& options_;
  const std::size_t ranks_, iterations_;
  std::vector<uint32_t> work_;   // by rank, then iteration
  std::vector<int64_t> begins_;  // of iterations, and the end of the last one
  RunSummary summary_;
};

}  // namespace

RunSummary generate_summary(const SummaryOptions& options) {
  return Maker(options).make();
}

}  // namespace dlview::generate
