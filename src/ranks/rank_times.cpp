#include "ranks/rank_times.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "ranks/stored_parts.h"

namespace dlview::ranks {
namespace {

constexpr std::size_t kNone = SIZE_MAX;  // a place of an iteration that not all ranks have
using LeastOfClasses = std::array<int64_t, kCallClasses>;
constexpr LeastOfClasses kNoLeast{};

// Of the collectives that a rank calls in an iteration. ns: null = not known.
struct LeastOfRank {
  const LeastOfClasses* ns = &kNoLeast;
  int64_t calls = 0;
};

// The least durations of the collectives of a group, by number of the iteration that launched them.
struct LeastOfGroup {
  struct Least {
    LeastOfClasses ns{};
    int64_t calls = 0;
    int64_t members = 0;  // that some call has
    // All calls have as many. Else the later calls of a member that lacks one may stand for others.
    bool is_whole = true;
    const TimeMatches::ByRank* by_time = nullptr;  // instead

    LeastOfRank of_rank(int64_t rank) const {
      if (by_time == nullptr) return {is_whole ? &ns : nullptr, calls};
      const auto found = by_time->find(rank);
      if (found == by_time->end()) return {nullptr, 0};
      return {&found->second.least_ns, found->second.calls};
    }
  };
  std::vector<int64_t> numbers;  // ascending
  std::vector<Least> least;
  int64_t most_calls = 0;

  // `hint`: where it may be; becomes the place after it. nullptr = nobody called.
  const Least* find(int64_t number, std::size_t& hint) const {
    if (hint >= numbers.size() || numbers[hint] != number) {
      const auto found = std::ranges::lower_bound(numbers, number);
      hint = static_cast<std::size_t>(found - numbers.begin());
      if (found == numbers.end() || *found != number) return nullptr;
    }
    return &least[hint++];
  }
};

// Waits of one part, by iteration.
struct PartWaits {
  std::vector<int64_t> ns, least_exposed_ns, most_exposed_ns;
  std::vector<uint8_t> is_known;
  // Of the part, and of its group that is added; kept for the next one.
  struct Columns {
    std::vector<int64_t> numbers, calls;
    std::array<std::vector<int64_t>, kCallClasses> ns, exposed_ns;
  };
  Columns columns;

  void reset(std::size_t size) {
    for (auto* values : {&ns, &least_exposed_ns, &most_exposed_ns}) values->assign(size, 0);
    is_known.assign(size, 1);
  }
  void add(std::size_t i, int64_t wait_ns, int64_t duration_ns, int64_t exposed) {
    ns[i] = plausible(ns[i] + wait_ns);
    least_exposed_ns[i] =
        plausible(least_exposed_ns[i] + std::max<int64_t>(0, wait_ns - (duration_ns - exposed)));
    most_exposed_ns[i] = plausible(most_exposed_ns[i] + std::min(wait_ns, exposed));
  }
};

// Reads what the matrices have from the columns of the summary.
class TimesSource {
 public:
  TimesSource(const RunSummary& summary, const std::set<std::string>& mismatched,
              std::shared_ptr<const TimeMatches> by_time)
      : summary_(summary),
        by_time_(std::move(by_time)),
        ranks_(summary.ranks()),
        incomplete_(by_time_->unknown) {
    for (std::size_t part = 0; part < summary_.parts.size(); ++part) {
      const bool is_first =
          part == 0 || summary_.parts[part].head.rank != summary_.parts[part - 1].head.rank;
      if (is_first) first_part_.push_back(part);
    }
    first_part_.push_back(summary_.parts.size());
    add_least(mismatched);
  }

  const std::vector<int64_t>& ranks() const { return ranks_; }
  const std::vector<int64_t>& numbers() const { return numbers_; }
  const std::set<std::pair<std::string, int64_t>>& incomplete() const { return incomplete_; }

  base::Status find_numbers() {
    if (find_equal_numbers()) return base::Success{};
    std::map<int64_t, std::size_t> ranks_with;
    std::vector<int64_t> of_part, of_rank;
    ColumnReader reader;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      of_rank.clear();
      for (std::size_t part = first_part_[rank]; part < first_part_[rank + 1]; ++part) {
        if (!reader.read(summary_.parts[part], RowColumn::number, of_part)) continue;
        of_rank.insert(of_rank.end(), of_part.begin(), of_part.end());
      }
      sort_and_unite(of_rank);
      for (const int64_t number : of_rank) ++ranks_with[number];
    }
    for (const auto& [number, ranks] : ranks_with) {
      if (ranks == ranks_.size()) numbers_.push_back(number);
    }
    if (!numbers_.empty()) return base::Success{};
    const RankPart &first = summary_.parts.front(), &last = summary_.parts.back();
    const auto begin_of = [](const RankPart& part) {
      const std::vector<int64_t> numbers = part.column(RowColumn::number);
      return numbers.empty() ? 0 : numbers.front();
    };
    return base::Error{
        "These ranks have no iteration in common",
        fmt::format("{} begins with iteration {}, {} with {}", first.head.file, begin_of(first),
                    last.head.file, begin_of(last)),
        "Record the same iterations on all ranks, or choose another marker with --key-op"};
  }

