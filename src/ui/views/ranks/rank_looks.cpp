#include "ui/views/ranks/rank_looks.h"

#include <string_view>

namespace dlview::ui {
namespace {

ColumnLook rank_column(const char* id, float width, bool shown = true) {
  ColumnLook look;
  look.id = id;
  look.width = width;
  look.shown = shown;
  return look;
}

ColumnLook rank_text(const char* id, float width, float share, bool shown = true) {
  ColumnLook look = rank_column(id, width, shown);
  look.share = share;
  look.cut = CutAt::middle;
  return look;
}

// `key` tells rows apart; `frozen` stays at the left.
TableLook look_of(const char* id, const char* noun, const char* key, const char* frozen,
                  const char* when_none) {
  TableLook look;
  look.id = id;
  look.noun = noun;
  look.key = report::ColumnName(std::string_view(key));
  look.when_none = when_none;
  look.prompt = "Reading ranks…";
  look.frozen = frozen;
  return look;
}

}  // namespace

TableLook ranks_look() {
  TableLook look = look_of("ranks", "ranks", "rank", "rank", "No rank was read.");
  look.columns = {rank_column("rank", 52),
                  rank_text("host", 90, 1),
                  rank_text("gpu", 120, 1),
                  rank_column("device", 62),
                  rank_column("duration", 84),
                  rank_column("own", 84),
                  rank_column("wait", 84),
                  rank_column("exposed_wait", 96),
                  rank_column("blame", 116),
                  rank_column("straggler", 104),
                  rank_text("clock", 150, 1.5f),
                  rank_column("clock_offset", 96, false),
                  rank_column("clock_error", 90, false),
                  rank_text("source", 110, 1, false),
                  rank_text("file", 150, 2)};
  struct Defined {
    std::string_view column;
    aggregate::MetricId metric;
  };
  constexpr Defined kMetrics[] = {{"own", "rank_own_work"},
                                  {"wait", "rank_wait"},
                                  {"exposed_wait", "rank_exposed_wait"},
                                  {"blame", "rank_sole_delay"},
                                  {"straggler", "rank_times_slowest"}};
  for (ColumnLook& column : look.columns) {
    column.stays = column.id == "rank";
    for (const Defined& defined : kMetrics) {
      if (column.id == defined.column) column.metric = defined.metric;
    }
  }
  // The one that others wait for is at the top.
  look.first_query.sort.push_back({"own", report::SortDirection::descending});
  return look;
}

TableLook rank_collectives_look() {
  TableLook look = look_of("rank_collectives", "collectives", "row", "collective",
                           "No synchronizing collective was recorded.");
  look.is_driving = true;  // of its calls
  look.columns = {rank_text("collective", 90, 0),
                  rank_text("group", 96, 1),
                  rank_column("bytes", 72),
                  rank_column("calls", 56),
                  rank_column("skew_median", 90),
                  rank_column("last_rank", 104),
                  rank_column("last_times", 72),
                  rank_column("transfer_median", 104),
                  rank_column("bus_bandwidth", 104),
                  rank_column("members", 56),
                  rank_column("skew_sum", 84),
                  rank_column("transfer_p95", 96),
                  rank_column("skew_p95", 84),
                  rank_column("algorithm_bandwidth", 130, false),
                  rank_column("exposed", 72),
                  rank_column("match_rate", 72),
                  rank_text("group_kind", 104, 0.5f, false)};
  for (ColumnLook& column : look.columns) column.stays = column.id == "last_rank";
  return look;
}

namespace {

void add_times(TableLook& look, const std::string& id, bool shown) {
  look.columns.push_back(rank_column((id + "_sum").c_str(), 104, shown));
  look.columns.push_back(rank_column((id + "_mean").c_str(), 104, shown));
  look.columns.push_back(rank_column((id + "_min").c_str(), 104, false));
  look.columns.push_back(rank_column((id + "_max").c_str(), 104, shown));
}

}  // namespace

TableLook rank_ops_look() {
  TableLook look =
      look_of("rank_ops", "ops of all ranks", "row", "op_name", "No ops were recorded.");
  look.columns = {rank_text("op_name", 200, 4), rank_text("op_type", 100, 1),
                  rank_column("direction", 76), rank_column("calls", 72),
                  rank_column("kernels", 72)};
  look.columns.front().code = true;
  look.columns.front().cut = CutAt::front;
  add_times(look, "kernel_time", true);
  add_times(look, "cpu_time", false);
  look.columns.push_back(rank_column("tensor_core_time", 116));
  look.columns.push_back(rank_column("gpu_time_median", 120));
  look.columns.push_back(rank_column("gpu_time_p99", 120));
  return look;
}

TableLook rank_kernels_look() {
  TableLook look =
      look_of("rank_kernels", "kernels of all ranks", "row", "kernel", "No kernels were recorded.");
  look.columns = {rank_text("kernel", 200, 4), rank_text("op_name", 140, 2),
                  rank_column("calls", 72)};
  look.columns[0].code = look.columns[1].code = true;
  look.columns[1].cut = CutAt::front;
  add_times(look, "gpu_time", true);
  add_times(look, "api_time", false);
  look.columns.push_back(rank_column("uses_tc", 80));
  return look;
}

}  // namespace dlview::ui
