#include "generate/ranks/truth.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dlview::generate::ranks {
namespace {

// Beyond that, arrays by rank of every collective are left out, then the collectives.
constexpr int64_t kMostBytes = 100'000'000;
constexpr int64_t kBytesPerCall = 36, kBytesPerCollective = 225;

int64_t nearest_rank_median(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + (std::ssize(values) - 1) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

// P(Binomial(n, p) >= count).
double binomial_tail(int64_t n, double p, int64_t count) {
  double sum = 0;
  for (int64_t k = count; k <= n; ++k) {
    const auto x = static_cast<double>(k), all = static_cast<double>(n);
    sum += std::exp(std::lgamma(all + 1) - std::lgamma(x + 1) - std::lgamma(all - x + 1) +
                    x * std::log(p) + (all - x) * std::log1p(-p));
  }
  return std::min(sum, 1.0);
}

double kendall_w(const std::vector<std::vector<int64_t>>& own_ns) {
  const std::size_t ranks = own_ns.empty() ? 0 : own_ns.front().size();
  if (ranks < 2) return 0;
  std::vector<double> sums(ranks);
  for (const std::vector<int64_t>& own : own_ns) {
    std::vector<std::size_t> order(ranks);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t rank) { return own[rank]; });
    for (std::size_t i = 0; i < ranks; ++i) sums[order[i]] += static_cast<double>(i + 1);
  }
  const auto m = static_cast<double>(own_ns.size()), n = static_cast<double>(ranks);
  double squares = 0;
  for (const double sum : sums) squares += (sum - m * (n + 1) / 2) * (sum - m * (n + 1) / 2);
  return 12 * squares / (m * m * (n * n * n - n));
}

// The most frequent name, and how often it occurs.
template <typename Name>
std::pair<Name, int64_t> most_frequent(const std::map<Name, int64_t>& counts) {
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; });
  return most == counts.end() ? std::pair<Name, int64_t>() : std::pair<Name, int64_t>(*most);
}

std::string in_quotes(std::string_view text) {
  return fmt::format("\"{}\"", text);
}

std::string_view type_text(CollectiveType type) {
  switch (type) {
    case CollectiveType::all_reduce:
      return "all_reduce";
    case CollectiveType::all_gather:
      return "all_gather";
    case CollectiveType::all_to_all:
      return "all_to_all";
  }
  return "";
}

std::string_view format_text(RanksFormat format) {
  return format == RanksFormat::nsys      ? "nsys"
         : format == RanksFormat::pytorch ? "pytorch"
                                          : "dlprof";
}

}  // namespace

std::vector<RunIteration> judge_iterations(const std::vector<std::vector<int64_t>>& own_ns,
                                           const std::vector<std::vector<int64_t>>& durations_ns) {
  std::vector<RunIteration> iterations;
  for (std::size_t i = 0; i < own_ns.size(); ++i) {
    const std::vector<int64_t>& own = own_ns[i];
    RunIteration row;
    row.step_ns = nearest_rank_median(durations_ns[i]);
    const int64_t middle = nearest_rank_median(own);
    const auto most = std::ranges::max_element(own);  // the first of equal ones
    row.cost_ns = *most - middle;
    std::vector<int64_t> deviations;
    for (const int64_t each : own) deviations.push_back(std::abs(each - middle));
    const int64_t mad_ns = nearest_rank_median(deviations);
    // cost > 3 x 1.4826 MAD and cost > 0.5% of the step.
    if (10'000 * row.cost_ns > 44'478 * mad_ns && 200 * row.cost_ns > row.step_ns) {
      row.straggler = most - own.begin();
    }
    iterations.push_back(row);
  }
  return iterations;
}

