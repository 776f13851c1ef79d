// The simulated run of many ranks (generate/ranks.h): when each rank does what its plan says.
//
// All times are ns of true time from the start of the run, unless a clock converts them. A rank is
// played twice: together with all others, which gives the ends of the collectives, and then alone,
// with these ends, which gives its events.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "generate/ranks/plan.h"

namespace dlview::generate::ranks {

// What one rank did in one iteration, in the order of the host. Times are true ns.
struct Record {
  struct Op {
    std::size_t op = 0;
    int64_t start_ns = 0, end_ns = 0, sequence = -1;
    bool is_backward = false;
  };
  struct Launch {
    int64_t api_start_ns = 0, api_end_ns = 0, start_ns = 0, end_ns = 0;
    std::size_t kernel = 0, op = 0;  // in Plan::kernels, in Record::ops
    int64_t stream = 0;
    int64_t slot = -1;  // of a collective
    bool is_lost = false;
  };
  struct Copy {
    int64_t api_start_ns = 0, api_end_ns = 0, start_ns = 0, end_ns = 0, bytes = 0;
    std::size_t op = 0;
    profile::CopyKind kind = profile::CopyKind::host_to_device;
  };
  int64_t iteration = 0, start_ns = 0, end_ns = 0;  // the range around the iteration
  std::vector<Op> ops;
  std::vector<Launch> launches;
  std::vector<Copy> copies;
  int64_t sync_start_ns = 0, sync_end_ns = 0;  // cudaStreamSynchronize of the last op

  void clear() {
    ops.clear();
    launches.clear();
    copies.clear();
  }
};

// The ops around lost calls, which are lost with them.
std::vector<std::size_t> lost_ops(const Record& record);

inline constexpr int64_t kComputeStreamOfRank = 7;
// The NCCL call of the host encloses the launch by so much.
inline constexpr int64_t kNcclMarginNs = 300;

// Plays one rank. Within an iteration: begin(), for each slot arrive() and finish(), end().
class Player {
 public:
  // `record`: filled in, or null. Both outlive the player.
  Player(const Plan& plan, const RanksOptions& options, const RankPlace& place, Record* record);

  void begin(int64_t iteration);
  // Plays up to the collective and returns when its kernel starts.
  int64_t arrive(std::size_t slot);
  // Returns when its kernel ends: the common end plus jitter.
  int64_t finish(std::size_t slot, int64_t common_end_ns);
  void end();
  int64_t now_ns() const { return host_ns_; }

 private:
  void play_until(std::size_t step);
  void play(const Step& step);
  void play_op(const Step& step);
  std::size_t open(std::size_t op, bool is_backward);
  void close(std::size_t opened);
  void host(int64_t ns, int64_t percent) { host_ns_ += random_.around(ns, percent); }
  void copy(std::size_t opened, int64_t bytes, profile::CopyKind kind);
  int64_t more_ppm(SlowPart part, int64_t iteration) const;

  const Plan& plan_;
  const RanksOptions& options_;
  const RankPlace& place_;
  Record* record_;
  Random random_{0};
  int64_t host_ns_ = 0, compute_free_ns_ = 0;
  std::vector<int64_t> stream_free_ns_;  // by family
  std::vector<int64_t> slot_end_ns_;
  int64_t kernels_ppm_ = 0, data_ppm_ = 0, checkpoint_ns_ = 0;
  int64_t stage_ppm_ = 0, more_ops_ppm_ = 0;  // of the stage, and those that are due
  int64_t sequence_ = 0, backward_sequence_ = 0;
  std::size_t next_step_ = 0;
  Record::Launch collective_;
  std::size_t collective_op_ = 0;
  std::vector<std::pair<int64_t, std::size_t>> lost_;  // (iteration, slot), sorted
};

// Common ends of all collectives: by iteration, slot and group of the family.
class Ends {
 public:
  Ends(const Plan& plan, int64_t ranks, int64_t iterations);
  int64_t& at(int64_t iteration, std::size_t slot, int64_t group_of_family) {
    return ends_[static_cast<std::size_t>(iteration) * stride_ + first_[slot] +
                 static_cast<std::size_t>(group_of_family)];
  }

