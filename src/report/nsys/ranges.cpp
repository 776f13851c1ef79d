#include "report/nsys/ranges.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "profile/nvtx_domain_names.h"
#include "report/nsys/cells.h"
#include "report/nsys/declarations.h"
#include "report/nsys/gpu_events.h"
#include "report/nsys/groups.h"

namespace dlview::report::nsys {
namespace {

bool is_range(const profile::TraceNvtx& nvtx, std::size_t row) {
  return nvtx.kind[row] == profile::NvtxKind::push_pop_range ||
         nvtx.kind[row] == profile::NvtxKind::start_end_range;
}

// Rows in order of thread and start; of ranges that start together the longer one first.
std::vector<std::size_t> by_thread_and_start(const profile::TraceNvtx& nvtx,
                                             const std::vector<int64_t>& ends) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < nvtx.size(); ++row) {
    if (is_range(nvtx, row)) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    if (nvtx.thread[a] != nvtx.thread[b]) return nvtx.thread[a] < nvtx.thread[b];
    if (nvtx.start_ns[a] != nvtx.start_ns[b]) return nvtx.start_ns[a] < nvtx.start_ns[b];
    return ends[a] > ends[b];
  });
  return rows;
}

// The ranges of a thread that are open, as nodes of EnclosingRanges.
class OpenRanges {
 public:
  OpenRanges(std::vector<EnclosingRanges::Node>& nodes, const std::vector<int64_t>& ends)
      : nodes_(nodes), ends_(ends) {}

  void clear() { top_ = kNone; }
  void push(std::size_t range) { top_ = add(range, top_); }
  // Drops those that end before this time.
  void close_before(int64_t time_ns) { top_ = those_until(time_ns); }
  // The innermost node of those that do not.
  std::size_t those_until(int64_t time_ns) {
    std::size_t node = top_;
    kept_.clear();
    for (; node != kNone && nodes_[node].first_end_ns < time_ns; node = nodes_[node].around) {
      const std::size_t range = nodes_[node].range;
      if (ends_[range] >= time_ns) kept_.push_back(range);
    }
    for (auto range = kept_.rbegin(); range != kept_.rend(); ++range) node = add(*range, node);
    return node;
  }

 private:
  static constexpr std::size_t kNone = EnclosingRanges::kNone;

  std::size_t add(std::size_t range, std::size_t around) {
    const int64_t first_end_ns =
        around == kNone ? ends_[range] : std::min(ends_[range], nodes_[around].first_end_ns);
    nodes_.push_back({range, around, first_end_ns});
    return nodes_.size() - 1;
  }

  std::vector<EnclosingRanges::Node>& nodes_;
  const std::vector<int64_t>& ends_;
  std::size_t top_ = kNone;
  std::vector<std::size_t> kept_;
};

}  // namespace

std::string_view style_name(int64_t kind) {
  return kind == static_cast<int64_t>(profile::NvtxKind::start_end_range) ? "StartEnd" : "PushPop";
}

RangeNames::RangeNames(const profile::Profile& profile) {
  const profile::TraceNvtx& nvtx = profile.trace->nvtx;
  std::vector<std::size_t> rows(nvtx.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const Groups<3> groups = group_by<3>(rows, [&nvtx](std::size_t row) {
    return Key<3>{profile::process_of(nvtx.thread[row]), nvtx.domain.empty() ? 0 : nvtx.domain[row],
                  nvtx.text[row]};
  });
  const profile::NvtxDomainNames domains(profile.trace->nvtx_domains);
  std::vector<std::string> names;
  for (const auto& [process, domain, text] : groups.keys) {
    const std::string_view prefix = domains.find(process, domain);
    names.push_back(prefix.empty() ? std::string(text_of(profile, text))
                                   : fmt::format("{}:{}", prefix, text_of(profile, text)));
  }
  names_ = names;
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
  ids_.resize(nvtx.size());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const auto name = std::lower_bound(names_.begin(), names_.end(), names[group]);
    for (const std::size_t row : groups.rows(group)) ids_[row] = name - names_.begin();
  }
}

std::vector<int64_t> range_ends(const profile::TraceNvtx& nvtx) {
  std::vector<int64_t> ends(nvtx.end_ns.begin(), nvtx.end_ns.end());
  int64_t last = profile::kNoValue;
  for (std::size_t row = 0; row < nvtx.size(); ++row) {
    last = std::max({last, nvtx.start_ns[row], ends[row]});
  }
  std::replace(ends.begin(), ends.end(), profile::kNoValue, last);
  return ends;
}