RunClass judge_run(const std::vector<std::vector<int64_t>>& own_ns,
                   const std::vector<RunIteration>& iterations,
                   const std::vector<std::string>& hosts) {
  constexpr int64_t kLeastIterations = 10;
  constexpr double kSurely = 0.001;
  RunClass result;
  const int64_t m = std::ssize(iterations);
  const auto ranks = static_cast<double>(hosts.size());
  int64_t cost_ns = 0, steps_ns = 0, stragglers = 0;
  std::map<int64_t, int64_t> by_rank;
  std::map<std::string, int64_t> by_host, ranks_of_host;
  std::vector<int64_t> lengths_ns;
  for (const RunIteration& each : iterations) {
    cost_ns += each.cost_ns;
    steps_ns += each.step_ns;
    lengths_ns.push_back(each.step_ns);
    if (each.straggler < 0) continue;
    ++stragglers;
    ++by_rank[each.straggler];
    ++by_host[hosts[static_cast<std::size_t>(each.straggler)]];
  }
  for (const std::string& host : hosts) ++ranks_of_host[host];
  result.concordance = kendall_w(own_ns);
  result.name = "unclear";
  if (m < kLeastIterations || hosts.size() < 2) return result;
  const auto [rank, count] = most_frequent(by_rank);
  result.probability = std::min(1.0, ranks * binomial_tail(m, 1 / ranks, count));
  // All at once: the step is longer than usual, the cost is not.
  const int64_t usual_ns = nearest_rank_median(lengths_ns);
  std::vector<int64_t> slow;
  for (int64_t i = 0; i < m; ++i) {
    const RunIteration& each = iterations[static_cast<std::size_t>(i)];
    if (4 * each.step_ns > 5 * usual_ns && 100 * each.cost_ns < 5 * each.step_ns) slow.push_back(i);
  }
  if (100 * cost_ns < steps_ns) {
    result.name = slow.empty() ? "none" : "all at once";
    result.subjects = std::move(slow);
    return result;
  }
  if (2 * count > stragglers && result.probability < kSurely) {
    result.name = "one rank";
    result.subjects = {rank};
    return result;
  }
  const auto [host, host_count] = most_frequent(by_host);
  const auto host_total = static_cast<double>(ranks_of_host.size());
  if (ranks_of_host.size() > 1 && 2 * host_count > stragglers &&
      host_total * binomial_tail(m, 1 / host_total, host_count) < kSurely) {
    result.name = "one host";
    result.host = host;
    return result;
  }
  if (result.concordance < 0.1 &&
      static_cast<double>(count) * ranks <= 3 * static_cast<double>(stragglers)) {
    result.name = "rotating";
  }
  return result;
}

TruthDetail truth_detail(const Plan& plan, const RanksOptions& options) {
  const int64_t calls = options.ranks * options.iterations * std::ssize(plan.slots);
  int64_t collectives = 0;
  for (const Slot& slot : plan.slots) {
    collectives += options.iterations * options.ranks / plan.families[slot.family].size;
  }
  const int64_t for_rows = collectives * kBytesPerCollective;
  return {for_rows < kMostBytes, for_rows + calls * kBytesPerCall < kMostBytes};
}

base::Result<TruthWriter> TruthWriter::create(const std::filesystem::path& path, const Plan& plan,
                                              const RanksOptions& options) {
  base::Result<base::UnfinishedFile> file = base::UnfinishedFile::create(path);
  if (!file) return std::move(file).error();
  return TruthWriter(std::move(*file), plan, options);
}

TruthWriter::TruthWriter(base::UnfinishedFile file, const Plan& plan, const RanksOptions& options)
    : file_(std::move(file)), plan_(&plan), options_(&options) {
  detail_ = truth_detail(plan, options);
  sums_.resize(plan.groups.size());
  blame_ns_.resize(static_cast<std::size_t>(options.ranks));
  for (const Family& family : plan.families) streams_.push_back(family.stream);
  streams_.push_back(kComputeStreamOfRank);
  busy_.resize(streams_.size());
  write_head();
}

