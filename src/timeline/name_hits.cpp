#include "timeline/name_hits.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/parallel.h"

namespace dlview::timeline {
namespace {

constexpr std::size_t kMemoryOpKeys = 512;

char small_letter(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// One more than the largest name_key() of a kind.
std::size_t key_count(const Events& events, EventKind kind) {
  switch (kind) {
    case EventKind::memory_op:
      return kMemoryOpKeys;
    case EventKind::op:
      return events.profile().ops.size();
    case EventKind::group:
      return events.group_tree().groups.size();
    case EventKind::running:
      return 1;
    case EventKind::frame:
      return events.frames() == nullptr ? 0 : events.frames()->frames().names.size();
    case EventKind::kernel:
    case EventKind::launch:
    case EventKind::memory_call:
    case EventKind::sync:
    case EventKind::api_call:
    case EventKind::user_range:
    case EventKind::nvtx:
    case EventKind::os_call:
    case EventKind::gpu_sync:
    case EventKind::overhead:
      break;
  }
  return events.profile().strings.size();
}

constexpr std::size_t kWordsAtOnce = 1024;

using Counts = std::array<int64_t, kEventClassCount>;

void add(Counts& counts, const Counts& more) {
  for (std::size_t i = 0; i < kEventClassCount; ++i) counts[i] += more[i];
}

bool is_above(const Place& line, const Place& other) {
  return std::tie(line.group, line.lane, line.line) < std::tie(other.group, other.lane, other.line);
}

// How many places of a line come before an event.
std::size_t places_before(const Lanes& lanes, const Place& event, const Place& line) {
  if (&line_at(lanes, line) == &line_at(lanes, event)) return event.at;
  const int64_t start_ns = lanes.events.start_ns(event_at(lanes, event));
  return line_at(lanes, line).first_from(start_ns + (is_above(line, event) ? 1 : 0), lanes.events);
}

}  // namespace

void PlaceSet::finish() {
  before_.resize(words_.size());
  count_ = 0;
  for (std::size_t word = 0; word < words_.size(); ++word) {
    before_[word] = static_cast<uint32_t>(count_);
    count_ += static_cast<std::size_t>(std::popcount(words_[word]));
  }
}

std::size_t PlaceSet::count_before(std::size_t behind) const {
  const std::size_t word = behind / kWord;
  if (word >= words_.size()) return count_;
  const uint64_t below = (uint64_t{1} << behind % kWord) - 1;
  return before_[word] + static_cast<std::size_t>(std::popcount(words_[word] & below));
}

std::size_t PlaceSet::nth(std::size_t number) const {
  // The last word before which there are fewer.
  const auto behind = std::ranges::lower_bound(before_, number) - before_.begin();
  const auto word = static_cast<std::size_t>(behind) - 1;
  uint64_t bits = words_[word];
  for (std::size_t more = number - before_[word]; more > 1; --more) bits &= bits - 1;
  return word * kWord + static_cast<std::size_t>(std::countr_zero(bits));
}

std::size_t PlaceSet::first_from(std::size_t from) const {
  const std::size_t before = count_before(from);
  return before == count_ ? size_ : nth(before + 1);
}

std::size_t PlaceSet::last_before(std::size_t behind) const {
  const std::size_t before = count_before(behind);
  return before == 0 ? size_ : nth(before);
}

bool holds_text(std::string_view name, std::string_view small) {
  const auto is_same = [](char letter, char wanted) { return small_letter(letter) == wanted; };
  const auto found = std::search(name.begin(), name.end(), small.begin(), small.end(), is_same);
  return small.empty() || found != name.end();
}

NameMatcher::NameMatcher(const Events& events, std::string_view text)
    : events_(events), small_(text) {
  std::ranges::transform(small_, small_.begin(), small_letter);
  for (std::size_t kind = 0; kind < kEventKindCount; ++kind) {
    answers_[kind] =
        std::vector<std::atomic<uint8_t>>(key_count(events, static_cast<EventKind>(kind)));
  }
}

bool NameMatcher::matches(EventRef event) {
  std::atomic<uint8_t>& answer =
      answers_[static_cast<std::size_t>(event.kind)][events_.name_key(event)];
  uint8_t known = answer.load(std::memory_order_relaxed);
  if (known == kUnknown) {
    const bool holds =
        holds_text(events_.name(event), small_) || holds_text(events_.full_text(event), small_);
    known = holds ? kYes : kNo;
    answer.store(known, std::memory_order_relaxed);
  }
  return known == kYes;
}

EventClass class_of(EventKind kind) {
  switch (kind) {
    case EventKind::kernel:
      return EventClass::kernels;
    case EventKind::memory_op:
      return EventClass::memory_ops;
    case EventKind::launch:
      return EventClass::launches;
    case EventKind::memory_call:
    case EventKind::sync:
    case EventKind::api_call:
      return EventClass::api_calls;
    case EventKind::op:
      return EventClass::ops;
    case EventKind::group:
      return EventClass::groups;
    case EventKind::os_call:
      return EventClass::os_calls;
    case EventKind::running:
      return EventClass::states;
    case EventKind::frame:
      return EventClass::frames;
    case EventKind::gpu_sync:
      return EventClass::gpu_syncs;
    case EventKind::overhead:
      return EventClass::overheads;
    case EventKind::user_range:
    case EventKind::nvtx:
      break;
  }
  return EventClass::ranges;
}

NameHits::NameHits(std::shared_ptr<const Lanes> lanes, std::string text,
                   const base::Progress& progress)
    : lanes_(std::move(lanes)), text_(std::move(text)) {
  NameMatcher names(lanes_->events, text_);
  for (const LaneGroup& group : lanes_->groups) {
    auto& of_group = sets_.emplace_back();
    for (const Lane& lane : group.lanes) {
      auto& of_lane = of_group.emplace_back();
      for (const Line& line : lane.lines) {
        PlaceSet& set = of_lane.emplace_back(line.size());
        search_line(line, set, names, progress);
      }
    }
  }
}

void NameHits::search_line(const Line& line, PlaceSet& set, NameMatcher& names,
                           const base::Progress& progress) {
  std::mutex mutex;
  base::parallel_for(set.word_count(), kWordsAtOnce, [&](std::size_t begin, std::size_t end) {
    Counts counts = {};
    for (std::size_t word = begin; word < end && !progress.canceled(); ++word) {
      const std::size_t first = word * PlaceSet::kWord;
      const std::size_t behind = std::min(line.size(), first + PlaceSet::kWord);
      uint64_t bits = 0;
      for (std::size_t place = first; place < behind; ++place) {
        const EventRef event = line[place];
        const bool is_hit = names.matches(event);
        bits |= static_cast<uint64_t>(is_hit) << (place - first);
        counts[static_cast<std::size_t>(class_of(event.kind))] += is_hit ? 1 : 0;
      }
      set.set_word(word, bits);
    }
    const std::lock_guard lock(mutex);
    add(counts_, counts);
  });
  set.finish();
}

int64_t NameHits::count() const {
  return std::accumulate(counts_.begin(), counts_.end(), int64_t{0});
}

void NameHits::for_each_line(const UseLine& use) const {
  for (std::size_t group = 0; group < sets_.size(); ++group) {
    for (std::size_t lane = 0; lane < sets_[group].size(); ++lane) {
      for (std::size_t line = 0; line < sets_[group][lane].size(); ++line) {
        use({group, lane, line, 0}, sets_[group][lane][line]);
      }
    }
  }
}

// From a hit on, the next one on its line that is one of the iteration; the line's size = none.
std::size_t NameHits::pass_others(const Place& hit, int step, const IterationEvents& own) const {
  const Line& line = line_at(*lanes_, hit);
  const PlaceSet& set = of_line(hit.group, hit.lane, hit.line);
  std::size_t at = hit.at;
  while (at != set.size() && !own.contains(lanes_->events, line[at])) {
    const int64_t start_ns = lanes_->events.start_ns(line[at]);
    const bool is_behind_all =
        step > 0 ? start_ns > own.reach().stop_ns : start_ns < own.reach().start_ns;
    if (is_behind_all) return set.size();
    at = step > 0 ? set.first_from(at + 1) : set.last_before(at);
  }
  return at;
}

std::optional<Place> NameHits::nearest(const Part& part, int step,
                                       const IterationEvents* own) const {
  std::optional<Place> best;
  int64_t best_ns = 0;
  for_each_line([&](const Place& line, const PlaceSet& set) {
    if (set.count() == 0) return;
    const std::size_t before = part(line);
    Place place = line;
    place.at = step > 0 ? set.first_from(before) : set.last_before(before);
    if (own != nullptr) place.at = pass_others(place, step, *own);
    if (place.at == set.size()) return;
    const int64_t start_ns = lanes_->events.start_ns(event_at(*lanes_, place));
    // Of equal starts that of the upper line comes first.
    if (best && (step > 0 ? start_ns >= best_ns : start_ns < best_ns)) return;
    best = place;
    best_ns = start_ns;
  });
  return best;
}

std::optional<Place> NameHits::nearest_or_around(const Part& part, int step,
                                                 const IterationEvents* own) const {
  if (const auto place = nearest(part, step, own)) return place;
  const auto first = [&](const Place& line) {
    return own == nullptr
               ? 0
               : line_at(*lanes_, line).first_from(own->reach().start_ns, lanes_->events);
  };
  const auto last = [&](const Place& line) {
    const Line& of = line_at(*lanes_, line);
    return own == nullptr ? of.size() : of.first_from(own->reach().stop_ns + 1, lanes_->events);
  };
  return step > 0 ? nearest(first, step, own) : nearest(last, step, own);
}

std::optional<Place> NameHits::next(const Place& from, int step, const IterationEvents* own) const {
  return nearest_or_around(
      [&](const Place& line) {
        const bool is_own = step > 0 && &line_at(*lanes_, line) == &line_at(*lanes_, from);
        return places_before(*lanes_, from, line) + (is_own ? 1 : 0);
      },
      step, own);
}

std::optional<Place> NameHits::next(int64_t time_ns, int step, const IterationEvents* own) const {
  return nearest_or_around(
      [&](const Place& line) { return line_at(*lanes_, line).first_from(time_ns, lanes_->events); },
      step, own);
}

int64_t NameHits::number_of(const Place& hit) const {
  std::size_t before = 0;
  for_each_line([&](const Place& line, const PlaceSet& set) {
    if (set.count() > 0) before += set.count_before(places_before(*lanes_, hit, line));
  });
  return static_cast<int64_t>(before) + 1;
}

}  // namespace dlview::timeline
