#include "ranks/rank_times.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"

namespace dlview::ranks {
namespace {

// The places of a rank's iterations in the columns of the result, in the order of its parts; kNone
// = not on all ranks.
constexpr std::size_t kNone = SIZE_MAX;

class TimesMaker {
 public:
  explicit TimesMaker(const RunSummary& summary) : summary_(summary) {}

  base::Result<RankTimes> make() {
    times_.ranks = summary_.ranks();
    DLVIEW_TRY(find_numbers());
    for (RankMatrix* matrix : matrices()) {
      matrix->iterations = times_.numbers.size();
      matrix->values.assign(times_.ranks.size() * times_.numbers.size(), 0);
    }
    add_least();
    std::vector<std::size_t> rank_of(summary_.parts.size());
    for (std::size_t part = 1; part < rank_of.size(); ++part) {
      const bool is_same = summary_.parts[part].head.rank == summary_.parts[part - 1].head.rank;
      rank_of[part] = rank_of[part - 1] + (is_same ? 0 : 1);
    }
    // Parts have different ranks or iterations.
    base::parallel_for(rank_of.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t part = begin; part < end; ++part) add(summary_.parts[part], rank_of[part]);
    });
    return std::move(times_);
  }

 private:
  std::vector<RankMatrix*> matrices() {
    std::vector<RankMatrix*> all{&times_.start_ns,
                                 &times_.duration_ns,
                                 &times_.communication_ns,
                                 &times_.exposed_ns,
                                 &times_.wait_ns,
                                 &times_.least_exposed_wait_ns,
                                 &times_.most_exposed_wait_ns};
    for (RankMatrix& part : times_.parts) all.push_back(&part);
    return all;
  }

  base::Status find_numbers() {
    constexpr auto kNumber = static_cast<std::size_t>(RowColumn::number);
    const RankPart& first_part = summary_.parts.front();
    // All ranks have the same ones, most often.
    if (summary_.parts.size() == times_.ranks.size() &&
        std::ranges::all_of(summary_.parts, [&](const RankPart& part) {
          return part.size == first_part.size && part.rows[kNumber] == first_part.rows[kNumber];
        })) {
      times_.numbers = first_part.column(RowColumn::number);
      std::ranges::sort(times_.numbers);
      times_.numbers.erase(std::unique(times_.numbers.begin(), times_.numbers.end()),
                           times_.numbers.end());
      return base::Success{};
    }
    std::map<int64_t, std::size_t> ranks_with;
    int64_t rank = -1;
    std::vector<int64_t> of_rank;
    const auto count = [&] {
      std::ranges::sort(of_rank);
      of_rank.erase(std::unique(of_rank.begin(), of_rank.end()), of_rank.end());
      for (const int64_t number : of_rank) ++ranks_with[number];
      of_rank.clear();
    };
    for (const RankPart& part : summary_.parts) {
      if (part.head.rank != rank) count();
      rank = part.head.rank;
      const std::vector<int64_t> numbers = part.column(RowColumn::number);
      of_rank.insert(of_rank.end(), numbers.begin(), numbers.end());
    }
    count();
    for (const auto& [number, ranks] : ranks_with) {
      if (ranks == times_.ranks.size()) times_.numbers.push_back(number);
    }
    if (!times_.numbers.empty()) return base::Success{};
    const RankPart &first = summary_.parts.front(), &last = summary_.parts.back();
    return base::Error{
        "These ranks have no iteration in common",
        fmt::format("{} begins with iteration {}, {} with {}", first.head.file,
                    first.column(RowColumn::number).front(), last.head.file,
                    last.column(RowColumn::number).front()),
        "Record the same iterations on all ranks, or choose another marker with --key-op"};
  }

  // The least durations of the collectives of a group in an iteration, by class, and their number.
  struct Least {
    std::array<Wide, kCallClasses> ns{};
    int64_t calls = 0;
  };
  // Those of a group are in order of place.
  void add_least() {
    for (auto sum = summary_.collectives.rbegin(); sum != summary_.collectives.rend(); ++sum) {
      if (!sum->second.number) continue;
      Least& least = least_[sum->first.group][*sum->second.number];
      least.ns[call_class(least.calls++)] += sum->second.least_ns;
    }
  }