void TruthWriter::write_head() {
  std::string text = fmt::format(
      "{{\n\"format\": \"{}\", \"seed\": {}, \"world_size\": {}, \"ranks_per_host\": {}, "
      "\"iterations\": {}, \"kernels_per_iteration\": {},\n\"skew\": \"{}\", \"jitter_ns\": {}, "
      "\"start_utc_ns\": {}, \"has_collectives\": {}, \"has_arrays\": {},\n\"groups\": [",
      format_text(options_->format), options_->seed, options_->ranks, options_->ranks_per_host,
      options_->iterations, plan_->kernels_per_iteration, options_->skew_text,
      options_->skew.jitter_ns, kRunStartUtcNs, detail_.collectives, detail_.arrays);
  for (const Group& group : plan_->groups) {
    text += fmt::format(
        "{}\n  {{\"group\": \"{}\", \"description\": \"{}\", \"communicator\": \"{}\", "
        "\"ranks\": [{}]}}",
        &group == plan_->groups.data() ? "" : ",", group.name, group.description,
        group.communicator, fmt::join(group.ranks, ", "));
  }
  file_.out() << text << "],\n\"collectives\": [";
}

void TruthWriter::add(const PlayedCollective& played, const std::vector<RankPlace>& places) {
  const Slot& slot = plan_->slots[played.slot];
  const auto last = std::ranges::max_element(played.arrivals_ns);  // the first of equal ones
  const auto last_member = static_cast<std::size_t>(last - played.arrivals_ns.begin());
  const int64_t last_rank = played.group->ranks[last_member];
  int64_t second_ns = INT64_MIN;
  for (std::size_t i = 0; i < played.arrivals_ns.size(); ++i) {
    if (i != last_member) second_ns = std::max(second_ns, played.arrivals_ns[i]);
  }
  blame_ns_[static_cast<std::size_t>(last_rank)] += *last - second_ns;
  const int64_t skew_ns = *last - std::ranges::min(played.arrivals_ns);
  GroupSums& sums = sums_[static_cast<std::size_t>(played.group - plan_->groups.data())];
  ++sums.calls;
  sums.transfer_ns += played.transfer_ns;
  sums.skew_ns += skew_ns;
  if (!detail_.collectives) return;
  std::string text = fmt::format(
      "{}\n  {{\"group\": \"{}\", \"place\": {}, \"iteration\": {}, \"type\": \"{}\", "
      "\"message_bytes\": {}, \"bytes\": {}, \"transfer_ns\": {}, \"last\": {}, "
      "\"last_arrival_ns\": {}, \"skew_ns\": {}, \"solo_ns\": {}",
      is_first_ ? "" : ",", played.group->name, played.place, played.iteration,
      type_text(slot.type), slot.message_bytes, slot.bytes, played.transfer_ns, last_rank, *last,
      skew_ns, *last - second_ns);
  is_first_ = false;
  if (detail_.arrays) {
    std::vector<int64_t> durations_ns, waits_ns;
    for (std::size_t i = 0; i < played.arrivals_ns.size(); ++i) {
      const RankPlace& place = places[static_cast<std::size_t>(played.group->ranks[i])];
      durations_ns.push_back(place.utc_ns(played.ends_ns[i]) - place.utc_ns(played.arrivals_ns[i]));
      waits_ns.push_back(*last - played.arrivals_ns[i]);
    }
    text += fmt::format(", \"arrivals_ns\": [{}], \"durations_ns\": [{}], \"waits_ns\": [{}]",
                        fmt::join(played.arrivals_ns, ", "), fmt::join(durations_ns, ", "),
                        fmt::join(waits_ns, ", "));
  }
  file_.out() << text << '}';
}

void TruthWriter::begin_rank(const RankPlace& place, std::string file) {
  place_ = &place;
  rows_.emplace_back().file = std::move(file);
}

// The part of the first `wait_ns` of the kernel beside which no kernel of another stream runs.
int64_t TruthWriter::exposed_ns(const Record::Launch& collective, int64_t wait_ns) const {
  const int64_t from = place_->utc_ns(collective.start_ns), to = from + wait_ns;
  std::vector<std::pair<int64_t, int64_t>> others;
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    if (streams_[s] == collective.stream) continue;
    // Kernels of a stream are in order and do not overlap.
    const auto& kernels = busy_[s];
    auto kernel = std::ranges::upper_bound(kernels, from, {}, &std::pair<int64_t, int64_t>::second);
    for (; kernel != kernels.end() && kernel->first < to; ++kernel) others.push_back(*kernel);
  }
  std::ranges::sort(others);
  int64_t exposed = 0, at = from;
  for (const auto& [start, end] : others) {
    if (start > at) exposed += start - at;
    at = std::max(at, end);
  }
  return exposed + std::max<int64_t>(0, to - at);
}