  // Numbers of ranks, as RankMatrix::Load wants them.
  void read(ColumnReader& reader, RowColumn column, bool is_per_gpu,
            std::span<const std::size_t> ranks, std::span<int64_t> values) const {
    std::vector<int64_t> of_part;
    for_each_part(reader, ranks, values,
                  [&](const RankPart& part, const auto& place, std::span<int64_t> row) {
                    const int64_t divisor = is_per_gpu ? gpus_of(part) : 1;
                    reader.read(part, column, of_part);
                    for (std::size_t i = 0; i < of_part.size(); ++i) {
                      if (place[i] == kNone) continue;
                      row[place[i]] = share_of_gpu(plausible(of_part[i]), divisor);
                    }
                  });
  }

  void read_durations(ColumnReader& reader, std::span<const std::size_t> ranks,
                      std::span<int64_t> values) const {
    std::vector<int64_t> starts, stops;
    for_each_part(reader, ranks, values,
                  [&](const RankPart& part, const auto& place, std::span<int64_t> row) {
                    reader.read(part, RowColumn::start_ns, starts);
                    reader.read(part, RowColumn::stop_ns, stops);
                    for (std::size_t i = 0; i < stops.size(); ++i) {
                      if (place[i] == kNone) continue;
                      row[place[i]] = plausible(stops[i]) - plausible(starts[i]);
                    }
                  });
  }

  struct Waits {
    std::vector<int64_t> ns, least_exposed_ns, most_exposed_ns;
  };
  void read_waits(ColumnReader& reader, std::span<const std::size_t> ranks, Waits& waits) const {
    for (auto* values : {&waits.ns, &waits.least_exposed_ns, &waits.most_exposed_ns}) {
      values->assign(ranks.size() * numbers_.size(), 0);
    }
    PartWaits of_part;
    for_each_part(reader, ranks, waits.ns,
                  [&](const RankPart& part, const auto& place, std::span<int64_t> row) {
                    add_waits(reader, part, of_part);
                    const auto first = static_cast<std::size_t>(row.data() - waits.ns.data());
                    const int64_t gpus = gpus_of(part);
                    for (std::size_t i = 0; i < of_part.ns.size(); ++i) {
                      if (place[i] == kNone) continue;
                      const std::size_t at = first + place[i];
                      const auto value = [&](int64_t ns) {
                        return of_part.is_known[i] != 0 ? share_of_gpu(ns, gpus) : -1;
                      };
                      waits.ns[at] = value(of_part.ns[i]);
                      waits.least_exposed_ns[at] = value(of_part.least_exposed_ns[i]);
                      waits.most_exposed_ns[at] = value(of_part.most_exposed_ns[i]);
                    }
                  });
  }

 private:
  // Division is slow, and most ranks have one GPU.
  static int64_t share_of_gpu(int64_t ns, int64_t gpus) { return gpus == 1 ? ns : ns / gpus; }
  static int64_t gpus_of(const RankPart& part) { return std::max<int64_t>(part.head.gpus, 1); }

  static void sort_and_unite(std::vector<int64_t>& values) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }

  // All ranks have the same ones, most often.
  bool find_equal_numbers() {
    const RankPart& first = summary_.parts.front();
    if (summary_.parts.size() != ranks_.size()) return false;
    const std::vector<int64_t> numbers = first.column(RowColumn::number);
    const std::string packed = pack_column(numbers);
    ColumnReader reader;
    for (const RankPart& part : summary_.parts) {
      if (part.size != first.size || reader.packed(part, RowColumn::number) != packed) return false;
    }
    numbers_ = numbers;
    sort_and_unite(numbers_);
    if (numbers_.empty()) return false;
    places_ = places_of(numbers);
    equal_numbers_ = numbers;
    return true;
  }

