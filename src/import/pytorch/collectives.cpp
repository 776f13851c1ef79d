#include "import/pytorch/collectives.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "base/stop_point.h"
#include "import/capture/trace_rows.h"
#include "profile/event_forest.h"

namespace dlview::import::pytorch {
namespace {

using profile::EventForest;
using profile::kNoRow;
using profile::OpenEvents;
using profile::Row;
using profile::ThreadId;

// The first type of `["float",""]`.
std::string_view first_type(std::string_view types) {
  const std::size_t begin = types.find('"');
  if (begin == std::string_view::npos) return {};
  const std::size_t end = types.find('"', begin + 1);
  return end == std::string_view::npos ? std::string_view()
                                       : types.substr(begin + 1, end - begin - 1);
}

class CollectiveFinder {
 public:
  CollectiveFinder(const TraceEvents& events, std::span<const ThreadId> threads,
                   profile::ProfileBuilder& builder)
      : events_(events), threads_(threads), builder_(builder), forest_(host_forest()) {}

  FoundCollectives find(std::span<const Row> calls_by_start);

 private:
  EventForest host_forest() const;
  bool is_record(const CollectiveEvent& collective) const {
    return builder_.text(events_.host[collective.host_event].name) == kRecordedCollective;
  }
  void find_places();
  void add_facts(Row inside, CollectiveEvent& collective);

