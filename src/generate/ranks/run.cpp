#include "generate/ranks/run.h"

#include <algorithm>
#include <utility>

namespace dlview::generate::ranks {
namespace {

constexpr int64_t kCallNs = 2'600;           // of a launch on the host
constexpr int64_t kOpNs = 1'800;             // of an op beside its launches
constexpr int64_t kLaunchLatencyNs = 2'000;  // until the GPU starts
constexpr int64_t kBatchBytes = 1'572'864;

constexpr int64_t kWhole = 1'000'000;  // of shares in millionths

int64_t scaled(int64_t value, int64_t more_ppm) {
  return value + value / kWhole * more_ppm + value % kWhole * more_ppm / kWhole;
}

}  // namespace

std::vector<std::pair<int64_t, std::size_t>> lost_calls(const Plan& plan,
                                                        const RanksOptions& options,
                                                        const RankPlace& place) {
  std::vector<std::pair<int64_t, std::size_t>> lost;
  const int64_t from = place.first_iteration + 1;
  const auto slots = std::ssize(plan.slots);
  for (const Skew::RankCount& each : options.skew.lost) {
    if (each.rank != place.rank || slots == 0) continue;
    Random random = draw(options.seed, Purpose::lost, place.rank);
    const int64_t most = std::min(each.count, (options.iterations - from) * slots);
    while (std::ssize(lost) < most) {
      const std::pair<int64_t, std::size_t> call(random.between(from, options.iterations - 1),
                                                 static_cast<std::size_t>(random.below(slots)));
      if (std::ranges::find(lost, call) == lost.end()) lost.push_back(call);
    }
  }
  std::ranges::sort(lost);
  return lost;
}

std::vector<std::size_t> lost_ops(const Record& record) {
  std::vector<std::size_t> ops;
  for (const Record::Launch& launch : record.launches) {
    if (launch.is_lost) ops.push_back(launch.op);
  }
  return ops;
}

int64_t true_transfer_ns(const Plan& plan, const RanksOptions& options, int64_t iteration,
                         std::size_t slot, int64_t group) {
  return draw(options.seed, Purpose::transfer, iteration, static_cast<int64_t>(slot), group)
      .around(plan.slots[slot].transfer_ns, 4);
}

Player::Player(const Plan& plan, const RanksOptions& options, const RankPlace& place,
               Record* record)
    : plan_(plan),
      options_(options),
      place_(place),
      record_(record),
      stream_free_ns_(plan.families.size()),
      slot_end_ns_(plan.slots.size()) {
  if (record_ != nullptr) lost_ = lost_calls(plan, options, place);
}

int64_t Player::more_ppm(SlowPart part, int64_t iteration) const {
  int64_t more = 0;
  for (const Skew::SlowRank& slow : options_.skew.stragglers) {
    if (slow.rank == place_.rank && slow.part == part && slow.is_slow_in(iteration))
      more += slow.more_ppm;
  }
  if (part == SlowPart::data) return more;
  for (const Skew::SlowHost& slow : options_.skew.hosts) {
    if (slow.host == place_.host) more += slow.more_ppm;
  }
  return more;
}

void Player::begin(int64_t iteration) {
  random_ = draw(options_.seed, Purpose::speed, place_.rank, iteration);
  if (iteration == 0) host_ns_ = random_.below(200'000);
  const int64_t noise = random_.between(-options_.skew.noise_ppm, options_.skew.noise_ppm);
  kernels_ppm_ = noise + more_ppm(SlowPart::kernels, iteration);
  data_ppm_ = more_ppm(SlowPart::data, iteration);
  if (options_.skew.rotating_ppm > 0 &&
      plan_.slow_ranks[static_cast<std::size_t>(iteration)] == place_.rank) {
    kernels_ppm_ += options_.skew.rotating_ppm;
  }
  const std::optional<Skew::Stage>& stage = options_.skew.stage;
  stage_ppm_ = stage && place_.rank >= stage->first_rank ? stage->more_ppm : 0;
  more_ops_ppm_ = 0;
  checkpoint_ns_ = 0;
  for (const Skew::SlowIteration& slow : options_.skew.all) {
    if (slow.iteration != iteration) continue;
    checkpoint_ns_ += scaled(plan_.iteration_ns, slow.more_ppm) - plan_.iteration_ns;
  }
  sequence_ = iteration * 1'000'000 / 10 + 1;
  next_step_ = 0;
  if (record_ == nullptr) return;
  record_->iteration = iteration;
  record_->start_ns = host_ns_;
}

std::size_t Player::open(std::size_t op, bool is_backward) {
  if (record_ == nullptr) return 0;
  int64_t sequence = -1;
  if (plan_.ops[op].has_sequence) {
    sequence = is_backward ? std::max<int64_t>(1, --backward_sequence_) : sequence_++;
    if (!is_backward) backward_sequence_ = sequence_;
  }
  record_->ops.push_back({op, host_ns_, 0, sequence, is_backward});
  return record_->ops.size() - 1;
}

void Player::close(std::size_t opened) {
  if (record_ != nullptr) record_->ops[opened].end_ns = host_ns_;
}

void Player::copy(std::size_t opened, int64_t bytes, profile::CopyKind kind) {
  const int64_t begin_ns = host_ns_;
  const int64_t start_ns =
      std::max(begin_ns + kCallNs + kLaunchLatencyNs, compute_free_ns_ + kGapNs);
  compute_free_ns_ = start_ns + 1'500 + bytes / 25;  // 25 GB/s
  // Pageable memory: the call returns after the copy.
  host_ns_ = compute_free_ns_ + 1'200;
  if (record_ == nullptr) return;
  record_->copies.push_back({begin_ns, host_ns_, start_ns, compute_free_ns_, bytes, opened, kind});
}

void Player::play_op(const Step& step) {
  const std::size_t opened = open(step.op, step.is_backward);
  host(kOpNs, 40);
  for (std::size_t k = 0; k < step.count; ++k) {
    const std::size_t kernel = step.kernel(k);
    const int64_t begin_ns = host_ns_;
    host(kCallNs, 40);
    const int64_t start_ns = std::max(host_ns_ + kLaunchLatencyNs, compute_free_ns_ + kGapNs);
    compute_free_ns_ = start_ns + scaled(random_.around(plan_.kernels[kernel].ns, 3), kernels_ppm_);
    if (record_ == nullptr) continue;
    record_->launches.push_back({begin_ns, host_ns_, start_ns, compute_free_ns_, kernel, opened,
                                 kComputeStreamOfRank, -1, false});
  }
  host_ns_ += 400;
  close(opened);
}

void Player::play(const Step& step) {
  switch (step.kind) {
    case StepKind::load_data: {
      if (checkpoint_ns_ > 0) {
        const std::size_t saving = open(plan_.checkpoint_op, false);
        host_ns_ += checkpoint_ns_;
        close(saving);
      }
      const std::size_t opened = open(step.op, false);
      host_ns_ += scaled(random_.around(kDataNs, 2), data_ppm_);
      return close(opened);
    }
    case StepKind::copy_batch: {
      const std::size_t opened = open(step.op, false);
      host(kOpNs, 40);
      copy(opened, kBatchBytes, profile::CopyKind::host_to_device);
      return close(opened);
    }
    case StepKind::op:
      play_op(step);
      // An op of the stage, now and then.
      more_ops_ppm_ += stage_ppm_;
      for (; more_ops_ppm_ >= kWhole; more_ops_ppm_ -= kWhole) play_op(step);
      return;
    case StepKind::wait:
      compute_free_ns_ = std::max(compute_free_ns_, slot_end_ns_[step.first]);
      return;
    case StepKind::synchronize: {
      const std::size_t opened = open(step.op, false);
      host(kOpNs, 40);
      copy(opened, 4, profile::CopyKind::device_to_host);
      const int64_t begin_ns = host_ns_ + 300;
      host_ns_ += 2'300;
      if (record_ != nullptr) {
        record_->sync_start_ns = begin_ns;
        record_->sync_end_ns = host_ns_;
      }
      host_ns_ += 500;
      return close(opened);
    }
    case StepKind::collective:
      return;  // arrive() and finish()
  }
}

void Player::play_until(std::size_t step) {
  while (next_step_ < step) play(plan_.steps[next_step_++]);
}

int64_t Player::arrive(std::size_t slot) {
  play_until(plan_.slot_steps[slot]);
  const Step& step = plan_.steps[next_step_++];
  collective_op_ = open(step.op, step.is_backward);
  host(kOpNs + kNcclMarginNs, 40);
  const std::size_t family = plan_.slots[slot].family;
  collective_.api_start_ns = host_ns_;
  host(2 * kCallNs, 40);
  collective_.api_end_ns = host_ns_;
  host_ns_ += 2 * kNcclMarginNs;
  close(collective_op_);
  // After the kernels whose results it sends, and after the collective before it.
  collective_.start_ns = std::max({collective_.api_end_ns + kLaunchLatencyNs,
                                   compute_free_ns_ + kGapNs, stream_free_ns_[family] + kGapNs});
  return collective_.start_ns;
}

int64_t Player::finish(std::size_t slot, int64_t common_end_ns) {
  const std::size_t family = plan_.slots[slot].family;
  const int64_t end_ns = common_end_ns + random_.below(options_.skew.jitter_ns + 1);
  slot_end_ns_[slot] = stream_free_ns_[family] = end_ns;
  if (record_ == nullptr) return end_ns;
  collective_.end_ns = end_ns;
  collective_.kernel = plan_.slots[slot].kernel;
  collective_.op = collective_op_;
  collective_.stream = plan_.families[family].stream;
  collective_.slot = static_cast<int64_t>(slot);
  collective_.is_lost = std::ranges::binary_search(lost_, std::pair(record_->iteration, slot));
  record_->launches.push_back(collective_);
  return end_ns;
}

void Player::end() {
  play_until(plan_.steps.size());
  host_ns_ += 700;
  if (record_ != nullptr) record_->end_ns = host_ns_;
  host_ns_ += 300;  // until the next one begins
}

Ends::Ends(const Plan& plan, int64_t ranks, int64_t iterations) {
  for (const Slot& slot : plan.slots) {
    first_.push_back(stride_);
    stride_ += static_cast<std::size_t>(ranks / plan.families[slot.family].size);
  }
  ends_.resize(stride_ * static_cast<std::size_t>(iterations));
}

}  // namespace dlview::generate::ranks