  // The columns of iterations.
  std::vector<std::size_t> places_of(const std::vector<int64_t>& numbers) const {
    std::vector<std::size_t> places(numbers.size(), kNone);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto found = std::ranges::lower_bound(numbers_, numbers[i]);
      if (found != numbers_.end() && *found == numbers[i]) {
        places[i] = static_cast<std::size_t>(found - numbers_.begin());
      }
    }
    return places;
  }

  // Calls use(part, places of its iterations, row of the rank in `values`).
  template <typename Use>
  void for_each_part(ColumnReader& reader, std::span<const std::size_t> ranks,
                     std::span<int64_t> values, const Use& use) const {
    std::vector<int64_t> of_part;
    for (std::size_t at = 0; at < ranks.size(); ++at) {
      const std::span<int64_t> row = values.subspan(at * numbers_.size(), numbers_.size());
      for (std::size_t p = first_part_[ranks[at]]; p < first_part_[ranks[at] + 1]; ++p) {
        const RankPart& part = summary_.parts[p];
        if (!places_.empty()) {
          use(part, places_, row);
        } else if (reader.read(part, RowColumn::number, of_part)) {
          use(part, places_of(of_part), row);
        }
      }
    }
  }

  // The collectives of a group are in order of place.
  void add_least(const std::set<std::string>& mismatched) {
    const bool is_by_place = summary_.rules.matching != SummaryRules::Matching::sequence;
    std::map<std::string, std::map<int64_t, LeastOfGroup::Least>> groups;
    for (auto sum = summary_.collectives.rbegin(); sum != summary_.collectives.rend(); ++sum) {
      if (!sum->second.number) continue;
      LeastOfGroup::Least& least = groups[sum->first.group][*sum->second.number];
      if (least.calls == 0) {
        least.by_time = by_time_->find(sum->first.group, *sum->second.number);
        least.members = sum->second.members;
        least.is_whole =
            !mismatched.contains(sum->first.group) &&
            (incomplete_.empty() || !incomplete_.contains({sum->first.group, *sum->second.number}));
      }
      if (least.by_time != nullptr) {
        ++least.calls;
        continue;
      }
      if (is_by_place && least.members != sum->second.members) {
        least.is_whole = false;
        incomplete_.emplace(sum->first.group, *sum->second.number);
      }
      int64_t& ns = least.ns[call_class(least.calls++)];
      ns = plausible(ns + plausible(sum->second.least_ns));
    }
    for (const auto& [name, by_number] : groups) {
      LeastOfGroup& group = least_[name];
      for (const auto& [number, least] : by_number) {
        group.numbers.push_back(number);
        group.least.push_back(least);
        group.most_calls = std::max(group.most_calls, least.calls);
      }
    }
  }

  void add_waits(ColumnReader& reader, const RankPart& part, PartWaits& waits) const {
    const auto size = static_cast<std::size_t>(part.size);
    waits.reset(size);
    if (part.groups.empty()) return;
    auto& [read_numbers, calls, ns, exposed_ns] = waits.columns;
    if (equal_numbers_.empty()) reader.read(part, RowColumn::number, read_numbers);
    const std::vector<int64_t>& numbers = equal_numbers_.empty() ? read_numbers : equal_numbers_;
    std::size_t at = 0;
    for (const auto& entry : part.groups) {
      const std::size_t group = at++;
      const auto least_of_group = least_.find(entry.first);
      if (least_of_group == least_.end() || !reader.read(part, group, 0, calls)) continue;
      const LeastOfGroup& all = least_of_group->second;
      const auto classes =
          static_cast<std::size_t>(std::min(all.most_calls, int64_t{kCallClasses}));
      for (std::size_t each = 0; each < classes; ++each) {
        reader.read(part, group, 1 + each, ns[each]);
        reader.read(part, group, 1 + kCallClasses + each, exposed_ns[each]);
      }
      std::size_t hint = 0;
      for (std::size_t i = 0; i < size; ++i) {
        const LeastOfGroup::Least* const least = all.find(numbers[i], hint);
        const LeastOfRank its = least == nullptr ? LeastOfRank() : least->of_rank(part.head.rank);
        if (!its.ns || its.calls != calls[i]) {
          waits.is_known[i] = 0;
          continue;
        }
        for (std::size_t each = 0; each < classes && static_cast<int64_t>(each) < its.calls;
             ++each) {
          const int64_t duration_ns = plausible(ns[each][i]);
          waits.add(i, duration_ns - (*its.ns)[each], duration_ns, plausible(exposed_ns[each][i]));
        }
      }
    }
  }

  const RunSummary& summary_;
  const std::shared_ptr<const TimeMatches> by_time_;
  const std::vector<int64_t> ranks_;
  std::vector<std::size_t> first_part_;  // by rank, and the end of the last one
  std::vector<int64_t> numbers_;         // that all ranks have, ascending
  // Where all parts have the same numbers: these, and their columns; else empty.
  std::vector<int64_t> equal_numbers_;
  std::vector<std::size_t> places_;
  std::map<std::string, LeastOfGroup> least_;  // by group
  std::set<std::pair<std::string, int64_t>> incomplete_;
};

}  // namespace

