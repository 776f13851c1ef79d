#include "report/ranks/rank_tables.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aggregate/aggregation.h"
#include "base/units.h"

namespace dlview::report {
namespace {

using aggregate::Unit;
using ranks::RankMatrix;
using ranks::RunFigures;
using ranks::SharedRunFigures;

Cell or_missing(int64_t value) {
  return value < 0 ? Cell() : Cell(value);
}
template <typename Number>
Cell or_missing(const std::optional<Number>& value) {
  return value ? Cell(*value) : Cell();
}
Cell text_or_missing(const std::string& text) {
  return text.empty() ? Cell() : Cell(text);
}

// Adds columns of a table whose rows are those of a run.
class RunColumns {
 public:
  RunColumns(SharedRunFigures run, Table& table) : run_(std::move(run)), table_(table) {}

  template <typename Value>
  void text(const char* id, const char* title, Value value) {
    table_.columns.push_back(text_column(id, title, cell(value)));
  }
  template <typename Value>
  void word(const char* id, const char* title, Value value) {
    table_.columns.push_back(word_column(id, title, cell(value)));
  }
  template <typename Value>
  void integer(const char* id, const char* title, Unit unit, Value value) {
    table_.columns.push_back(integer_column(id, title, unit, cell(value)));
  }
  template <typename Value>
  void real(const char* id, const char* title, Unit unit, Value value) {
    table_.columns.push_back(real_column(id, title, unit, cell(value)));
  }