void TruthWriter::add(const Record& record, Ends& ends) {
  RankRow& row = rows_.back();
  for (auto& kernels : busy_) kernels.clear();
  for (const Record::Launch& launch : record.launches) {
    const auto stream = std::ranges::find(streams_, launch.stream) - streams_.begin();
    busy_[static_cast<std::size_t>(stream)].emplace_back(place_->utc_ns(launch.start_ns),
                                                         place_->utc_ns(launch.end_ns));
  }
  Figures figures;
  figures.start_ns = place_->utc_ns(record.start_ns);
  const bool is_recorded = !row.file.empty() && record.iteration >= place_->first_iteration;
  for (const Record::Launch& launch : record.launches) {
    if (is_recorded && !launch.is_lost) {
      ++row.kernels;
      row.collectives += launch.slot >= 0 ? 1 : 0;
    }
    if (launch.slot < 0) continue;
    const auto slot = static_cast<std::size_t>(launch.slot);
    const int64_t group = place_->rank / plan_->families[plan_->slots[slot].family].size;
    const int64_t last_ns = ends.at(record.iteration, slot, group) -
                            true_transfer_ns(*plan_, *options_, record.iteration, slot, group);
    const int64_t wait_ns = last_ns - launch.start_ns;
    figures.wait_ns += wait_ns;
    figures.exposed_wait_ns += exposed_ns(launch, wait_ns);
  }
  row.end_ns = place_->utc_ns(record.end_ns);
  row.iterations.push_back(figures);
}

void TruthWriter::write_ranks(const std::vector<RankPlace>& places) {
  std::string text = "\n],\n\"group_sums\": [";
  for (const Group& group : plan_->groups) {
    const auto index = static_cast<std::size_t>(&group - plan_->groups.data());
    text += fmt::format(
        "{}\n  {{\"group\": \"{}\", \"calls\": {}, \"sum_transfer_ns\": {}, \"sum_skew_ns\": {}}}",
        index == 0 ? "" : ",", group.name, sums_[index].calls, sums_[index].transfer_ns,
        sums_[index].skew_ns);
  }
  text += "],\n\"ranks\": [";
  for (const RankPlace& place : places) {
    const RankRow& row = rows_[static_cast<std::size_t>(place.rank)];
    std::vector<std::string> lost;
    for (const auto& [iteration, slot] : lost_calls(*plan_, *options_, place)) {
      const Family& family = plan_->families[plan_->slots[slot].family];
      lost.push_back(fmt::format("{{\"group\": \"{}\", \"place\": {}, \"iteration\": {}}}",
                                 plan_->group(family, place.rank).name,
                                 iteration * family.places + plan_->slots[slot].place, iteration));
    }
    text += fmt::format(
        "{}\n  {{\"rank\": {}, \"file\": {}, \"host\": \"{}\", \"gpu\": {}, \"process\": {}, "
        "\"offset_ns\": {}, \"drift_ns_per_s\": {}, \"capture_start_ns\": {}, "
        "\"first_iteration\": {}, \"kernels\": {}, \"collectives\": {}, \"blame_ns\": {}, "
        "\"lost\": [{}]}}",
        place.rank == 0 ? "" : ",", place.rank, row.file.empty() ? "null" : in_quotes(row.file),
        place.host, place.gpu, place.process, place.offset_ns, place.drift_ns_per_s,
        place.capture_start_ns, place.first_iteration, row.kernels, row.collectives,
        blame_ns_[static_cast<std::size_t>(place.rank)], fmt::join(lost, ", "));
  }
  file_.out() << text << "],\n";
}