bool RankTimes::are_same(const CollectiveKey& key, const CollectiveSum& sum) const {
  if (sum.number && by_time->find(key.group, *sum.number) != nullptr) return true;
  if (mismatched.contains(key.group)) return false;
  return incomplete.empty() || !sum.number || !incomplete.contains({key.group, *sum.number});
}

int64_t RankTimes::own_ns(std::size_t rank, std::size_t iteration) const {
  return duration_ns.at(rank, iteration) -
         std::max<int64_t>(least_exposed_wait_ns.at(rank, iteration), 0);
}

base::Result<RankTimes> rank_times(const RunSummary& summary,
                                   const std::set<std::string>& mismatched, TimeMatches by_time) {
  RankTimes times;
  times.by_time = std::make_shared<const TimeMatches>(std::move(by_time));
  const auto source = std::make_shared<TimesSource>(summary, mismatched, times.by_time);
  DLVIEW_TRY(source->find_numbers());
  times.ranks = source->ranks();
  times.numbers = source->numbers();
  times.mismatched = mismatched;
  times.incomplete = source->incomplete();
  const auto matrix = [&](RankMatrix::Load load) {
    return RankMatrix(times.ranks.size(), times.numbers.size(), std::move(load));
  };
  using Ranks = std::span<const std::size_t>;
  using Values = std::span<int64_t>;
  using Waits = TimesSource::Waits;
  const auto of_column = [&](RowColumn column, bool is_per_gpu) {
    return matrix([source, column, is_per_gpu](ColumnReader& reader, Ranks ranks, Values values) {
      source->read(reader, column, is_per_gpu, ranks, values);
    });
  };
  const auto of_waits = [&](std::vector<int64_t> Waits::*which) {
    return matrix([source, which](ColumnReader& reader, Ranks ranks, Values values) {
      Waits waits;
      source->read_waits(reader, ranks, waits);
      std::ranges::copy(waits.*which, values.begin());
    });
  };
  times.start_ns = of_column(RowColumn::start_ns, false);
  times.duration_ns = matrix([source](ColumnReader& reader, Ranks ranks, Values values) {
    source->read_durations(reader, ranks, values);
  });
  for (std::size_t category = 0; category < aggregate::kCategoryCount; ++category) {
    times.parts[category] =
        of_column(static_cast<RowColumn>(
                      static_cast<std::size_t>(RowColumn::tensor_core_kernels_ns) + category),
                  true);
  }
  times.communication_ns = of_column(RowColumn::communication_ns, true);
  times.exposed_ns = of_column(RowColumn::exposed_ns, true);
  times.wait_ns = of_waits(&Waits::ns);
  times.least_exposed_wait_ns = of_waits(&Waits::least_exposed_ns);
  times.most_exposed_wait_ns = of_waits(&Waits::most_exposed_ns);
  // What all figures need.
  base::parallel_for(times.duration_ns.chunks(), 1, [&](std::size_t begin, std::size_t end) {
    ColumnReader reader;
    std::vector<std::size_t> ranks;
    std::vector<int64_t> durations;
    Waits waits;
    for (std::size_t chunk = begin; chunk < end; ++chunk) {
      ranks.resize(std::min(RankMatrix::kRanksOfChunk,
                            times.ranks.size() - chunk * RankMatrix::kRanksOfChunk));
      std::iota(ranks.begin(), ranks.end(), chunk * RankMatrix::kRanksOfChunk);
      times.duration_ns.read(reader, ranks, durations);
      times.duration_ns.put(chunk, durations);
      source->read_waits(reader, ranks, waits);
      times.wait_ns.put(chunk, waits.ns);
      times.least_exposed_wait_ns.put(chunk, waits.least_exposed_ns);
    }
  });
  return times;
}

namespace {

// Columns of some ranks, which are not kept.
class SumReader {
 public:
  explicit SumReader(const RankTimes& times) : times_(times) {}