int64_t range_id(const profile::TraceNvtx& nvtx, std::size_t range) {
  return nvtx.source_row.empty() ? static_cast<int64_t>(range) + 1 : nvtx.source_row[range];
}

Cell parent_range_id(const profile::TraceNvtx& nvtx, const RangeTree& tree, std::size_t range) {
  const std::size_t parent = tree.parent[range];
  return parent == RangeTree::kNoParent ? Cell{} : Cell{range_id(nvtx, parent)};
}

std::string range_stack(const profile::TraceNvtx& nvtx, const RangeTree& tree, std::size_t range) {
  std::vector<int64_t> ids;
  for (; range != RangeTree::kNoParent; range = tree.parent[range]) {
    ids.push_back(range_id(nvtx, range));
  }
  std::string text;
  for (auto of = ids.rbegin(); of != ids.rend(); ++of) {
    fmt::format_to(std::back_inserter(text), ":{}", *of);
  }
  return text;
}

RangeTree nest_ranges(const profile::TraceNvtx& nvtx, const std::vector<int64_t>& ends) {
  RangeTree tree{std::vector(nvtx.size(), RangeTree::kNoParent),
                 std::vector<int64_t>(nvtx.size(), 0)};
  std::vector<std::size_t> open;
  for (const std::size_t row : by_thread_and_start(nvtx, ends)) {
    if (nvtx.kind[row] != profile::NvtxKind::push_pop_range) continue;
    while (!open.empty() &&
           (nvtx.thread[open.back()] != nvtx.thread[row] || ends[open.back()] < ends[row])) {
      open.pop_back();
    }
    if (!open.empty()) tree.parent[row] = open.back();
    tree.level[row] = static_cast<int64_t>(open.size());
    open.push_back(row);
  }
  return tree;
}

EnclosingRanges enclose_calls(const profile::TraceNvtx& nvtx, const std::vector<int64_t>& ends,
                              const profile::TraceApiCalls& calls) {
  const std::vector<std::size_t> ranges = by_thread_and_start(nvtx, ends);
  std::vector<std::size_t> order(calls.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&calls](std::size_t a, std::size_t b) {
    if (calls.thread[a] != calls.thread[b]) return calls.thread[a] < calls.thread[b];
    return calls.start_ns[a] < calls.start_ns[b];
  });

  EnclosingRanges enclosing;
  enclosing.innermost.resize(calls.size());
  OpenRanges open(enclosing.nodes, ends);
  std::size_t next = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t call = order[i];
    const profile::ThreadId thread = calls.thread[call];
    if (i > 0 && calls.thread[order[i - 1]] != thread) open.clear();
    while (next < ranges.size() && nvtx.thread[ranges[next]] < thread) ++next;
    while (next < ranges.size() && nvtx.thread[ranges[next]] == thread &&
           nvtx.start_ns[ranges[next]] <= calls.start_ns[call]) {
      open.close_before(nvtx.start_ns[ranges[next]]);
      open.push(ranges[next++]);
    }
    open.close_before(calls.start_ns[call]);
    enclosing.innermost[call] = open.those_until(calls.end_ns[call]);
  }
  return enclosing;
}

std::vector<std::size_t> range_rows(const Input& input) {
  const profile::TraceNvtx& nvtx = input.trace().nvtx;
  if (!is_recorded(nvtx.text, nvtx.size()) || !is_recorded(nvtx.thread, nvtx.size())) return {};
  std::vector<std::size_t> rows = input.rows(nvtx.start_ns);
  std::erase_if(rows, [&nvtx](std::size_t row) { return !is_range(nvtx, row); });
  return rows;
}

bool has_ranges_and_launches(const profile::Trace& trace) {
  return is_recorded(trace.nvtx.text, trace.nvtx.size()) &&
         is_recorded(trace.nvtx.thread, trace.nvtx.size()) &&
         (are_tied(trace.kernels, trace.api_calls) || are_tied(trace.memcpys, trace.api_calls) ||
          are_tied(trace.memsets, trace.api_calls));
}

}  // namespace dlview::report::nsys
