#include "report/nsys/ranges.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "report/nsys/groups.h"
#include "report/nsys/labels.h"

namespace dlview::report::nsys {
namespace {

bool is_range(const profile::TraceNvtx& nvtx, std::size_t row) {
  return nvtx.event_type[row] == kPushPopRange || nvtx.event_type[row] == kStartEndRange;
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

}  // namespace

std::string_view style_name(int64_t event_type) {
  return event_type == kStartEndRange ? "StartEnd" : "PushPop";
}

RangeNames::RangeNames(const profile::Profile& profile) {
  const profile::Trace& trace = *profile.trace;
  std::unordered_map<Key<2>, std::string_view, KeyHash<2>> domains;  // by process and id
  for (const profile::NvtxDomain& domain : trace.nvtx_domains) {
    domains.try_emplace({domain.process, domain.id}, domain.name);
  }
  const profile::TraceNvtx& nvtx = trace.nvtx;
  std::unordered_map<Key<3>, int64_t, KeyHash<3>> known;  // by process, domain and text
  ids_.reserve(nvtx.size());
  for (std::size_t row = 0; row < nvtx.size(); ++row) {
    const int64_t process = profile::process_of(nvtx.thread[row]);
    const int64_t domain = nvtx.domain.empty() ? 0 : nvtx.domain[row];
    const auto [at, is_new] = known.try_emplace({process, domain, nvtx.text[row]}, 0);
    if (is_new) {
      const auto found = domains.find({process, domain});
      std::string name(text_of(profile, nvtx.text[row]));
      if (found != domains.end() && !found->second.empty()) {
        name.insert(0, ":").insert(0, found->second);
      }
      const auto [named, is_new_name] =
          id_of_name_.try_emplace(std::move(name), static_cast<int64_t>(names_.size()));
      if (is_new_name) names_.push_back(&named->first);
      at->second = named->second;
    }
    ids_.push_back(at->second);
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

RangeTree nest_ranges(const profile::TraceNvtx& nvtx, const std::vector<int64_t>& ends) {
  RangeTree tree{std::vector(nvtx.size(), RangeTree::kNoParent),
                 std::vector<int64_t>(nvtx.size(), 0)};
  std::vector<std::size_t> open;
  for (const std::size_t row : by_thread_and_start(nvtx, ends)) {
    if (nvtx.event_type[row] != kPushPopRange) continue;
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
  enclosing.runs.resize(calls.size());
  std::vector<std::size_t> open;
  std::size_t next = 0;
  for (const std::size_t call : order) {
    const auto has_begun = [&](std::size_t range) {
      return nvtx.thread[range] < calls.thread[call] ||
             (nvtx.thread[range] == calls.thread[call] &&
              nvtx.start_ns[range] <= calls.start_ns[call]);
    };
    while (next < ranges.size() && has_begun(ranges[next])) open.push_back(ranges[next++]);
    std::erase_if(open, [&](std::size_t range) {
      return nvtx.thread[range] != calls.thread[call] || ends[range] < calls.start_ns[call];
    });
    EnclosingRanges::Run& run = enclosing.runs[call];
    run.first = enclosing.ranges.size();
    std::copy_if(open.begin(), open.end(), std::back_inserter(enclosing.ranges),
                 [&](std::size_t range) { return ends[range] >= calls.end_ns[call]; });
    run.count = enclosing.ranges.size() - run.first;
  }
  return enclosing;
}

std::vector<std::size_t> range_rows(const Input& input) {
  const profile::TraceNvtx& nvtx = input.trace().nvtx;
  std::vector<std::size_t> rows = input.rows(nvtx.start_ns);
  std::erase_if(rows, [&nvtx](std::size_t row) { return !is_range(nvtx, row); });
  return rows;
}

}  // namespace dlview::report::nsys