 private:
  template <typename Value>
  std::function<Cell(std::size_t)> cell(Value value) const {
    return [run = run_, value](std::size_t row) -> Cell { return value(*run, row); };
  }
  SharedRunFigures run_;
  Table& table_;
};

constexpr std::pair<const char*, const char*> kParts[aggregate::kCategoryCount] = {
    {"tensor_core_kernels", "Tensor Core kernels"},
    {"other_kernels", "Other kernels"},
    {"memory", "Memory"},
    {"data_loader", "Data loader"},
    {"io", "I/O"},
    {"cpu", "CPU"},
    {"other", "Other"}};

std::size_t place_of(const RunFigures& run, std::size_t rank) {
  return static_cast<std::size_t>(&run.part_of(rank) - run.summary.parts.data());
}

int64_t percentile_of(const std::vector<int64_t>& sorted, double fraction) {
  return aggregate::percentile(sorted, fraction);
}

}  // namespace

Table make_ranks(const SharedRunFigures& run) {
  Table table{.name = "ranks", .title = "Ranks", .columns = {}, .row_count = run->rank_count()};
  RunColumns columns(run, table);
  columns.integer("rank", "Rank", Unit::none,
                  [](const RunFigures& of, std::size_t row) { return Cell(of.times.ranks[row]); });
  columns.text("host", "Host", [](const RunFigures& of, std::size_t row) {
    return text_or_missing(of.part_of(row).head.host);
  });
  columns.text("gpu", "GPU", [](const RunFigures& of, std::size_t row) {
    return text_or_missing(of.part_of(row).head.gpu_name);
  });
  columns.integer("device", "GPU no.", Unit::none, [](const RunFigures& of, std::size_t row) {
    return or_missing(of.part_of(row).head.first_device);
  });
  columns.real("duration", "Iteration", Unit::ns, [](const RunFigures& of, std::size_t row) {
    return Cell(of.stragglers.ranks[row].mean_duration_ns);
  });
  columns.real("own", "Own work", Unit::ns, [](const RunFigures& of, std::size_t row) {
    const bool has_own = of.stragglers.has_own(row);
    return has_own ? Cell(of.stragglers.ranks[row].mean_own_ns) : Cell();
  });
  columns.real("wait", "Wait", Unit::ns, [](const RunFigures& of, std::size_t row) {
    const ranks::RankFigures& figures = of.stragglers.ranks[row];
    return figures.known_waits == 0 ? Cell() : Cell(figures.mean_wait_ns);
  });
  columns.real("exposed_wait", "Exposed wait", Unit::ns, [](const RunFigures& of, std::size_t row) {
    const ranks::RankFigures& figures = of.stragglers.ranks[row];
    return figures.known_waits == 0 ? Cell() : Cell(figures.mean_least_exposed_wait_ns);
  });
  columns.real("blame", "Sole delay", Unit::ns, [](const RunFigures& of, std::size_t row) {
    return Cell(static_cast<double>(of.stragglers.ranks[row].blame_ns) /
                static_cast<double>(std::max<std::size_t>(of.times.numbers.size(), 1)));
  });
  columns.integer("straggler", "Times slowest", Unit::count,
                  [](const RunFigures& of, std::size_t row) {
                    return Cell(of.stragglers.ranks[row].times_straggler);
                  });
  columns.text("clock", "Clock", [](const RunFigures& of, std::size_t row) {
    return Cell(ranks::describe(of.clocks[place_of(of, row)]));
  });
  columns.integer("clock_offset", "Clock offset", Unit::ns,
                  [](const RunFigures& of, std::size_t row) {
                    return Cell(of.clocks[place_of(of, row)].offset_ns);
                  });
  columns.integer("clock_error", "Clock error", Unit::ns,
                  [](const RunFigures& of, std::size_t row) {
                    return Cell(of.clocks[place_of(of, row)].error_ns);
                  });
  columns.text("source", "Rank source", [](const RunFigures& of, std::size_t row) {
    return text_or_missing(of.part_of(row).head.source);
  });
  columns.text("file", "File", [](const RunFigures& of, std::size_t row) {
    return Cell(of.part_of(row).head.file);
  });
  return table;
}

Table make_rank_breakdown(const SharedRunFigures& run) {
  Table table{.name = "rank_breakdown",
              .title = "Breakdown",
              .columns = {},
              .row_count = run->rank_count()};
  RunColumns columns(run, table);
  columns.integer("rank", "Rank", Unit::none,
                  [](const RunFigures& of, std::size_t row) { return Cell(of.times.ranks[row]); });
  columns.text("host", "Host", [](const RunFigures& of, std::size_t row) {
    return text_or_missing(of.part_of(row).head.host);
  });
  using ranks::MeanIteration;
  const auto means =
      std::make_shared<const std::vector<MeanIteration>>(ranks::mean_iterations(run->times));
  for (std::size_t part = 0; part < aggregate::kCategoryCount; ++part) {
    const bool is_other_kernels =
        part == static_cast<std::size_t>(aggregate::Category::other_kernels);
    columns.real(
        kParts[part].first,
        is_other_kernels ? "Other kernels, without communication" : kParts[part].second, Unit::ns,
        [=](const RunFigures&, std::size_t row) { return Cell((*means)[row].parts_ns[part]); });
  }
  columns.real("exposed", "Exposed communication", Unit::ns,
               [=](const RunFigures&, std::size_t row) {
                 const auto& parts = (*means)[row].parts_ns;
                 return Cell(parts[MeanIteration::kTransfer] + parts[MeanIteration::kWait]);
               });
  columns.real("exposed_wait", "Exposed wait", Unit::ns,
               [=](const RunFigures& of, std::size_t row) {
                 const auto known = static_cast<std::size_t>(of.stragglers.ranks[row].known_waits);
                 const bool are_known = known == of.times.numbers.size();
                 return are_known ? Cell((*means)[row].parts_ns[MeanIteration::kWait]) : Cell();
               });
  return table;
}

Table make_rank_collectives(const SharedRunFigures& run) {
  Table table{.name = "rank_collectives",
              .title = "Collectives",
              .columns = {},
              .row_count = run->collectives.size()};
  RunColumns columns(run, table);
  const auto row_of = [](const RunFigures& of, std::size_t row) -> const ranks::CollectiveRow& {
    return of.collectives[row];
  };
  columns.word("collective", "Collective", [=](const RunFigures& of, std::size_t row) {
    return Cell(profile::to_text(row_of(of, row).collective));
  });
  columns.text("group", "Group", [=](const RunFigures& of, std::size_t row) {
    return text_or_missing(row_of(of, row).group);
  });
  columns.text("group_kind", "Kind of group", [=](const RunFigures& of, std::size_t row) {
    return text_or_missing(std::string(to_text(row_of(of, row).group_kind)));
  });
  columns.integer("bytes", "Message", Unit::bytes, [=](const RunFigures& of, std::size_t row) {
    return or_missing(row_of(of, row).bytes);
  });
  columns.integer("members", "Ranks", Unit::count, [=](const RunFigures& of, std::size_t row) {
    return Cell(row_of(of, row).members);
  });
  columns.integer("calls", "Calls", Unit::count, [=](const RunFigures& of, std::size_t row) {
    return Cell(row_of(of, row).calls);
  });
  columns.real("match_rate", "Matched", Unit::percent, [=](const RunFigures& of, std::size_t row) {
    return Cell(100 * row_of(of, row).match_rate());
  });
  const auto time = [&](const char* id, const char* title, auto values, double fraction) {
    columns.integer(id, title, Unit::ns, [=](const RunFigures& of, std::size_t row) {
      const std::vector<int64_t>& sorted = row_of(of, row).*values;
      return sorted.empty() ? Cell() : Cell(percentile_of(sorted, fraction));
    });
  };
  time("transfer_median", "Transfer, median", &ranks::CollectiveRow::transfer_ns, 0.5);
  time("transfer_p95", "Transfer, p95", &ranks::CollectiveRow::transfer_ns, 0.95);
  time("skew_median", "Skew, median", &ranks::CollectiveRow::skew_ns, 0.5);
  time("skew_p95", "Skew, p95", &ranks::CollectiveRow::skew_ns, 0.95);
  columns.integer("skew_sum", "Skew, sum", Unit::ns, [=](const RunFigures& of, std::size_t row) {
    return Cell(static_cast<int64_t>(row_of(of, row).skew_sum_ns));
  });
  columns.integer(
      "last_rank", "Last most often", Unit::none,
      [=](const RunFigures& of, std::size_t row) { return or_missing(row_of(of, row).last_rank); });
  columns.integer(
      "last_times", "Times last", Unit::count,
      [=](const RunFigures& of, std::size_t row) { return Cell(row_of(of, row).last_times); });
  columns.real("algorithm_bandwidth", "Algorithm bandwidth", Unit::bytes_per_second,
               [=](const RunFigures& of, std::size_t row) {
                 return or_missing(row_of(of, row).algorithm_bandwidth());
               });
  columns.real("bus_bandwidth", "Bus bandwidth", Unit::bytes_per_second,
               [=](const RunFigures& of, std::size_t row) {
                 return or_missing(row_of(of, row).bus_bandwidth());
               });
  columns.real("exposed", "Exposed", Unit::percent, [=](const RunFigures& of, std::size_t row) {
    const ranks::CollectiveRow& its = row_of(of, row);
    if (its.duration_ns <= 0) return Cell();
    return Cell(100 * static_cast<double>(its.exposed_ns) / static_cast<double>(its.duration_ns));
  });
  return table;
}

Table make_rank_iterations(const SharedRunFigures& run) {
  const std::size_t iterations = run->times.numbers.size();
  Table table{.name = "rank_iterations",
              .title = "Iterations of ranks",
              .columns = {},
              .row_count = run->rank_count() * iterations};
  RunColumns columns(run, table);
  columns.integer("rank", "Rank", Unit::none, [=](const RunFigures& of, std::size_t row) {
    return Cell(of.times.ranks[row / iterations]);
  });
  columns.integer("iteration", "Iteration", Unit::none, [=](const RunFigures& of, std::size_t row) {
    return Cell(of.times.numbers[row % iterations]);
  });
  columns.integer("start", "Start", Unit::ns, [=](const RunFigures& of, std::size_t row) {
    const std::size_t rank = row / iterations;
    return Cell(
        of.clocks[place_of(of, rank)].to_reference(of.times.start_ns.at(rank, row % iterations)));
  });
  const auto matrix = [&](const char* id, const char* title, RankMatrix ranks::RankTimes::*values) {
    columns.integer(id, title, Unit::ns, [=](const RunFigures& of, std::size_t row) {
      return or_missing((of.times.*values).at(row / iterations, row % iterations));
    });
  };
  matrix("duration", "Duration", &ranks::RankTimes::duration_ns);
  columns.integer("own", "Own work", Unit::ns, [=](const RunFigures& of, std::size_t row) {
    const std::size_t rank = row / iterations, i = row % iterations;
    return of.times.wait_ns.at(rank, i) < 0 ? Cell() : Cell(of.times.own_ns(rank, i));
  });
  matrix("wait", "Wait", &ranks::RankTimes::wait_ns);
  matrix("least_exposed_wait", "Exposed wait, at least", &ranks::RankTimes::least_exposed_wait_ns);
  matrix("most_exposed_wait", "Exposed wait, at most", &ranks::RankTimes::most_exposed_wait_ns);
  matrix("communication", "Communication", &ranks::RankTimes::communication_ns);
  matrix("exposed", "Exposed communication", &ranks::RankTimes::exposed_ns);
  for (std::size_t part = 0; part < aggregate::kCategoryCount; ++part) {
    columns.integer(kParts[part].first, kParts[part].second, Unit::ns,
                    [=](const RunFigures& of, std::size_t row) {
                      return Cell(of.times.parts[part].at(row / iterations, row % iterations));
                    });
  }
  return table;
}

namespace {

// The entries of a map of sums, by descending GPU time.
template <typename Key, typename Sum, typename TimeOf>
auto by_time(const std::map<Key, Sum>& sums, TimeOf time_of) {
  auto entries = std::make_shared<std::vector<const std::pair<const Key, Sum>*>>();
  for (const auto& entry : sums) entries->push_back(&entry);
  std::ranges::stable_sort(*entries, std::ranges::greater{},
                           [&](const auto* entry) { return time_of(entry->second); });
  return entries;
}

Cell wide(ranks::Wide value) {
  return Cell(static_cast<int64_t>(value));
}

Cell mean_of(const ranks::WideStats& stats) {
  if (stats.count == 0) return Cell();
  return Cell(static_cast<double>(stats.sum) / static_cast<double>(stats.count));
}

// Count, sum, mean and extremes of some times.
template <typename StatsOf>
void add_times(RunColumns& columns, const std::string& id, const std::string& title,
               StatsOf stats_of) {
  columns.integer((id + "_sum").c_str(), (title + ", sum").c_str(), Unit::ns,
                  [=](const RunFigures&, std::size_t row) { return wide(stats_of(row).sum); });
  columns.real((id + "_mean").c_str(), (title + ", mean").c_str(), Unit::ns,
               [=](const RunFigures&, std::size_t row) { return mean_of(stats_of(row)); });
  columns.integer((id + "_min").c_str(), (title + ", min").c_str(), Unit::ns,
                  [=](const RunFigures&, std::size_t row) {
                    return stats_of(row).count == 0 ? Cell() : Cell(stats_of(row).min);
                  });
  columns.integer((id + "_max").c_str(), (title + ", max").c_str(), Unit::ns,
                  [=](const RunFigures&, std::size_t row) {
                    return stats_of(row).count == 0 ? Cell() : Cell(stats_of(row).max);
                  });
}

}  // namespace

Table make_rank_ops(const SharedRunFigures& run) {
  const auto ops =
      by_time(run->summary.ops, [](const ranks::OpSum& sum) { return sum.kernel_gpu.sum; });
  Table table{
      .name = "rank_ops", .title = "Ops of all ranks", .columns = {}, .row_count = ops->size()};
  RunColumns columns(run, table);
  columns.text("op_name", "Op", [=](const RunFigures&, std::size_t row) {
    return text_or_missing((*ops)[row]->first.name);
  });
  columns.text("op_type", "Type", [=](const RunFigures&, std::size_t row) {
    return text_or_missing((*ops)[row]->first.type);
  });
  columns.word("direction", "Direction", [=](const RunFigures&, std::size_t row) {
    return text_or_missing((*ops)[row]->first.direction);
  });
  columns.integer("calls", "Calls", Unit::count, [=](const RunFigures&, std::size_t row) {
    return Cell((*ops)[row]->second.cpu.count);
  });
  columns.integer("kernels", "Kernels", Unit::count, [=](const RunFigures&, std::size_t row) {
    return Cell((*ops)[row]->second.kernel_gpu.count);
  });
  add_times(columns, "kernel_time", "Kernel time",
            [=](std::size_t row) { return (*ops)[row]->second.kernel_gpu; });
  add_times(columns, "cpu_time", "CPU time",
            [=](std::size_t row) { return (*ops)[row]->second.cpu; });
  columns.integer(
      "tensor_core_time", "Tensor Core time", Unit::ns,
      [=](const RunFigures&, std::size_t row) { return wide((*ops)[row]->second.tensor_core_ns); });
  // Of a histogram, the middle of the bucket.
  const auto quantile = [&](const char* id, const char* title, double fraction) {
    columns.integer(id, title, Unit::ns, [=](const RunFigures&, std::size_t row) {
      const ranks::Histogram& times = (*ops)[row]->second.gpu_times;
      if (times.count() == 0) return Cell();
      const int64_t bucket = times.bucket_at(fraction);
      return Cell((ranks::Histogram::least_of(bucket) + ranks::Histogram::least_of(bucket + 1)) /
                  2);
    });
  };
  quantile("gpu_time_median", "GPU time per call, median", 0.5);
  quantile("gpu_time_p99", "GPU time per call, p99", 0.99);
  return table;
}

Table make_rank_kernels(const SharedRunFigures& run) {
  const auto kernels =
      by_time(run->summary.kernels, [](const ranks::KernelSum& sum) { return sum.gpu.sum; });
  Table table{.name = "rank_kernels",
              .title = "Kernels of all ranks",
              .columns = {},
              .row_count = kernels->size()};
  RunColumns columns(run, table);
  columns.text("kernel", "Kernel", [=](const RunFigures&, std::size_t row) {
    return text_or_missing((*kernels)[row]->first.name);
  });
  columns.text("op_name", "Op", [=](const RunFigures&, std::size_t row) {
    return text_or_missing((*kernels)[row]->first.op.name);
  });
  columns.integer("calls", "Calls", Unit::count, [=](const RunFigures&, std::size_t row) {
    return Cell((*kernels)[row]->second.gpu.count);
  });
  add_times(columns, "gpu_time", "GPU time",
            [=](std::size_t row) { return (*kernels)[row]->second.gpu; });
  add_times(columns, "api_time", "Launch",
            [=](std::size_t row) { return (*kernels)[row]->second.api; });
  table.columns.push_back(flag_column("uses_tc", "Tensor Cores", [run, kernels](std::size_t row) {
    return Cell((*kernels)[row]->second.uses_tensor_cores);
  }));
  return table;
}

}  // namespace dlview::report
