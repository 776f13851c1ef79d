// The data of the view of limits for a range: rows, what is known of their time, and the table of
// them. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/limits/limits.h"
#include "report/limits/roofline.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

// Where the numbers of kernel time come from, in the order of the chips.
enum class LimitEvidence : uint8_t { counters, samples, estimates, unknown };
inline constexpr int kLimitEvidences = 4;
std::string_view to_text(LimitEvidence evidence);  // "counted", "sampled", "estimated", "unknown"
std::string_view id_of(LimitEvidence evidence);    // in states: "counters"

// The choices of the user.
struct LimitChoice {
  aggregate::LimitsBy by = aggregate::LimitsBy::op;
  std::optional<aggregate::MathType> type;  // of the rows; nullopt = all
  report::LimitRule rule = report::LimitRule::best;
  std::array<bool, kLimitEvidences> hides{};  // rows of this evidence
  bool shows_all_roofs = false;               // also of number formats that no row has
  bool operator==(const LimitChoice&) const = default;
};
// "by=kernel type=fp32 rule=ub hide=unknown all_roofs": the choices that are not the default, for a
// state string.
std::string to_text(const LimitChoice& choice);
// Unknown words are ignored.
LimitChoice parse_limit_choice(std::string_view text);
// "FP16 Tensor" as in a state string: "fp16_tensor".
std::string id_of(aggregate::MathType type);

// Most of the row's time.
LimitEvidence evidence_of(const aggregate::LimitRow& row);

// Parts of the kernel time of rows, none of which contains another.
struct EvidenceShares {
  std::array<int64_t, kLimitEvidences> ns{};
  int64_t total_ns() const;
  double percent(LimitEvidence evidence) const;  // 0 without time
};
EvidenceShares evidence_shares(std::span<const aggregate::LimitRow> rows);

// What selects the row: id of its op (and its shapes), name of its kernels or its group. Unique
// among the rows of one kind but for launches without a profile, which get a number.
std::vector<std::string> keys_of(const profile::Profile& profile,
                                 std::span<const aggregate::LimitRow> rows);

// Keeps what it refers to.
struct LimitData {
  std::shared_ptr<const profile::Profile> profile;
  std::shared_ptr<const aggregate::Aggregation> aggregation;
  std::shared_ptr<const aggregate::LimitIndex> index;  // null for rows made by hand
  // That the choice shows, and their keys; never null.
  std::shared_ptr<const std::vector<aggregate::LimitRow>> shown_rows;
  std::shared_ptr<const std::vector<std::string>> keys;
  EvidenceShares evidence;                     // whatever the choice hides
  aggregate::FlopUtilization utilization;      // of the range, the same
  std::vector<aggregate::MathType> types;      // of the rows, in order
  std::size_t hidden = 0;                      // rows
  std::shared_ptr<const TableData> table;      // of rows
  const aggregate::GpuPeaks* peaks = nullptr;  // of most GPU time; null = unknown
  std::string gpu_name;                        // as recorded; may be empty
  bool has_other_gpus = false;                 // with other peaks

  const std::vector<aggregate::LimitRow>& rows() const { return *shown_rows; }
  std::optional<uint32_t> row_of(std::string_view key) const;
};

std::shared_ptr<const LimitData> make_limit_data(
    std::shared_ptr<const profile::Profile> profile,
    std::shared_ptr<const aggregate::Aggregation> aggregation,
    std::shared_ptr<const aggregate::LimitIndex> index, const LimitChoice& choice);
// The same of rows at hand; `base` without doubles of time, for the shares of evidence.
std::shared_ptr<const LimitData> make_limit_data(
    std::shared_ptr<const profile::Profile> profile,
    std::shared_ptr<const aggregate::Aggregation> aggregation,
    std::shared_ptr<const aggregate::LimitIndex> index, const LimitChoice& choice,
    std::vector<aggregate::LimitRow> rows, std::span<const aggregate::LimitRow> base);

// The table of a LimitData: "roofline".
TableLook limits_look();

// "GPU NVIDIA H100 · peaks: data sheet · by op · ...": over an exported plot or table.
std::string limits_head_line(const LimitData& data, const LimitChoice& choice);

}  // namespace dlview::ui
