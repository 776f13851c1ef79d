#include "ranks/run_summary.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "ranks/stored_parts.h"

namespace dlview::ranks {
namespace {

std::string file_of(const RankPart& part) {
  return fmt::format("{} (rank {})", part.head.file, part.head.rank);
}

base::Error different_rules(const RunSummary& a, const RunSummary& b, std::string_view what,
                            std::string_view of_a, std::string_view of_b) {
  return {fmt::format("These files have different {}", what),
          fmt::format("{} has \"{}\", {} has \"{}\"", file_of(a.parts.front()), of_a,
                      file_of(b.parts.front()), of_b),
          "Leave out files of other runs, or summarize all ranks with the same options"};
}

base::Status check_rules(const RunSummary& a, const RunSummary& b) {
  const SummaryRules &one = a.rules, &other = b.rules;
  if (one.key_op != other.key_op) {
    return different_rules(a, b, "iteration markers", one.key_op, other.key_op);
  }
  if (one.cut != other.cut) return different_rules(a, b, "splits", one.cut, other.cut);
  if (one.split_by != other.split_by) {
    return different_rules(a, b, "splits", one.split_by, other.split_by);
  }
  if (one.matching != other.matching) {
    return base::Error{
        std::string(kDifferentMatching),
        fmt::format("{} has \"{}\", {} has \"{}\"", file_of(a.parts.front()), to_text(one.matching),
                    file_of(b.parts.front()), to_text(other.matching)),
        "Open the profiles instead of the summaries: dlview then matches all by kernel"};
  }
  const auto sizes = std::pair(a.world_size(), b.world_size());
  if (sizes.first && sizes.second && sizes.first != sizes.second) {
    return base::Error{"These files are of different runs",
                       fmt::format("{} is of {} ranks, {} of {}", file_of(a.parts.front()),
                                   *sizes.first, file_of(b.parts.front()), *sizes.second),
                       "Put the files of each run into a folder of their own"};
  }
  return base::Success{};
}

bool is_before(const RankPart& a, const RankPart& b) {
  return std::tie(a.head.rank, a.first, a.size) < std::tie(b.head.rank, b.first, b.size);
}

// Whether two parts are the same iterations of the same file.
bool is_same(const RankPart& a, const RankPart& b) {
  return a.head.rank == b.head.rank && a.head.checksum == b.head.checksum && a.first == b.first &&
         a.size == b.size;
}

bool overlap(const RankPart& a, const RankPart& b) {
  return a.first < b.first + b.size && b.first < a.first + a.size;
}

// Which parts of `b` are in `a` already. An error if one contradicts a part of `a`.
base::Result<std::size_t> count_shared(const RunSummary& a, const RunSummary& b) {
  std::size_t shared = 0;
  for (const RankPart& part : b.parts) {
    auto place = std::ranges::lower_bound(a.parts, part.head.rank, {},
                                          [](const RankPart& each) { return each.head.rank; });
    for (; place != a.parts.end() && place->head.rank == part.head.rank; ++place) {
      const RankPart& other = *place;
      if (is_same(other, part)) {
        ++shared;
      } else if (other.head.checksum != part.head.checksum) {
        return base::Error{fmt::format("Two files say that they are rank {}", part.head.rank),
                           fmt::format("{} and {}", other.head.file, part.head.file),
                           "Leave one out, or say which rank a file is with --rank"};
      } else if (overlap(other, part)) {
        return base::Error{
            fmt::format("Two summaries of rank {} have the same iterations", part.head.rank),
            fmt::format("iterations {} to {} and {} to {} of {}", other.first,
                        other.first + other.size - 1, part.first, part.first + part.size - 1,
                        part.head.file),
            "Merge parts that do not overlap"};
      }
    }
  }
  return shared;
}

template <typename Map>
void merge_into(Map& all, Map&& more) {
  for (auto& [key, value] : more) {
    const auto [place, is_new] = all.try_emplace(key, value);
    if (!is_new) place->second.merge(value);
  }
}

void merge_groups(std::map<std::string, GroupFacts>& all,
                  const std::map<std::string, GroupFacts>& more) {
  for (const auto& [name, facts] : more) {
    GroupFacts& known = all.try_emplace(name, facts).first->second;
    known.collective = std::max(known.collective, facts.collective);
    known.description = std::max(known.description, facts.description);
    known.size = std::max(known.size, facts.size);
  }
}

}  // namespace

std::string_view to_text(SummaryRules::Matching matching) {
  switch (matching) {
    case SummaryRules::Matching::none:
      return "none";
    case SummaryRules::Matching::sequence:
      return "group and sequence number";
    case SummaryRules::Matching::group_place:
      return "group and place in the iteration";
    case SummaryRules::Matching::kernel_place:
      return "kernel and place in the iteration";
  }
  return "";
}

GroupKind kind_of_group(std::string_view description) {
  struct Word {
    GroupKind kind;
    std::string_view word;
  };
  constexpr std::array<Word, 15> kWords{{{GroupKind::data, "dp"},
                                         {GroupKind::data, "ddp"},
                                         {GroupKind::data, "fsdp"},
                                         {GroupKind::data, "hsdp"},
                                         {GroupKind::data, "data"},
                                         {GroupKind::expert, "ep"},
                                         {GroupKind::expert, "expert"},
                                         {GroupKind::pipeline, "pp"},
                                         {GroupKind::pipeline, "pipeline"},
                                         {GroupKind::tensor, "tp"},
                                         {GroupKind::tensor, "tensor"},
                                         {GroupKind::context, "cp"},
                                         {GroupKind::context, "context"},
                                         {GroupKind::context, "sp"},
                                         {GroupKind::context, "sequence"}}};
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  GroupKind first = GroupKind::unknown;
  for (std::size_t begin = 0; begin < description.size();) {
    std::size_t end = begin;
    std::string word;
    for (; end < description.size() && is_letter(description[end]); ++end) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(description[end])));
    }
    const auto known = std::ranges::find(kWords, word, &Word::word);
    if (known != kWords.end() && (first == GroupKind::unknown || known->kind < first)) {
      first = known->kind;
    }
    begin = end + 1;
  }
  return first;
}

