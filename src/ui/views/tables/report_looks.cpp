#include "ui/views/tables/report_looks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "profile/communication.h"
#include "profile/kernel_labels.h"
#include "profile/tensor_core_verdicts.h"

namespace dlview::ui {
namespace {

using aggregate::Filter;
using aggregate::Unit;
using report::ColumnName;
using report::SortDirection;
using report::Table;

constexpr std::string_view kRowKey = "row_key";
constexpr float kBarWidth = 118;
constexpr float kNumberWidth = 58;
constexpr float kWordWidth = 96;
constexpr float kInstantWidth = 100;
constexpr float kReportNameWidth = 190;
constexpr float kTextWidth = 130;  // of texts that are no names
constexpr float kLetterWidth = 7;  // of a title, which has the mark of sorting beside it
constexpr float kSortMark = 10;

using ToneOfRow = Tone (*)(const Table&, std::size_t row);

template <Tone kTone>
Tone always(const Table&, std::size_t) {
  return kTone;
}

std::string text_in(const Table& table, std::size_t row, std::string_view column) {
  const std::size_t at = find_column(table, ColumnName(column));
  return at == kNoColumn ? "" : report::to_text(table.cell(row, at));
}

// Copies and memsets are named "[CUDA ...]".
template <char const* kColumn>
Tone by_name(const Table& table, std::size_t row) {
  return text_in(table, row, kColumn).starts_with("[CUDA ") ? Tone::memory : Tone::other_kernels;
}

struct Details {
  ReportPlace place;
  std::string_view noun;
  std::string_view sorted_by;  // the rows' own order; empty = another one
  std::string_view bar;        // the column that has it
  ToneOfRow tone;
  std::array<std::string_view, 5> key;  // what tells rows apart
};

constexpr char kName[] = "name", kOperation[] = "operation";
constexpr std::string_view kGpu = "GPU activity", kCalls = "CUDA API calls",
                           kRanges = "NVTX ranges";

constexpr std::array kDetails{
    Details{{"cuda_gpu_kern_sum", kGpu, "Kernels"},
            "kernels",
            "total_time",
            "time_share",
            always<Tone::other_kernels>,
            {"name"}},
    Details{{"cuda_gpu_kern_gb_sum", kGpu, "Kernels by grid and block"},
            "rows",
            "total_time",
            "time_share",
            always<Tone::other_kernels>,
            {"name", "grid_xyz", "block_xyz"}},
    Details{{"cuda_gpu_mem_time_sum", kGpu, "Memcpys and memsets by time"},
            "operations",
            "total_time",
            "time_share",
            always<Tone::memory>,
            {"operation"}},
    Details{{"cuda_gpu_mem_size_sum", kGpu, "Memcpys and memsets by size"},
            "operations",
            "total",
            "total",
            always<Tone::memory>,
            {"operation"}},
    Details{{"cuda_gpu_sum", kGpu, "Kernels, memcpys, memsets"},
            "rows",
            "total_time",
            "time_share",
            by_name<kOperation>,
            {"operation"}},
    Details{{"cuda_gpu_trace", kGpu, "GPU trace"},
            "events",
            "start",
            "duration",
            by_name<kName>,
            {"start", "correlation_id", "stream"}},
    Details{{"cuda_api_sum", kCalls, "Calls"},
            "calls",
            "total_time",
            "time_share",
            always<Tone::cpu>,
            {"name"}},
    Details{{"cuda_kern_exec_sum", kCalls, "Launch latency and queue time"},
            "rows",
            "tavg",
            "tavg",
            always<Tone::other_kernels>,
            {"kernel_name", "api_name", "pid", "tid", "dev_id"}},
    Details{{"cuda_api_trace", kCalls, "API trace"},
            "calls",
            "start",
            "duration",
            always<Tone::cpu>,
            {"start", "correlation_id", "tid"}},
    Details{{"nvtx_sum", kRanges, "Ranges"},
            "ranges",
            "total_time",
            "time_share",
            always<Tone::cpu>,
            {"range", "style"}},
    Details{{"nvtx_pushpop_sum", kRanges, "Push/pop ranges"},
            "ranges",
            "total_time",
            "time_share",
            always<Tone::cpu>,
            {"range"}},
    Details{{"nvtx_startend_sum", kRanges, "Start/end ranges"},
            "ranges",
            "total_time",
            "time_share",
            always<Tone::cpu>,
            {"range"}},
    Details{{"nvtx_kern_sum", kRanges, "Kernels in ranges"},
            "rows",
            "",
            "total_time",
            always<Tone::other_kernels>,
            {"kernel_name", "nvtx_range", "style", "pid", "tid"}},
    Details{{"nvtx_gpu_proj_sum", kRanges, "Ranges on the GPU"},
            "ranges",
            "total_proj_time",
            "total_proj_time",
            always<Tone::other_kernels>,
            {"range", "style"}},
    Details{{"nvtx_pushpop_trace", kRanges, "NVTX trace"},
            "ranges",
            "start",
            "duration",
            always<Tone::cpu>,
            {"range_id"}},
};

constexpr auto kPlaces = [] {
  std::array<ReportPlace, kDetails.size()> places;
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = kDetails[i].place;
  return places;
}();

const Details& details_of(std::string_view report) {
  return *std::ranges::find_if(
      kDetails, [report](const Details& details) { return details.place.report == report; });
}

std::size_t key_size(const Details& details) {
  return static_cast<std::size_t>(
      std::ranges::count_if(details.key, [](std::string_view column) { return !column.empty(); }));
}

// Not what would crowd out the rest.
bool is_shown_at_first(std::string_view report, std::string_view column) {
  const auto is_one_of = [](std::string_view text, std::initializer_list<std::string_view> list) {
    return std::ranges::find(list, text) != list.end();
  };
  if (report == "cuda_kern_exec_sum") {
    return !is_one_of(column.substr(1), {"med", "min", "max", "stddev"});
  }
  if (report == "cuda_gpu_trace") {
    return !column.starts_with("grid_") && !column.starts_with("block_") &&
           !is_one_of(column, {"registers_per_thread", "static_shared_memory",
                               "dynamic_shared_memory", "green_context"});
  }
  return !is_one_of(column, {"category", "range_stack", "name_tree"});
}

std::optional<Filter> kernel_filter(const ReportNames& kernels, std::string_view demangled) {
  const std::optional<std::string_view> name = kernels.name(demangled);
  if (!name) return std::nullopt;
  const auto filter = aggregate::parse_filter(aggregate::to_text(aggregate::FilterKind::kernel),
                                              std::string(*name));
  return filter ? std::optional(*filter) : std::nullopt;
}

bool is_name(const ColumnLook& look) {
  return look.code;
}

// Before the names: where the event stands in time.
bool is_time(const ColumnLook& look) {
  return look.instant || look.id == "duration";
}

float width_of(const report::Column& column) {
  switch (column.kind) {
    case report::CellKind::text:
      return kTextWidth;
    case report::CellKind::word:
      return kWordWidth;
    default:
      break;
  }
  return std::max(kNumberWidth, kLetterWidth * static_cast<float>(column.title.size()) + kSortMark);
}

// The column that names kernels; empty = none does.
std::string_view kernel_column(const Details& details, const Table& table) {
  for (const std::string_view id : {"operation", "kernel_name"}) {
    if (find_column(table, ColumnName(id)) != kNoColumn) return id;
  }
  const bool has_kernels = details.place.group == kGpu &&
                           find_column(table, ColumnName(std::string_view(kName))) != kNoColumn;
  return has_kernels ? std::string_view(kName) : std::string_view();
}

ColumnLook column_look(const Details& details, const report::Column& column,
                       std::string_view names_kernels,
                       const std::shared_ptr<const ReportNames>& kernels) {
  ColumnLook look;
  look.id = column.id;
  look.width = width_of(column);
  look.shown = is_shown_at_first(details.place.report, column.id);
  look.cut = CutAt::middle;
  if (column.id == "start" || column.id == "end") {
    look.instant = true;
    look.width = kInstantWidth;
  }
  constexpr std::string_view kNames[] = {kName,         kOperation, "range",
                                         "kernel_name", "api_name", "nvtx_range"};
  if (std::ranges::find(kNames, column.id) != std::end(kNames)) {
    look.width = kReportNameWidth;
    look.code = true;
    look.share = 1;
  }
  if (column.id == details.bar) {
    look.bar = [tone = details.tone, kernels, names_kernels](const Table& table, std::size_t row) {
      const Tone usual = tone(table, row);
      if (names_kernels.empty()) return usual;
      return kernels->tone(text_in(table, row, names_kernels), usual);
    };
    look.width = kBarWidth;
  }
  if (column.id == names_kernels) {
    look.shown_in = ViewId::ops;
    look.filter = [kernels, names_kernels](const Table& table, std::size_t row) {
      return kernel_filter(*kernels, text_in(table, row, names_kernels));
    };
    look.screen_text = [kernels, names_kernels](const Table& table, std::size_t row) {
      return kernels->label(text_in(table, row, names_kernels));
    };
  }
  return look;
}

}  // namespace

ReportNames::ReportNames(const profile::Profile& profile) : profile_(profile) {
  const profile::Kernels& kernels = profile.kernels;
  std::vector<bool> is_seen(profile.strings.size());
  std::vector<profile::KernelTexts> texts;
  std::vector<profile::KernelIndex> rows;
  for (profile::KernelIndex row{0}; row < kernels.size(); ++row) {
    const profile::StringId id = kernels.long_name[row];
    if (is_seen[id]) continue;
    is_seen[id] = true;
    rows.push_back(row);
    texts.push_back({profile.text(kernels.name[row]), profile.text(id)});
  }
  std::vector<std::string> labels = profile::kernel_labels(texts);
  profile::TensorCoreVerdicts verdicts(profile);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_communication =
        profile::communication_of(profile.text(kernels.name[rows[i]])).has_value();
    const bool is_unknown = verdicts.of(rows[i]).use == profile::TensorCoreUse::unknown;
    const Tone tone = kernels.uses_tensor_cores[rows[i]] != 0 ? Tone::tensor_core_kernels
                      : is_communication                      ? Tone::communication
                      : is_unknown                            ? Tone::unknown
                                                              : Tone::other_kernels;
    kernels_.emplace(texts[i].demangled, Kernel{rows[i], std::move(labels[i]), tone});
  }
}