  void add(const RankPart& part, std::size_t rank) {
    const std::vector<int64_t> numbers = part.column(RowColumn::number);
    std::vector<std::size_t> place(numbers.size(), kNone);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto found = std::ranges::lower_bound(times_.numbers, numbers[i]);
      if (found != times_.numbers.end() && *found == numbers[i]) {
        place[i] = static_cast<std::size_t>(found - times_.numbers.begin());
      }
    }
    const int64_t gpus = std::max<int64_t>(part.head.gpus, 1);
    const auto copy = [&](RowColumn column, RankMatrix& matrix, int64_t divisor) {
      const std::vector<int64_t> values = part.column(column);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (place[i] != kNone) matrix.at(rank, place[i]) = values[i] / divisor;
      }
    };
    copy(RowColumn::start_ns, times_.start_ns, 1);
    copy(RowColumn::stop_ns, times_.duration_ns, 1);
    for (const std::size_t i : place) {
      if (i != kNone) times_.duration_ns.at(rank, i) -= times_.start_ns.at(rank, i);
    }
    for (std::size_t category = 0; category < aggregate::kCategoryCount; ++category) {
      const auto column = static_cast<RowColumn>(
          static_cast<std::size_t>(RowColumn::tensor_core_kernels_ns) + category);
      copy(column, times_.parts[category], gpus);
    }
    copy(RowColumn::communication_ns, times_.communication_ns, gpus);
    copy(RowColumn::exposed_ns, times_.exposed_ns, gpus);
    add_waits(part, rank, numbers, place);
  }

  void add_waits(const RankPart& part, std::size_t rank, const std::vector<int64_t>& numbers,
                 const std::vector<std::size_t>& place) {
    const std::size_t size = numbers.size();
    std::vector<Waits> waits(size);
    for (const auto& [group, rows] : part.groups) {
      const auto of_group = least_.find(group);
      const auto calls = unpack_column(rows.calls, size);
      if (of_group == least_.end() || !calls) continue;
      std::array<std::vector<int64_t>, kCallClasses> ns, exposed_ns;
      for (std::size_t each = 0; each < kCallClasses; ++each) {
        ns[each] = unpack_column(rows.ns[each], size).value_or(std::vector<int64_t>(size));
        exposed_ns[each] =
            unpack_column(rows.exposed_ns[each], size).value_or(std::vector<int64_t>(size));
      }
      for (std::size_t i = 0; i < size; ++i) {
        const auto least = of_group->second.find(numbers[i]);
        const int64_t all_calls = least == of_group->second.end() ? 0 : least->second.calls;
        if (all_calls != (*calls)[i]) waits[i].is_known = false;
        for (std::size_t each = 0; all_calls > 0 && each < kCallClasses; ++each) {
          waits[i].add(ns[each][i] - static_cast<int64_t>(least->second.ns[each]), ns[each][i],
                       exposed_ns[each][i]);
        }
      }
    }
    const int64_t gpus = std::max<int64_t>(part.head.gpus, 1);
    for (std::size_t i = 0; i < size; ++i) {
      if (place[i] == kNone) continue;
      const auto set = [&](RankMatrix& matrix, int64_t ns) {
        matrix.at(rank, place[i]) = waits[i].is_known ? ns / gpus : -1;
      };
      set(times_.wait_ns, waits[i].ns);
      set(times_.least_exposed_wait_ns, waits[i].least_exposed_ns);
      set(times_.most_exposed_wait_ns, waits[i].most_exposed_ns);
    }
  }

  struct Waits {
    int64_t ns = 0, least_exposed_ns = 0, most_exposed_ns = 0;
    bool is_known = true;
    void add(int64_t wait_ns, int64_t duration_ns, int64_t exposed_ns) {
      ns += wait_ns;
      least_exposed_ns += std::max<int64_t>(0, wait_ns - (duration_ns - exposed_ns));
      most_exposed_ns += std::min(wait_ns, exposed_ns);
    }
  };

  const RunSummary& summary_;
  std::map<std::string, std::unordered_map<int64_t, Least>> least_;  // by group and number
  RankTimes times_;
};

}  // namespace

int64_t RankTimes::own_ns(std::size_t rank, std::size_t iteration) const {
  return duration_ns.at(rank, iteration) -
         std::max<int64_t>(least_exposed_wait_ns.at(rank, iteration), 0);
}

base::Result<RankTimes> rank_times(const RunSummary& summary) {
  return TimesMaker(summary).make();
}

}  // namespace dlview::ranks
