#include "aggregate/limits/open_ranges.h"

#include <tuple>

#include <fmt/format.h>

#include "base/parallel_algorithms.h"
#include "base/stop_point.h"

namespace dlview::aggregate {

using profile::KernelIndex;
using profile::Row;

namespace {

constexpr std::size_t kKernelsPerStopPoint = 4096;

}  // namespace

void OpenRanges::find(std::vector<KernelIndex> kernels) {
  make_forest();
  number_threads();
  path_of_kernel_.assign(profile_.kernels.size(), kNoRanges);
  const auto& start_ns = profile_.kernels.api_start_ns;
  base::parallel_sort(kernels.begin(), kernels.end(), [&](KernelIndex a, KernelIndex b) {
    return std::tuple(launching(a), start_ns[a], a) < std::tuple(launching(b), start_ns[b], b);
  });
  std::optional<profile::OpenEvents> open;
  std::vector<uint32_t> path_of_range(rows_.size(), kNone);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (i % kKernelsPerStopPoint == 0) base::stop_point();
    const KernelIndex kernel = kernels[i];
    if (i == 0 || launching(kernels[i - 1]) != launching(kernel)) {
      open.emplace(*forest_, thread_of_launching_[launching(kernel)]);
    }
    path_of_kernel_[kernel] = path_at(open->at(start_ns[kernel]), path_of_range);
  }
}

uint32_t OpenRanges::path_number(std::string_view path) const {
  uint32_t number = kNoRanges;
  for (bool is_last = path.empty(); !is_last;) {
    const std::size_t end = path.find('\n');
    is_last = end == std::string_view::npos;
    const auto line = lines_.find(std::string(path.substr(0, end)));
    if (line == lines_.end()) return kNone;
    const auto found = path_numbers_.find({number, line->second});
    if (found == path_numbers_.end()) return kNone;
    number = found->second;
    if (!is_last) path.remove_prefix(end + 1);
  }
  return number;
}

uint32_t OpenRanges::innermost_number(std::string_view name) const {
  const auto found = innermost_.find(std::string(name));
  return found == innermost_.end() ? kNone : found->second;
}

void OpenRanges::make_forest() {
  const profile::TraceNvtx& nvtx = profile_.trace->nvtx;
  for (std::size_t row = 0; row < nvtx.size(); ++row) {
    if (nvtx.end_ns[row] != profile::kNoValue && nvtx.end_ns[row] >= nvtx.start_ns[row]) {
      rows_.push_back(static_cast<Row>(row));
    }
  }
  forest_.emplace(
      rows_.size(), [&](std::size_t i) { return nvtx.thread[rows_[i]]; },
      [&](std::size_t i) {
        const Row row = rows_[i];
        return profile::EventForest::Event{nvtx.start_ns[row], nvtx.end_ns[row],
                                           static_cast<Row>(i)};
      });
  for (const auto& domain : profile_.trace->nvtx_domains) {
    domains_.try_emplace({domain.process, domain.id}, domain.name);
  }
}

void OpenRanges::number_threads() {
  const profile::Trace& trace = *profile_.trace;
  std::map<std::pair<int64_t, int64_t>, profile::ThreadId> threads;
  for (Row row = 0; row < trace.threads.size(); ++row) {
    const profile::TraceThread& thread = trace.threads[row];
    threads.try_emplace({trace.processes[thread.process].number, thread.number},
                        profile::make_thread_id(thread.process, profile::TraceThreadIndex(row)));
  }
  for (const profile::Thread& thread : profile_.threads) {
    const auto found = threads.find({thread.process_id, thread.thread_id});
    thread_of_launching_.push_back(found == threads.end() ? profile::kNoValue : found->second);
  }
}

uint32_t OpenRanges::path_at(Row place, std::vector<uint32_t>& path_of_range) {
  std::vector<Row> inner;
  for (; place != profile::kNoRow && path_of_range[place] == kNone;
       place = forest_->parent(place)) {
    inner.push_back(place);
  }
  uint32_t path = place == profile::kNoRow ? kNoRanges : path_of_range[place];
  for (; !inner.empty(); inner.pop_back()) {
    path = path_of_range[inner.back()] = within(path, text_of(rows_[(*forest_)[inner.back()].row]));
  }
  return path;
}

std::string OpenRanges::text_of(Row row) const {
  const profile::TraceNvtx& nvtx = profile_.trace->nvtx;
  return fmt::format("{}/{}", domain_of(nvtx.thread[row], nvtx.domain[row]),
                     nvtx.text[row] == profile::kNoText ? "" : profile_.text(nvtx.text[row]));
}

uint32_t OpenRanges::within(uint32_t path, std::string_view text) {
  for (bool is_last = false; !is_last;) {
    const std::size_t end = text.find('\n');
    is_last = end == std::string_view::npos;
    const std::string line(text.substr(0, end));
    if (!is_last) text.remove_prefix(end + 1);
    const uint32_t number =
        lines_.try_emplace(line, static_cast<uint32_t>(lines_.size())).first->second;
    const auto [found, is_new] =
        path_numbers_.try_emplace({path, number}, static_cast<uint32_t>(innermost_of_path_.size()));
    if (is_new) innermost_of_path_.push_back(innermost_of_line(line));
    path = found->second;
  }
  return path;
}

uint32_t OpenRanges::innermost_of_line(const std::string& line) {
  const std::size_t slash = line.find('/');
  if (slash == std::string::npos) return kNone;
  return innermost_.try_emplace(line.substr(slash + 1), static_cast<uint32_t>(innermost_.size()))
      .first->second;
}

std::string_view OpenRanges::domain_of(profile::ThreadId thread, int64_t domain) const {
  if (domain == 0) return "<default domain>";
  const auto found = domains_.find({profile::process_of(thread), domain});
  return found == domains_.end() ? std::string_view() : found->second;
}

profile::ThreadIndex OpenRanges::launching(KernelIndex kernel) const {
  return profile_.launches.thread[profile_.kernels.launch[kernel]];
}

}  // namespace dlview::aggregate