std::string_view to_text(GroupKind kind) {
  switch (kind) {
    case GroupKind::data:
      return "data parallel";
    case GroupKind::expert:
      return "expert parallel";
    case GroupKind::pipeline:
      return "pipeline parallel";
    case GroupKind::tensor:
      return "tensor parallel";
    case GroupKind::context:
      return "context parallel";
    case GroupKind::unknown:
      break;
  }
  return "";
}

std::vector<int64_t> RankPart::column(RowColumn column) const {
  std::vector<int64_t> values;
  if (!ColumnReader().read(*this, column, values)) values.clear();
  return values;
}

void WideStats::merge(const WideStats& other) {
  if (other.count == 0) return;
  min = count == 0 ? other.min : std::min(min, other.min);
  max = count == 0 ? other.max : std::max(max, other.max);
  count += other.count;
  sum += other.sum;
}

void OpSum::merge(const OpSum& other) {
  cpu.merge(other.cpu);
  gpu.merge(other.gpu);
  api.merge(other.api);
  overhead.merge(other.overhead);
  idle.merge(other.idle);
  kernel_gpu.merge(other.kernel_gpu);
  kernel_api.merge(other.kernel_api);
  tensor_core_kernels += other.tensor_core_kernels;
  tensor_core_ns += other.tensor_core_ns;
  gpu_times.merge(other.gpu_times);
}

void KernelSum::merge(const KernelSum& other) {
  gpu.merge(other.gpu);
  api.merge(other.api);
  uses_tensor_cores = uses_tensor_cores || other.uses_tensor_cores;
}

bool are_alike(const ClockSample& a, const ClockSample& b) {
  return a.collective == b.collective &&
         (a.bytes == b.bytes || a.collective == profile::Collective::all_to_all);
}

bool CollectiveSum::is_one() const {
  return agrees && (is_even || collective == profile::Collective::all_to_all);
}