 private:
  std::size_t stride_ = 0;
  std::vector<std::size_t> first_;  // by slot
  std::vector<int64_t> ends_;
};

// What is known of a collective on all its members once it is played.
struct PlayedCollective {
  int64_t iteration = 0;
  std::size_t slot = 0;
  const Group* group = nullptr;
  int64_t place = 0;  // among all of its group in the run
  int64_t transfer_ns = 0, end_ns = 0;
  std::span<const int64_t> arrivals_ns, ends_ns;  // by member
};

// The calls that the file of a rank lacks, sorted; never of its first recorded iteration.
std::vector<std::pair<int64_t, std::size_t>> lost_calls(const Plan& plan,
                                                        const RanksOptions& options,
                                                        const RankPlace& place);

// Plays all ranks together. `use(const PlayedCollective&)` is called in the order of iterations and
// slots. Sets when late captures begin. Returns false once `progress` is canceled.
template <typename Use>
bool play_all(const Plan& plan, const RanksOptions& options, std::vector<RankPlace>& places,
              Ends& ends, base::Progress& progress, const Use& use);

int64_t true_transfer_ns(const Plan& plan, const RanksOptions& options, int64_t iteration,
                         std::size_t slot, int64_t group);

template <typename Use>
bool play_all(const Plan& plan, const RanksOptions& options, std::vector<RankPlace>& places,
              Ends& ends, base::Progress& progress, const Use& use) {
  std::vector<Player> players;
  players.reserve(places.size());
  for (const RankPlace& place : places) players.emplace_back(plan, options, place, nullptr);
  std::vector<int64_t> arrivals(places.size()), stops(places.size());
  for (int64_t i = 0; i < options.iterations; ++i) {
    for (std::size_t r = 0; r < players.size(); ++r) {
      if (i == places[r].first_iteration && i > 0) {
        places[r].capture_start_ns = players[r].now_ns() - 1'000;
      }
      players[r].begin(i);
    }
    for (std::size_t slot = 0; slot < plan.slots.size(); ++slot) {
      for (std::size_t r = 0; r < players.size(); ++r) arrivals[r] = players[r].arrive(slot);
      const Family& family = plan.families[plan.slots[slot].family];
      const auto size = static_cast<std::size_t>(family.size);
      for (std::size_t first = 0; first < players.size(); first += size) {
        const auto group = static_cast<int64_t>(first / size);
        PlayedCollective played;
        played.iteration = i;
        played.slot = slot;
        played.group = &plan.groups[static_cast<std::size_t>(family.first_group + group)];
        played.place = i * family.places + plan.slots[slot].place;
        played.transfer_ns = true_transfer_ns(plan, options, i, slot, group);
        int64_t last_ns = arrivals[first];
        for (std::size_t r = first; r < first + size; ++r) last_ns = std::max(last_ns, arrivals[r]);
        played.end_ns = ends.at(i, slot, group) = last_ns + played.transfer_ns;
        for (std::size_t r = first; r < first + size; ++r) {
          stops[r] = players[r].finish(slot, played.end_ns);
        }
        played.arrivals_ns = std::span<const int64_t>(arrivals).subspan(first, size);
        played.ends_ns = std::span<const int64_t>(stops).subspan(first, size);
        use(played);
      }
    }
    for (Player& player : players) player.end();
    progress.set_done(i + 1);
    if (progress.canceled()) return false;
  }
  return true;
}

// Plays one rank alone. `use()` is called after each iteration, when `record` has all of it.
template <typename Use>
void play_rank(const Plan& plan, const RanksOptions& options, const RankPlace& place, Ends& ends,
               Record& record, const Use& use) {
  Player player(plan, options, place, &record);
  for (int64_t i = 0; i < options.iterations; ++i) {
    record.clear();
    player.begin(i);
    for (std::size_t slot = 0; slot < plan.slots.size(); ++slot) {
      player.arrive(slot);
      const Family& family = plan.families[plan.slots[slot].family];
      player.finish(slot, ends.at(i, slot, place.rank / family.size));
    }
    player.end();
    use();
  }
}

}  // namespace dlview::generate::ranks
