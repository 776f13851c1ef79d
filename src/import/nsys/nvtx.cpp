#include "import/nsys/nvtx.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/blocks.h"
#include "base/parallel.h"
#include "base/untouched_vector.h"
#include "import/capture/trace_rows.h"
#include "profile/column_slots.h"
#include "profile/kinds.h"

namespace dlview::import::nsys {
namespace {

using profile::Column;
using profile::kNoText;
using profile::kNoValue;
using profile::NvtxKind;
using profile::Row;
using profile::StringId;
using profile::TraceNvtx;

// Of ENUM_NSYS_EVENT_TYPE, the same in all versions.
constexpr int16_t kMark = 34, kPushPop = 59, kStartEnd = 60;
constexpr int16_t kThreadName = 39, kDomainCreate = 75;
constexpr int16_t kOfNoUse[] = {33, 76, 97, 98, 99};  // names of categories and CUDA objects

bool is_shown(int16_t type) {
  return type == kMark || type == kPushPop || type == kStartEnd;
}

// Of a type that is shown.
NvtxKind kind_of(int16_t type) {
  return type == kMark      ? NvtxKind::mark
         : type == kPushPop ? NvtxKind::push_pop_range
                            : NvtxKind::start_end_range;
}

base::Status read_rows(Context& context, TraceNvtx& rows, Column<int16_t>& types,
                       Column<StringId>& text_id) {
  const ColumnSpec columns[] = {{"eventType", &types},
                                {"globalTid", &rows.thread},
                                {"endGlobalTid", &rows.end_thread},
                                {"domainId", &rows.domain},
                                {"text", TextColumn{&rows.text}},
                                {"textId", StringIdsColumn{&text_id}},
                                {"rangeId", &rows.range_id},
                                {"category", &rows.category},
                                {"color", &rows.color},
                                {sqlite::kRowId, &rows.source_row}};
  return read_events(context, {kTables.ranges, "Reading NVTX ranges", Times::open_spans},
                     rows.start_ns, rows.end_ns, columns);
}

bool have_text(const Column<StringId>& texts) {
  base::Blocks<uint8_t> blocks(texts.size(), capture::kRowsAtOnce);
  blocks.for_each([&](uint8_t& has_text, std::size_t begin, std::size_t end) {
    const auto of_block = texts.span().subspan(begin, end - begin);
    has_text = std::ranges::any_of(of_block, [](StringId text) { return text != kNoText; });
  });
  return std::ranges::find(blocks.states(), 1) != blocks.states().end();
}

// One text for each row, from whichever column has it.
Column<StringId> merged(const Column<StringId>& texts, const Column<StringId>& text_ids,
                        std::size_t rows) {
  if (!texts.empty() && !have_text(text_ids)) return texts;
  if (!text_ids.empty() && !have_text(texts)) return text_ids;
  profile::ColumnSlots<StringId> merged(rows);
  base::parallel_for(rows, capture::kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const StringId text = capture::value_or(texts, row, kNoText);
      *merged.at(row) = text == kNoText ? capture::value_or(text_ids, row, kNoText) : text;
    }
  });
  return std::move(merged).finish(rows);
}

// Leaves only these rows in a column; one that the file does not have stays empty.
template <typename T>
void keep(Column<T>& values, const base::UntouchedVector<Row>& rows) {
  if (values.empty()) return;
  profile::ColumnSlots<T> kept(rows.size());
  base::parallel_for(rows.size(), capture::kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) *kept.at(i) = values[rows[i]];
  });
  values = std::move(kept).finish(rows.size());
}

base::UntouchedVector<Row> shown_rows(const Column<int16_t>& types) {
  base::Blocks<std::size_t> blocks(types.size(), capture::kRowsAtOnce);
  blocks.for_each([&](std::size_t& count, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) count += is_shown(types[row]) ? 1 : 0;
  });
  base::UntouchedVector<Row> rows(base::sums_before(blocks.states()));
  blocks.for_each([&](std::size_t& next, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      if (is_shown(types[row])) rows[next++] = static_cast<Row>(row);
    }
  });
  return rows;
}

void keep_shown(TraceNvtx& nvtx, Column<int16_t>& types, ConstantColumns& constants) {
  const base::UntouchedVector<Row> rows = shown_rows(types);
  if (rows.size() == nvtx.size()) return;
  for (auto* values : {&nvtx.start_ns, &nvtx.end_ns, &nvtx.thread, &nvtx.end_thread, &nvtx.domain,
                       &nvtx.range_id, &nvtx.category, &nvtx.color, &nvtx.source_row}) {
    if (constants.hold(*values)) {
      *values = constants.of((*values)[0], rows.size());
    } else {
      keep(*values, rows);
    }
  }
  keep(nvtx.text, rows);
  keep(types, rows);
}

// Gathers the names that rows of other types give.
class GivenNames {
 public:
  GivenNames(Context& context, profile::Trace& trace) : context_(context), trace_(trace) {}

  void use(int16_t type, int64_t thread, int64_t domain, StringId text, int64_t row) {
    if (std::ranges::find(kOfNoUse, type) != std::end(kOfNoUse)) return;
    if (type != kThreadName && type != kDomainCreate) {
      context_.quality.add(kTables.ranges, "unknown event type", row,
                           [&] { return fmt::format("eventType is {}", type); });
      return;
    }
    if (thread == kNoValue || text == kNoText) return;
    const std::string name(context_.builder.text(text));
    if (type == kThreadName) {
      std::string& known = context_.known_threads.threads[thread].name;
      if (known.empty()) known = name;
    } else if (domains_.emplace(global_process(thread), domain).second) {
      trace_.nvtx_domains.push_back({global_process(thread), domain, name});
    }
  }

 private:
  Context& context_;
  profile::Trace& trace_;
  std::set<std::pair<int64_t, int64_t>> domains_;  // of which the first name counts
};

}  // namespace

base::Status read_nvtx(Context& context, profile::Trace& trace) {
  TraceNvtx& nvtx = trace.nvtx;
  Column<StringId> text_id;
  Column<int16_t> types;
  DLVIEW_TRY(read_rows(context, nvtx, types, text_id));
  nvtx.text = merged(nvtx.text, text_id, nvtx.size());
  if (types.empty()) types = std::vector<int16_t>(nvtx.size(), kPushPop);

  GivenNames names(context, trace);
  for (std::size_t row = 0; row < nvtx.size(); ++row) {
    if (is_shown(types[row])) continue;
    names.use(types[row], capture::value_or(nvtx.thread, row, kNoValue),
              capture::value_or(nvtx.domain, row, int64_t{0}), nvtx.text[row],
              context.left_out.number_of(kTables.ranges, row));
  }
  keep_shown(nvtx, types, context.constants);
  nvtx.kind = converted<NvtxKind>(types, kind_of);
  return base::Success{};
}

}  // namespace dlview::import::nsys