  const TraceEvents& events_;
  const std::span<const ThreadId> threads_;
  profile::ProfileBuilder& builder_;
  const EventForest forest_;
  std::vector<Row> collective_of_host_;  // by host event: index of TraceEvents::collectives
  std::vector<Row> collective_at_;       // by place: the row of what it is or lies in
  FoundCollectives found_;
};

EventForest CollectiveFinder::host_forest() const {
  base::UntouchedVector<Row> rows;
  rows.reserve(events_.host.size());
  for (std::size_t i = 0; i < events_.host.size(); ++i) {
    const HostEvent& event = events_.host[i];
    if (event.kind == HostEvent::Kind::other || event.stop_ns < event.start_ns) continue;
    rows.push_back(static_cast<Row>(i));
  }
  return EventForest(
      rows.size(), [&](std::size_t i) { return threads_[events_.host[rows[i]].thread]; },
      [&](std::size_t i) -> EventForest::Event {
        const HostEvent& event = events_.host[rows[i]];
        return {event.start_ns, event.stop_ns, rows[i]};
      });
}

// Parents come before what lies in them.
void CollectiveFinder::find_places() {
  std::vector<Row>& of_host = collective_of_host_;
  of_host.assign(events_.host.size(), kNoRow);
  for (std::size_t i = 0; i < events_.collectives.size(); ++i) {
    const uint32_t host = events_.collectives[i].host_event;
    if (host != CollectiveEvent::kNoEvent) of_host[host] = static_cast<Row>(i);
  }
  std::vector<Row> inside(events_.collectives.size(), kNoRow);  // the first event in it
  std::vector<uint8_t> counts(events_.collectives.size());
  collective_at_.assign(forest_.size(), kNoRow);
  for (std::size_t place = 0; place < forest_.size(); ++place) {
    if (place % capture::kRowsAtOnce == 0) base::stop_point();
    const Row own = of_host[forest_[place].row], parent = forest_.parent(place);
    const Row around = parent == kNoRow ? kNoRow : collective_at_[parent];
    if (parent != kNoRow) {
      const Row of_parent = of_host[forest_[parent].row];
      if (of_parent != kNoRow && inside[of_parent] == kNoRow) {
        inside[of_parent] = forest_[place].row;
      }
    }
    const bool is_own = own != kNoRow && (around == kNoRow || is_record(events_.collectives[own]));
    collective_at_[place] = is_own ? own : around;
    if (is_own) counts[own] = 1;
  }
  std::vector<Row> row_of(events_.collectives.size(), kNoRow);
  for (std::size_t i = 0; i < events_.collectives.size(); ++i) {
    if (counts[i] == 0) continue;
    row_of[i] = static_cast<Row>(found_.rows.size());
    found_.rows.push_back(events_.collectives[i]);
    add_facts(inside[i], found_.rows.back());
  }
  for (Row& at : collective_at_) at = at == kNoRow ? kNoRow : row_of[at];
}

// An annotation is named by itself; a record without arguments by what lies in it, whose inputs are
// the tensors.
void CollectiveFinder::add_facts(Row inside, CollectiveEvent& collective) {
  Row named = collective.host_event;
  if (is_record(collective)) {
    if (collective.name != 0 || inside == kNoRow) return;
    named = inside;
  }
  const HostEvent& event = events_.host[named];
  collective.name = event.name;
  const bool has_tensors = collective_of_host_[named] != kNoRow;
  if (!has_tensors || event.inputs == HostEvent::kNoInputs) return;
  const OpInputs& inputs = events_.op_inputs[event.inputs];
  if (collective.in_elements == kNoValue) {
    collective.in_elements = element_count(builder_.text(inputs.dims));
  }
  if (collective.data_type == 0) {
    const std::string type(first_type(builder_.text(inputs.types)));
    if (!type.empty()) collective.data_type = builder_.intern(type);
  }
}

FoundCollectives CollectiveFinder::find(std::span<const Row> calls_by_start) {
  find_places();
  found_.of_call.resize(events_.calls.size());
  std::ranges::fill(found_.of_call, kNoRow);
  std::map<ThreadId, OpenEvents> open;
  std::size_t calls = 0;
  for (const Row call : calls_by_start) {
    if (calls++ % capture::kRowsAtOnce == 0) base::stop_point();
    const CallEvent& event = events_.calls[call];
    const ThreadId thread = threads_[event.thread];
    OpenEvents& of_thread = open.try_emplace(thread, forest_, thread).first->second;
    const Row place = of_thread.at(event.start_ns);
    if (place != kNoRow) found_.of_call[call] = collective_at_[place];
  }
  return std::move(found_);
}

}  // namespace

int64_t element_count(std::string_view dims) {
  int64_t sum = 0, product = 1;
  bool has_numbers = false, has_tensor = false;
  for (std::size_t i = 0; i < dims.size();) {
    const char letter = dims[i];
    if (std::isdigit(static_cast<unsigned char>(letter)) != 0) {
      int64_t number = 0;
      const auto [end, error] = std::from_chars(dims.data() + i, dims.data() + dims.size(), number);
      if (error != std::errc{} || __builtin_mul_overflow(product, number, &product)) {
        return kNoValue;
      }
      has_numbers = true;
      i = static_cast<std::size_t>(end - dims.data());
      continue;
    }
    if (letter == '-') return kNoValue;
    if (letter == '[' || letter == ']') {
      if (has_numbers && __builtin_add_overflow(sum, product, &sum)) return kNoValue;
      has_tensor = has_tensor || has_numbers;
      has_numbers = false;
      product = 1;
    }
    ++i;
  }
  return has_tensor ? sum : kNoValue;
}

FoundCollectives find_collectives(const TraceEvents& events, std::span<const ThreadId> threads,
                                  std::span<const Row> calls_by_start,
                                  profile::ProfileBuilder& builder) {
  if (events.collectives.empty()) return {};
  return CollectiveFinder(events, threads, builder).find(calls_by_start);
}

void complete_from_kernel(CollectiveEvent& event, const CollectiveEvent& kernel) {
  for (const auto number : {&CollectiveEvent::in_elements, &CollectiveEvent::out_elements,
                            &CollectiveEvent::group_size}) {
    if (event.*number == kNoValue) event.*number = kernel.*number;
  }
  for (const auto text :
       {&CollectiveEvent::name, &CollectiveEvent::data_type, &CollectiveEvent::group_name,
        &CollectiveEvent::group_description, &CollectiveEvent::group_ranks}) {
    if (event.*text == 0) event.*text = kernel.*text;
  }
}

}  // namespace dlview::import::pytorch