const ReportNames::Kernel* ReportNames::find(std::string_view demangled) const {
  const auto found = kernels_.find(demangled);
  return found == kernels_.end() ? nullptr : &found->second;
}

std::optional<std::string_view> ReportNames::name(std::string_view demangled) const {
  const Kernel* kernel = find(demangled);
  if (kernel == nullptr) return std::nullopt;
  return profile_.text(profile_.kernels.name[kernel->first]);
}

std::string ReportNames::label(std::string_view demangled) const {
  const Kernel* kernel = find(demangled);
  return kernel == nullptr ? std::string(demangled) : kernel->label;
}

Tone ReportNames::tone(std::string_view demangled, Tone otherwise) const {
  const Kernel* kernel = find(demangled);
  return kernel == nullptr || kernel->tone == Tone::other_kernels ? otherwise : kernel->tone;
}

std::shared_ptr<const ReportNames> SharedReportNames::get(const profile::Profile& profile) {
  const std::lock_guard lock(mutex_);
  if (!names_) names_ = std::make_shared<const ReportNames>(profile);
  return names_;
}

std::span<const ReportPlace> report_places() {
  return kPlaces;
}

TableLook report_look(const report::nsys::ReportInfo& report, const Table& table,
                      const std::shared_ptr<const ReportNames>& names) {
  const Details& details = details_of(report.name);
  TableLook look{.id = std::string(report.name),
                 .title = std::string(report.title),
                 .noun = std::string(details.noun),
                 .key = ColumnName(key_size(details) == 1 ? details.key[0] : kRowKey),
                 .when_none = ""};
  const std::string_view names_kernels = kernel_column(details, table);
  for (const report::Column& column : table.columns) {
    if (column.id == kRowKey) continue;
    look.columns.push_back(column_look(details, column, names_kernels, names));
  }
  // nsys has the names at the end, where a narrow window does not show them.
  const auto rest = std::stable_partition(look.columns.begin(), look.columns.end(), is_time);
  std::stable_partition(rest, look.columns.end(), is_name);
  if (!details.sorted_by.empty()) {
    const bool is_instant = details.sorted_by == "start";
    look.first_query.sort.push_back(
        {std::string(details.sorted_by),
         is_instant ? SortDirection::ascending : SortDirection::descending});
  }
  return look;
}

void add_row_key(Table& table) {
  const Details& details = details_of(table.name);
  if (key_size(details) == 1) return;
  std::vector<std::function<report::Cell(std::size_t)>> parts;
  for (const std::string_view id : details.key) {
    const std::size_t column = find_column(table, ColumnName(id));
    if (column != kNoColumn) parts.push_back(table.columns[column].cell);
  }
  table.columns.push_back(report::text_column(std::string(kRowKey), "", [parts](std::size_t row) {
    std::string key;
    for (const auto& part : parts) {
      if (!key.empty()) key += '|';
      report::append_text(key, part(row));
    }
    return key;
  }));
}

}  // namespace dlview::ui