void TruthWriter::write_iterations(const std::vector<RankPlace>& places) {
  // Compared: the ranks with a file, and the iterations that all of them have.
  int64_t first = 0;
  std::vector<int64_t> compared;
  std::vector<std::string> hosts;
  for (const RankPlace& place : places) {
    if (!place.has_file) continue;
    first = std::max(first, place.first_iteration);
    compared.push_back(place.rank);
    hosts.push_back(place.host);
  }
  const auto column = [&](std::size_t i, const auto& value) {
    std::vector<int64_t> values;
    for (const RankRow& row : rows_) {
      const int64_t end_ns =
          i + 1 < row.iterations.size() ? row.iterations[i + 1].start_ns - 1 : row.end_ns;
      values.push_back(value(row.iterations[i], end_ns));
    }
    return values;
  };
  const auto duration = [](const Figures& row, int64_t end_ns) { return end_ns - row.start_ns; };
  const auto own = [](const Figures& row, int64_t end_ns) {
    return end_ns - row.start_ns - row.exposed_wait_ns;
  };
  const auto of_compared = [&](const std::vector<int64_t>& all) {
    std::vector<int64_t> values;
    for (const int64_t rank : compared) values.push_back(all[static_cast<std::size_t>(rank)]);
    return values;
  };
  std::vector<std::vector<int64_t>> owns, durations;
  for (int64_t i = first; i < options_->iterations && !compared.empty(); ++i) {
    owns.push_back(of_compared(column(static_cast<std::size_t>(i), own)));
    durations.push_back(of_compared(column(static_cast<std::size_t>(i), duration)));
  }
  const std::vector<RunIteration> judged = judge_iterations(owns, durations);
  const RunClass judgement = judge_run(owns, judged, hosts);
  int64_t cost_ns = 0, steps_ns = 0;
  file_.out() << "\"by_iteration\": [";
  for (int64_t i = 0; i < options_->iterations; ++i) {
    const auto at = static_cast<std::size_t>(i);
    std::string text = fmt::format("{}\n  {{\"iteration\": {}", i == 0 ? "" : ",", i);
    if (i >= first && at - static_cast<std::size_t>(first) < judged.size()) {
      const RunIteration& row = judged[at - static_cast<std::size_t>(first)];
      cost_ns += row.cost_ns;
      steps_ns += row.step_ns;
      text += fmt::format(
          ", \"step_ns\": {}, \"cost_ns\": {}, \"straggler\": {}", row.step_ns, row.cost_ns,
          row.straggler < 0 ? "null"
                            : fmt::format("{}", compared[static_cast<std::size_t>(row.straggler)]));
    }
    text += fmt::format(
        ", \"durations_ns\": [{}], \"waits_ns\": [{}], \"exposed_waits_ns\": [{}], \"own_ns\": "
        "[{}]}}",
        fmt::join(column(at, duration), ", "),
        fmt::join(column(at, [](const Figures& row, int64_t) { return row.wait_ns; }), ", "),
        fmt::join(column(at, [](const Figures& row, int64_t) { return row.exposed_wait_ns; }),
                  ", "),
        fmt::join(column(at, own), ", "));
    file_.out() << text;
  }
  // Positions among the compared become ranks and iterations.
  std::vector<int64_t> subjects;
  for (const int64_t subject : judgement.subjects) {
    const bool is_rank = judgement.name == "one rank";
    subjects.push_back(is_rank ? compared[static_cast<std::size_t>(subject)] : first + subject);
  }
  file_.out() << fmt::format(
      "\n],\n\"run\": {{\"ranks\": {}, \"first_iteration\": {}, \"iterations\": {}, "
      "\"sum_cost_ns\": {}, \"sum_step_ns\": {}, \"mean_cost_ns\": {}, \"class\": \"{}\", "
      "\"subjects\": [{}], \"host\": \"{}\", \"kendall_w\": {:.6f}, \"probability\": "
      "{:.6g}}}\n}}\n",
      compared.size(), first, judged.size(), cost_ns, steps_ns,
      judged.empty() ? 0 : cost_ns / std::ssize(judged), judgement.name, fmt::join(subjects, ", "),
      judgement.host, judgement.concordance, judgement.probability);
}

base::Status TruthWriter::finish(const std::vector<RankPlace>& places) {
  write_ranks(places);
  write_iterations(places);
  return file_.finish();
}

}  // namespace dlview::generate::ranks
