#include "import/nsys/nvtx.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace dlview::import::nsys {
namespace {

using profile::GlobalId;
using profile::kNoText;
using profile::kNoValue;
using Integers = std::vector<int64_t>;

constexpr const char* kTable = "NVTX_EVENTS";

// Of ENUM_NSYS_EVENT_TYPE, the same in all versions.
constexpr int16_t kMark = 34, kThreadName = 39, kPushPop = 59, kStartEnd = 60, kDomainCreate = 75;
constexpr int16_t kOfNoUse[] = {33, 76, 97, 98, 99};  // names of categories and CUDA objects

bool is_shown(int16_t type) {
  return type == kMark || type == kPushPop || type == kStartEnd;
}

struct Rows {
  Integers start_ns, end_ns, thread, end_thread, domain, range_id, category, colour, row_id;
  std::vector<int16_t> event_type;
  std::vector<profile::StringId> text, text_id;
};

base::Status read_rows(Context& context, Rows& rows) {
  const ColumnSpec columns[] = {{"eventType", &rows.event_type},
                                {"globalTid", &rows.thread},
                                {"endGlobalTid", &rows.end_thread},
                                {"domainId", &rows.domain},
                                {"text", TextColumn{&rows.text}},
                                {"textId", StringIdsColumn{&rows.text_id}},
                                {"rangeId", &rows.range_id},
                                {"category", &rows.category},
                                {"color", &rows.colour},
                                {kRowId, &rows.row_id}};
  return read_events(context, {kTable, "Reading NVTX ranges", true}, rows.start_ns, rows.end_ns,
                     columns);
}

// One text for each row, from whichever column has it.
std::vector<profile::StringId> merge_texts(Rows& rows) {
  std::vector<profile::StringId> texts = std::move(rows.text);
  texts.resize(rows.start_ns.size(), kNoText);
  for (std::size_t row = 0; row < rows.text_id.size(); ++row) {
    if (texts[row] == kNoText) texts[row] = rows.text_id[row];
  }
  return texts;
}

// A column of the rows that are shown; stays empty where the file has none.
template <typename T>
std::vector<T> shown(const std::vector<T>& values, const std::vector<int16_t>& types) {
  std::vector<T> kept;
  kept.reserve(values.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (is_shown(types[row])) kept.push_back(values[row]);
  }
  return kept;
}

// Gathers the names that rows of other types give.
class Names {
 public:
  Names(Context& context, profile::Trace& trace) : context_(context), trace_(trace) {}

  void use(int16_t type, GlobalId thread, int64_t domain, profile::StringId text, int64_t row) {
    const bool is_of_no_use = std::ranges::find(kOfNoUse, type) != std::end(kOfNoUse);
    if (is_of_no_use || is_shown(type)) return;
    if (type != kThreadName && type != kDomainCreate) {
      context_.quality.add(kTable, "its event type is not known", row,
                           [&] { return fmt::format("eventType is {}", type); });
      return;
    }
    if (thread == kNoValue || text == kNoText) return;
    const std::string name(context_.builder.text(text));
    if (type == kThreadName) {
      if (threads_.insert(thread).second) trace_.threads.push_back({thread, name});
    } else if (domains_.emplace(profile::process_of(thread), domain, text).second) {
      trace_.nvtx_domains.push_back({profile::process_of(thread), domain, name});
    }
  }

 private:
  Context& context_;
  profile::Trace& trace_;
  std::set<GlobalId> threads_;
  std::set<std::tuple<GlobalId, int64_t, profile::StringId>> domains_;
};

}  // namespace

base::Status read_nvtx(Context& context, profile::Trace& trace) {
  Rows rows;
  if (base::Status status = read_rows(context, rows); !status) return status;
  const std::vector<profile::StringId> texts = merge_texts(rows);
  const std::size_t count = rows.start_ns.size();
  rows.event_type.resize(count, kPushPop);

  Names names(context, trace);
  for (std::size_t row = 0; row < count; ++row) {
    names.use(rows.event_type[row], rows.thread.empty() ? kNoValue : rows.thread[row],
              rows.domain.empty() ? 0 : rows.domain[row], texts[row],
              static_cast<int64_t>(row) + 1);
  }
  const std::vector<int16_t>& types = rows.event_type;
  profile::TraceNvtx& nvtx = trace.nvtx;
  nvtx.start_ns = shown(rows.start_ns, types);
  nvtx.end_ns = shown(rows.end_ns, types);
  nvtx.thread = shown(rows.thread, types);
  nvtx.end_thread = shown(rows.end_thread, types);
  nvtx.domain = shown(rows.domain, types);
  nvtx.text = shown(texts, types);
  nvtx.range_id = shown(rows.range_id, types);
  nvtx.category = shown(rows.category, types);
  nvtx.colour = shown(rows.colour, types);
  nvtx.source_row = shown(rows.row_id, types);
  nvtx.event_type = shown(types, types);
  return base::Success{};
}

}  // namespace dlview::import::nsys
