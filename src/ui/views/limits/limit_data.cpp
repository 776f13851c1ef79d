#include "ui/views/limits/limit_data.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "aggregate/group_tree.h"
#include "aggregate/range_sums.h"
#include "base/units.h"
#include "report/columns.h"
#include "report/views/views.h"
#include "ui/views/tables/look_parts.h"
#include "ui/views/tables/row_places.h"

namespace dlview::ui {
namespace {

using aggregate::Limit;
using aggregate::LimitRow;
using aggregate::LimitsBy;
using aggregate::MathType;
using aggregate::Origin;
using report::Cell;
using report::ColumnId;

std::size_t index_of(LimitEvidence evidence) {
  return static_cast<std::size_t>(evidence);
}

std::optional<LimitsBy> parse_by(std::string_view text) {
  for (const LimitsBy by : {LimitsBy::op, LimitsBy::kernel, LimitsBy::shape, LimitsBy::group}) {
    if (aggregate::to_text(by) == text) return by;
  }
  return std::nullopt;
}

std::optional<MathType> parse_type(std::string_view text) {
  for (int i = 0; i < aggregate::kMathTypes; ++i) {
    if (id_of(static_cast<MathType>(i)) == text) return static_cast<MathType>(i);
  }
  return std::nullopt;
}

// The part of the row's time of each evidence.
EvidenceShares shares_of_row(const LimitRow& row) {
  EvidenceShares shares;
  const Origin work = report::evidence_of(row);
  const int64_t measured = std::clamp<int64_t>(row.measured_ns, 0, row.time_ns);
  const int64_t known =
      work == Origin::none ? measured : std::clamp<int64_t>(row.known_ns, measured, row.time_ns);
  const int64_t sampled = std::clamp<int64_t>(row.sampled_ns, 0, row.time_ns - measured);
  const int64_t estimated = std::max<int64_t>(0, known - measured - sampled);
  shares.ns[index_of(LimitEvidence::counters)] = measured;
  shares.ns[index_of(LimitEvidence::samples)] = sampled;
  shares.ns[index_of(LimitEvidence::estimates)] = estimated;
  shares.ns[index_of(LimitEvidence::unknown)] = row.time_ns - measured - sampled - estimated;
  return shares;
}

// Adds what filters and the Timeline look for. Rows of all kinds have the same columns, so that the
// table on screen keeps its own: cells that do not apply are empty.
void add_places(report::Table& table, const LimitData& data) {
  const auto insert = [&](ColumnId id, ColumnId before, const auto& value) {
    if (find_column(table, id) != kNoColumn) return;
    const auto at = static_cast<std::ptrdiff_t>(find_column(table, before));
    table.columns.insert(
        table.columns.begin() + at,
        report::column(id, [rows = data.shown_rows, value](std::size_t row) -> Cell {
          return value((*rows)[row]);
        }));
  };
  const auto none = [](const LimitRow&) { return Cell(); };
  insert("input_shapes", "math_type", none);
  insert("op_node_id", "limit_key", none);
  insert("kernel_name", "limit_key", [profile = data.profile](const LimitRow& row) {
    return row.kernel == profile::kNoText ? Cell() : Cell(profile->text(row.kernel));
  });
  insert("row_type", "limit_key", [](const LimitRow& row) {
    return row.group == profile::kNoRow ? Cell() : Cell(report::kGroupRow);
  });
  insert("row_full_id", "limit_key", [](const LimitRow& row) {
    return row.group == profile::kNoRow ? Cell() : Cell(row.name);
  });
}

std::shared_ptr<const TableData> table_of(const LimitData& data, const LimitChoice& choice) {
  const report::LimitRule rule = choice.rule;
  auto made = std::make_shared<TableData>(TableData{
      data.profile, data.aggregation,
      report::make_limits(*data.profile, choice.by, data.shown_rows, data.evidence.total_ns())});
  report::Table& table = made->table;
  table.name = "roofline";
  table.title = "Limits";
  add_places(table, data);
  const auto replace = [&](ColumnId id, const auto& value) {
    table.columns[find_column(table, id)].cell =
        [rows = data.shown_rows, value](std::size_t row) -> Cell { return value((*rows)[row]); };
  };
  replace("limit", [rule](const LimitRow& row) {
    return aggregate::to_text(report::verdict_of(row, rule).limit);
  });
  replace("limit_origin", [rule](const LimitRow& row) {
    return aggregate::to_text(report::verdict_of(row, rule).origin);
  });
  table.columns[find_column(table, "limit_key")].cell =
      [keys = data.keys](std::size_t row) -> Cell { return std::string_view((*keys)[row]); };
  auto badges = std::make_shared<std::vector<LimitBadge>>();
  for (const LimitRow& row : data.rows()) {
    const report::LimitVerdict verdict = report::verdict_of(row, rule);
    LimitBadge& badge = badges->emplace_back();
    badge.ns[static_cast<std::size_t>(verdict.limit)] = std::max<int64_t>(1, row.time_ns);
    badge.origin = verdict.origin;
  }
  made->badges = std::move(badges);
  made->title = limits_head_line(data, choice);
  return made;
}

void choose_peaks(LimitData& data) {
  if (data.profile->devices.empty()) return;
  std::map<profile::Row, int64_t> ns_of_device;
  for (const LimitRow& row : data.rows()) {
    if (row.device) ns_of_device[*row.device] += row.time_ns;
  }
  profile::DeviceIndex device{0};
  int64_t most_ns = -1;
  for (const auto& [row, ns] : ns_of_device) {
    if (ns <= most_ns) continue;
    device = profile::DeviceIndex(row);
    most_ns = ns;
  }
  // Without its own words in "GPU of compute capability 9.0".
  constexpr std::string_view kGpu = "GPU ";
  std::string_view name = data.profile->devices[device].name;
  if (name.starts_with(kGpu)) name.remove_prefix(kGpu.size());
  data.gpu_name = name;
  if (!data.index) return;
  const aggregate::GpuPeaks& peaks = data.index->peaks(device);
  if (!peaks.empty()) data.peaks = &peaks;
  for (profile::DeviceIndex other{0}; other < data.profile->devices.size(); ++other) {
    data.has_other_gpus |= !(data.index->peaks(other) == peaks);
  }
}

std::string_view choice_text(LimitsBy by) {
  switch (by) {
    case LimitsBy::kernel:
      return "by kernel";
    case LimitsBy::shape:
      return "by op and shape";
    case LimitsBy::group:
      return "by group";
    case LimitsBy::op:
      break;
  }
  return "by op";
}

std::optional<timeline::Request> place_of_limit_row(const TableData& data, std::size_t row) {
  if (!text_of_cell(data.table, row, "op_node_id").empty()) return place_of_op(data, row);
  if (text_of_cell(data.table, row, "kernel_name").empty()) return place_of_group_or_op(data, row);
  TableData of_all_ops = data;  // not the kernels of one
  std::erase_if(of_all_ops.table.columns,
                [](const report::Column& column) { return column.id == "op_node_id"; });
  return place_of_kernels(of_all_ops, row);
}

std::optional<aggregate::Filter> filter_of_limit_row(const report::Table& table, std::size_t row) {
  struct Source {
    ColumnId column;
    aggregate::FilterKind kind;
  };
  using enum aggregate::FilterKind;
  constexpr Source kSources[] = {
      {"op_node_id", op}, {"kernel_name", kernel}, {"row_full_id", group}};
  for (const auto& [column, kind] : kSources) {
    if (text_of_cell(table, row, column).empty()) continue;
    return looks::filter_to(kind, cell_in(table, row, column));
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_text(LimitEvidence evidence) {
  constexpr std::array<std::string_view, kLimitEvidences> kTexts{"counted", "sampled", "estimated",
                                                                 "unknown"};
  return kTexts[index_of(evidence)];
}

std::string_view id_of(LimitEvidence evidence) {
  constexpr std::array<std::string_view, kLimitEvidences> kIds{"counters", "samples", "estimates",
                                                               "unknown"};
  return kIds[index_of(evidence)];
}

std::string id_of(MathType type) {
  std::string id(aggregate::to_text(type));
  for (char& letter : id) {
    letter =
        letter == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return id;
}

std::string to_text(const LimitChoice& choice) {
  const LimitChoice usual;
  std::string text;
  const auto add = [&text](bool differs, const std::string& word) {
    if (!differs) return;
    if (!text.empty()) text += ' ';
    text += word;
  };
  add(choice.by != usual.by, fmt::format("by={}", aggregate::to_text(choice.by)));
  if (choice.type) add(true, "type=" + id_of(*choice.type));
  add(choice.rule != usual.rule, fmt::format("rule={}", report::to_text(choice.rule)));
  for (int i = 0; i < kLimitEvidences; ++i) {
    const auto evidence = static_cast<LimitEvidence>(i);
    add(choice.hides[index_of(evidence)], fmt::format("hide={}", id_of(evidence)));
  }
  add(choice.shows_all_roofs, "all_roofs");
  return text;
}

LimitChoice parse_limit_choice(std::string_view text) {
  LimitChoice choice;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::string_view value = word.substr(std::min(word.size(), word.find('=') + 1));
    if (word.starts_with("by=")) choice.by = parse_by(value).value_or(choice.by);
    if (word.starts_with("type=")) choice.type = parse_type(value);
    if (word.starts_with("rule=")) {
      choice.rule = report::parse_limit_rule(value).value_or(choice.rule);
    }
    if (word.starts_with("hide=")) {
      for (int i = 0; i < kLimitEvidences; ++i) {
        const auto evidence = static_cast<LimitEvidence>(i);
        if (id_of(evidence) == value) choice.hides[index_of(evidence)] = true;
      }
    }
    if (word == "all_roofs") choice.shows_all_roofs = true;
  }
  return choice;
}

LimitEvidence evidence_of(const LimitRow& row) {
  const EvidenceShares shares = shares_of_row(row);
  return static_cast<LimitEvidence>(std::ranges::max_element(shares.ns) - shares.ns.begin());
}

int64_t EvidenceShares::total_ns() const {
  int64_t total = 0;
  for (const int64_t part : ns) total += part;
  return total;
}

double EvidenceShares::percent(LimitEvidence evidence) const {
  const int64_t total = total_ns();
  return total == 0
             ? 0
             : 100 * static_cast<double>(ns[index_of(evidence)]) / static_cast<double>(total);
}

EvidenceShares evidence_shares(std::span<const LimitRow> rows) {
  EvidenceShares sum;
  for (const LimitRow& row : rows) {
    const EvidenceShares shares = shares_of_row(row);
    for (std::size_t i = 0; i < sum.ns.size(); ++i) sum.ns[i] += shares.ns[i];
  }
  return sum;
}

std::vector<std::string> keys_of(const profile::Profile& profile, std::span<const LimitRow> rows) {
  std::vector<std::string> keys;
  std::unordered_map<std::string, int> counts;
  for (const LimitRow& row : rows) {
    std::string key(row.name);
    if (row.op != profile::kNoRow) {
      key = profile.text(profile.ops.id[row.op]);
      if (row.shapes != 0) {
        key += ' ';
        key += aggregate::shapes_text(profile, row.shapes);
      }
    }
    const int count = ++counts[key];
    keys.push_back(count == 1 ? std::move(key) : fmt::format("{} #{}", key, count));
  }
  return keys;
}

std::optional<uint32_t> LimitData::row_of(std::string_view key) const {
  const auto found = std::ranges::find(*keys, key);
  if (key.empty() || found == keys->end()) return std::nullopt;
  return static_cast<uint32_t>(found - keys->begin());
}

std::shared_ptr<const LimitData> make_limit_data(
    std::shared_ptr<const profile::Profile> profile,
    std::shared_ptr<const aggregate::Aggregation> aggregation,
    std::shared_ptr<const aggregate::LimitIndex> index, const LimitChoice& choice) {
  std::vector<LimitRow> rows = index->rows(*aggregation, choice.by);
  const bool are_ops = choice.by == LimitsBy::op || choice.by == LimitsBy::shape;
  const std::vector<LimitRow> ops = are_ops ? rows : index->rows(*aggregation, LimitsBy::op);
  const aggregate::FlopUtilization utilization =
      aggregate::flop_utilization(*profile, *aggregation, ops);
  // A group contains others: the shares are those of the ops.
  const std::vector<LimitRow> base = choice.by == LimitsBy::group ? ops : rows;
  auto data = std::make_shared<LimitData>(*make_limit_data(
      std::move(profile), std::move(aggregation), std::move(index), choice, std::move(rows), base));
  data->utilization = utilization;
  return data;
}

std::shared_ptr<const LimitData> make_limit_data(
    std::shared_ptr<const profile::Profile> profile,
    std::shared_ptr<const aggregate::Aggregation> aggregation,
    std::shared_ptr<const aggregate::LimitIndex> index, const LimitChoice& choice,
    std::vector<LimitRow> rows, std::span<const LimitRow> base) {
  auto data = std::make_shared<LimitData>();
  data->profile = std::move(profile);
  data->aggregation = std::move(aggregation);
  data->index = std::move(index);
  data->evidence = evidence_shares(base);
  std::array<bool, aggregate::kMathTypes> has_type{};
  for (const LimitRow& row : rows) {
    if (row.type) has_type[static_cast<std::size_t>(*row.type)] = true;
  }
  for (std::size_t i = 0; i < has_type.size(); ++i) {
    if (has_type[i]) data->types.push_back(static_cast<MathType>(i));
  }
  data->hidden = std::erase_if(rows, [&](const LimitRow& row) {
    return choice.hides[index_of(evidence_of(row))] || (choice.type && row.type != choice.type);
  });
  data->keys = std::make_shared<const std::vector<std::string>>(keys_of(*data->profile, rows));
  // Rows refer to the index.
  struct Owner {
    std::shared_ptr<const aggregate::LimitIndex> index;
    std::vector<LimitRow> rows;
  };
  const auto owner = std::make_shared<const Owner>(Owner{data->index, std::move(rows)});
  data->shown_rows = {owner, &owner->rows};
  choose_peaks(*data);
  data->table = table_of(*data, choice);
  return data;
}

TableLook limits_look() {
  using namespace looks;
  TableLook look{.id = "roofline",
                 .title = "Limits",
                 .noun = "rows",
                 .key = "limit_key",
                 .op = "op_node_id",
                 .when_none = "No kernels ran in this range.",
                 .when_filtered = "No kernels match the filters. Clear filters.",
                 .first_query = sorted_by("save_at_most", report::SortDirection::descending),
                 .prompt = "Comparing ops with the peaks of the GPU…",
                 .place = place_of_limit_row};
  ColumnLook name_column = name("limit_name", CutAt::middle);
  name_column.filter = filter_of_limit_row;
  name_column.stays = true;
  ColumnLook shapes = name("input_shapes", CutAt::middle);
  shapes.filter = {};
  ColumnLook limit = sized(word("limit"), 78);
  limit.badge = ColumnLook::Badge::word;
  limit.stays = true;
  look.columns = {std::move(name_column),
                  std::move(shapes),
                  std::move(limit),
                  number("save_at_most"),
                  number("limit_time"),
                  number("limit_share"),
                  number("pct_roof"),
                  number("pct_math"),
                  number("pct_memory"),
                  number("intensity"),
                  number("tflops"),
                  number("gbps"),
                  word("math_type"),
                  number("num_calls"),
                  number("flops"),
                  hidden(word("flops_origin")),
                  number("limit_bytes"),
                  hidden(word("bytes_origin")),
                  hidden(number("peak_tflops")),
                  hidden(number("peak_gbps")),
                  number("roof_time"),
                  word("limit_origin"),
                  word("class_uf"),
                  word("class_ub"),
                  word("class_i"),
                  word("class_s"),
                  word("memory_level"),
                  number("known_share"),
                  number("measured_share"),
                  hidden(name("formula", CutAt::middle)),
                  hidden(sized(word("limit_note"), 120, 0.4f)),
                  hidden(name("limit_key", CutAt::middle))};
  return look;
}

std::string limits_head_line(const LimitData& data, const LimitChoice& choice) {
  std::string text = fmt::format("Limits {}", choice_text(choice.by));
  if (!data.gpu_name.empty()) text += " · GPU " + data.gpu_name;
  if (data.peaks == nullptr) {
    text += " · peaks unknown";
  } else if (data.peaks->bandwidth) {
    text += " · peaks: " + data.peaks->bandwidth->source;
  }
  for (int i = 0; i < kLimitEvidences; ++i) {
    const auto evidence = static_cast<LimitEvidence>(i);
    text += fmt::format(" · {} {}{}", to_text(evidence),
                        base::format_percent(data.evidence.percent(evidence)),
                        choice.hides[index_of(evidence)] ? " (hidden)" : "");
  }
  return text + " of kernel time";
}

}  // namespace dlview::ui
