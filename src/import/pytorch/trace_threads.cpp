#include "import/pytorch/trace_threads.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/stop_point.h"
#include "import/capture/trace_rows.h"

namespace dlview::import::pytorch {
namespace {

std::optional<int64_t> number_of(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (std::to_string(number) != text) return std::nullopt;  // "07" is not 7
  return number;
}

// A number for each text: its own, else one below 0 that no other has.
class Numbers {
 public:
  void add(const std::string& text) {
    if (const std::optional<int64_t> number = number_of(text)) {
      used_.insert(*number);
      numbers_[text] = *number;
    } else {
      others_.push_back(text);
    }
  }
  std::map<std::string, int64_t> finish() && {
    int64_t next = -1;
    for (const std::string& text : others_) {
      if (numbers_.contains(text)) continue;
      while (used_.contains(next)) --next;
      numbers_[text] = next--;
    }
    return std::move(numbers_);
  }

 private:
  std::set<int64_t> used_;
  std::map<std::string, int64_t> numbers_;
  std::vector<std::string> others_;
};

std::string name_or_text(const std::string& name, const std::string& text) {
  return name.empty() && !number_of(text) ? text : name;
}

// "pt_autograd_0" of "thread 542 (pt_autograd_0)".
std::string name_of_thread(const TraceEventThread& thread) {
  const std::string& recorded = thread.thread_name;
  const std::string begin = "thread " + thread.thread + " (";
  const bool has_number = recorded.starts_with(begin) && recorded.ends_with(')');
  return name_or_text(
      has_number ? recorded.substr(begin.size(), recorded.size() - begin.size() - 1) : recorded,
      thread.thread);
}

}  // namespace

std::vector<profile::Thread> thread_numbers(const std::vector<TraceEventThread>& threads) {
  Numbers process_texts, thread_texts;
  for (const TraceEventThread& thread : threads) {
    process_texts.add(thread.process);
    thread_texts.add(thread.thread);
  }
  const std::map<std::string, int64_t> processes = std::move(process_texts).finish();
  const std::map<std::string, int64_t> of_threads = std::move(thread_texts).finish();
  std::vector<profile::Thread> numbers;
  numbers.reserve(threads.size());
  for (const TraceEventThread& thread : threads) {
    if (numbers.size() % capture::kRowsAtOnce == 0) base::stop_point();
    numbers.push_back({processes.at(thread.process), of_threads.at(thread.thread)});
  }
  return numbers;
}

// Fills processes and threads in order of their numbers.
std::vector<profile::ThreadId> number_threads(const std::vector<TraceEventThread>& threads,
                                              profile::Trace& trace) {
  const std::vector<profile::Thread> numbers = thread_numbers(threads);
  std::vector<profile::Row> order(threads.size());
  std::iota(order.begin(), order.end(), profile::Row{0});
  std::erase_if(order, [&threads](profile::Row row) { return !threads[row].is_used; });
  std::ranges::stable_sort(order, {}, [&numbers](profile::Row row) {
    return std::pair(numbers[row].process_id, numbers[row].thread_id);
  });
  base::stop_point();
  std::vector<profile::ThreadId> ids(threads.size());
  std::optional<std::pair<int64_t, int64_t>> last;
  for (const profile::Row row : order) {
    const TraceEventThread& thread = threads[row];
    const auto [process, number] = numbers[row];
    if (!last || last->first != process) {
      trace.processes.push_back(
          {.number = process, .name = name_or_text(thread.process_name, thread.process)});
    }
    const profile::ProcessIndex of_process(static_cast<profile::Row>(trace.processes.size() - 1));
    if (last != std::pair(process, number)) {
      trace.threads.push_back(
          {.process = of_process, .number = number, .name = name_of_thread(thread)});
    }
    last = {process, number};
    ids[row] = profile::make_thread_id(
        of_process, profile::TraceThreadIndex(static_cast<profile::Row>(trace.threads.size() - 1)));
  }
  return ids;
}

}  // namespace dlview::import::pytorch
