#include "report/dlprof/columns.h"

#include <string>

#include <fmt/format.h>

namespace dlview::report::dlprof {

using aggregate::Stats;
using aggregate::TimeStats;
using aggregate::Unit;
using profile::OpIndex;
using profile::Profile;

void append_stats_columns(std::vector<Column>& columns, std::string_view id, std::string_view title,
                          std::string_view average_prefix,
                          const std::function<const Stats&(std::size_t row)>& stats) {
  const std::string base_id(id), base_title(title);
  columns.push_back(integer_column(base_id + "_sum", "Total " + base_title, Unit::ns,
                                   [stats](std::size_t row) { return stats(row).sum; }));
  columns.push_back(real_column(base_id + "_avg", fmt::format("{} {}", average_prefix, title),
                                Unit::ns,
                                [stats](std::size_t row) { return stats(row).average(); }));
  columns.push_back(integer_column(base_id + "_min", "Min " + base_title, Unit::ns,
                                   [stats](std::size_t row) { return stats(row).min; }));
  columns.push_back(integer_column(base_id + "_max", "Max " + base_title, Unit::ns,
                                   [stats](std::size_t row) { return stats(row).max; }));
}

void append_time_columns(std::vector<Column>& columns,
                         const std::function<const TimeStats&(std::size_t row)>& times) {
  const auto append = [&](std::string_view id, std::string_view title, Stats TimeStats::*member) {
    append_stats_columns(
        columns, id, title, "Avg.",
        [times, member](std::size_t row) -> const Stats& { return times(row).*member; });
  };
  append("cpu_time", "CPU Time", &TimeStats::cpu);
  append("gpu_time", "GPU Time", &TimeStats::gpu);
  append("cpu_overhead", "CPU Overhead", &TimeStats::overhead);
  append("gpu_idle", "GPU Idle", &TimeStats::idle);
}

void append_op_columns(std::vector<Column>& columns, const Profile& profile,
                       const std::function<OpIndex(std::size_t row)>& op) {
  columns.push_back(text_column("op_id", "Op ID", [&profile, op](std::size_t row) {
    return profile.text(profile.ops.id[op(row)]);
  }));
  columns.push_back(text_column("op_name", "Op Name", [&profile, op](std::size_t row) {
    return profile.text(profile.ops.name[op(row)]);
  }));
  columns.push_back(word_column("direction", "Direction", [&profile, op](std::size_t row) {
    return profile.text(profile.ops.direction[op(row)]);
  }));
}

void append_op_type_column(std::vector<Column>& columns, const Profile& profile,
                           const std::function<OpIndex(std::size_t row)>& op) {
  columns.push_back(text_column("op_type", "Op Type", [&profile, op](std::size_t row) {
    return profile.text(profile.ops.type[op(row)]);
  }));
}

}  // namespace dlview::report::dlprof