  void read(std::span<const std::size_t> ranks) {
    for (std::size_t part = 0; part < aggregate::kCategoryCount; ++part) {
      times_.parts[part].read(reader_, ranks, parts_[part]);
    }
    times_.exposed_ns.read(reader_, ranks, exposed_);
    times_.least_exposed_wait_ns.read(reader_, ranks, waits_);
  }
  void add(std::size_t place, std::size_t iteration, RankSums& sums) const {
    const std::size_t at = place * times_.numbers.size() + iteration;
    for (std::size_t part = 0; part < aggregate::kCategoryCount; ++part) {
      sums.parts_ns[part] += static_cast<double>(parts_[part][at]);
    }
    const int64_t exposed = exposed_[at];
    sums.exposed_ns += static_cast<double>(exposed);
    sums.exposed_wait_ns +=
        static_cast<double>(std::clamp<int64_t>(waits_[at], 0, std::max<int64_t>(exposed, 0)));
  }

 private:
  const RankTimes& times_;
  ColumnReader reader_;
  std::array<std::vector<int64_t>, aggregate::kCategoryCount> parts_;
  std::vector<int64_t> exposed_, waits_;
};

}  // namespace

std::vector<RankSums> rank_sums(const RankTimes& times) {
  std::vector<RankSums> sums(times.ranks.size());
  base::parallel_for(
      sums.size(), RankMatrix::kRanksOfChunk, [&](std::size_t begin, std::size_t end) {
        SumReader reader(times);
        std::vector<std::size_t> ranks;
        for (std::size_t first = begin; first < end;) {
          const std::size_t last =
              std::min(end, (first / RankMatrix::kRanksOfChunk + 1) * RankMatrix::kRanksOfChunk);
          ranks.resize(last - first);
          std::iota(ranks.begin(), ranks.end(), first);
          reader.read(ranks);
          for (std::size_t place = 0; place < ranks.size(); ++place) {
            for (std::size_t i = 0; i < times.numbers.size(); ++i) {
              reader.add(place, i, sums[first + place]);
            }
          }
          first = last;
        }
      });
  return sums;
}

std::vector<MeanIteration> mean_iterations(const RankTimes& times) {
  const auto count = static_cast<double>(std::max<std::size_t>(times.numbers.size(), 1));
  std::vector<MeanIteration> means;
  for (const RankSums& sums : rank_sums(times)) {
    MeanIteration& mean = means.emplace_back();
    std::ranges::copy(sums.parts_ns, mean.parts_ns.begin());
    mean.parts_ns[MeanIteration::kTransfer] = sums.exposed_ns - sums.exposed_wait_ns;
    mean.parts_ns[MeanIteration::kWait] = sums.exposed_wait_ns;
    // A file may call its NCCL kernels Tensor Core kernels.
    double communication = sums.exposed_ns;
    for (const auto part :
         {aggregate::Category::other_kernels, aggregate::Category::tensor_core_kernels}) {
      double& kernels = mean.parts_ns[static_cast<std::size_t>(part)];
      const double taken = std::min(kernels, communication);
      kernels -= taken;
      communication -= taken;
    }
    for (double& part : mean.parts_ns) part /= count;
    for (std::size_t part = 0; part < MeanIteration::kWait; ++part) {
      mean.own_ns += mean.parts_ns[part];
    }
  }
  return means;
}

RankSums sum_of(const RankTimes& times, std::vector<RankCell> cells) {
  std::ranges::sort(cells, {}, &RankCell::rank);
  // Those of a chunk are read at once.
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool is_first = i == 0 || cells[i].rank / RankMatrix::kRanksOfChunk !=
                                        cells[i - 1].rank / RankMatrix::kRanksOfChunk;
    if (is_first) begins.push_back(i);
  }
  std::vector<RankSums> of_chunk(begins.size());
  base::parallel_for(begins.size(), 1, [&](std::size_t first, std::size_t last) {
    SumReader reader(times);
    std::vector<std::size_t> ranks;
    for (std::size_t chunk = first; chunk < last; ++chunk) {
      const std::size_t end = chunk + 1 < begins.size() ? begins[chunk + 1] : cells.size();
      ranks.clear();
      for (std::size_t i = begins[chunk]; i < end; ++i) {
        if (ranks.empty() || ranks.back() != cells[i].rank) ranks.push_back(cells[i].rank);
      }
      reader.read(ranks);
      std::size_t place = 0;
      for (std::size_t i = begins[chunk]; i < end; ++i) {
        if (ranks[place] != cells[i].rank) ++place;
        reader.add(place, cells[i].iteration, of_chunk[chunk]);
      }
    }
  });
  RankSums all;
  for (const RankSums& sums : of_chunk) {
    for (std::size_t part = 0; part < all.parts_ns.size(); ++part) {
      all.parts_ns[part] += sums.parts_ns[part];
    }
    all.exposed_ns += sums.exposed_ns;
    all.exposed_wait_ns += sums.exposed_wait_ns;
  }
  return all;
}

}  // namespace dlview::ranks