CollectiveSum CollectiveSum::of_call(int64_t rank, int64_t number, profile::Collective collective,
                                     std::optional<int64_t> bytes, int64_t duration_ns,
                                     int64_t exposed_ns) {
  CollectiveSum one;
  one.collective = collective;
  one.bytes = bytes;
  one.number = number;
  one.members = 1;
  one.least_ns = one.greatest_ns = duration_ns;
  one.least_rank = one.greatest_rank = rank;
  one.sum_ns = duration_ns;
  one.exposed_ns = exposed_ns;
  return one;
}

void CollectiveSum::merge(const CollectiveSum& other) {
  agrees = agrees && other.agrees && collective == other.collective;
  is_even = is_even && other.is_even && bytes == other.bytes;
  // What all members agree on, or the same choice from either side.
  collective = std::min(collective, other.collective);
  bytes = std::max(bytes, other.bytes);
  number = !number ? other.number : !other.number ? number : std::min(number, other.number);
  // The two least of both.
  std::vector<int64_t> least{least_ns, other.least_ns};
  for (const int64_t second : {second_ns, other.second_ns}) {
    if (second >= 0) least.push_back(second);
  }
  std::ranges::sort(least);
  second_ns = least[1];
  std::tie(least_ns, least_rank) =
      std::min(std::pair(least_ns, least_rank), std::pair(other.least_ns, other.least_rank));
  const bool is_greater = other.greatest_ns > greatest_ns ||
                          (other.greatest_ns == greatest_ns && other.greatest_rank < greatest_rank);
  if (is_greater) {
    greatest_ns = other.greatest_ns;
    greatest_rank = other.greatest_rank;
  }
  members += other.members;
  sum_ns += other.sum_ns;
  exposed_ns += other.exposed_ns;
}

std::vector<int64_t> RunSummary::ranks() const {
  std::vector<int64_t> ranks;
  for (const RankPart& part : parts) {
    if (ranks.empty() || ranks.back() != part.head.rank) ranks.push_back(part.head.rank);
  }
  return ranks;
}

std::optional<int64_t> RunSummary::world_size() const {
  std::optional<int64_t> size;
  for (const RankPart& part : parts) size = std::max(size, part.head.world_size);
  return size;
}

namespace {

// The parts that both have: none, or all of either.
base::Result<std::size_t> mergeable(const RunSummary& a, const RunSummary& b) {
  DLVIEW_TRY(check_rules(a, b));
  const base::Result<std::size_t> shared = count_shared(a, b);
  if (!shared || *shared == 0 || *shared == b.parts.size() || *shared == a.parts.size()) {
    return shared;
  }
  // What both have is in their sums and cannot be taken out again.
  return base::Error{"These summaries share some ranks, and each has others",
                     fmt::format("{} of them, as {}", *shared, file_of(b.parts.front())),
                     "Merge the summaries of single ranks"};
}

}  // namespace

base::Status can_merge(const RunSummary& a, const RunSummary& b) {
  if (a.parts.empty() || b.parts.empty()) return base::Success{};
  const base::Result<std::size_t> shared = mergeable(a, b);
  if (!shared) return shared.error();
  return base::Success{};
}

base::Result<RunSummary> merge(RunSummary a, RunSummary b) {
  if (a.parts.empty()) return b;
  if (b.parts.empty()) return a;
  const base::Result<std::size_t> shared = mergeable(a, b);
  if (!shared) return shared.error();
  if (*shared == b.parts.size()) return a;
  if (*shared == a.parts.size()) return b;
  const auto middle = static_cast<std::ptrdiff_t>(a.parts.size());
  std::ranges::move(b.parts, std::back_inserter(a.parts));
  std::inplace_merge(a.parts.begin(), a.parts.begin() + middle, a.parts.end(), is_before);
  merge_into(a.ops, std::move(b.ops));
  merge_into(a.kernels, std::move(b.kernels));
  merge_groups(a.groups, b.groups);
  merge_into(a.collectives, std::move(b.collectives));
  return a;
}

}  // namespace dlview::ranks
