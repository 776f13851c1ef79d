// The search for names: which events of all lanes have a text in theirs.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "timeline/event.h"
#include "timeline/iteration_events.h"

namespace dlview::timeline {

// Some of the places of a line, a bit for each, so that those of any stretch are counted, and the
// next one found, without looking at its events.
class PlaceSet {
 public:
  static constexpr std::size_t kWord = 64;  // places

  PlaceSet() = default;
  explicit PlaceSet(std::size_t size) : size_(size), words_((size + kWord - 1) / kWord) {}

  std::size_t size() const { return size_; }
  std::size_t word_count() const { return words_.size(); }
  // Places 64 word to 64 word + 63, the lowest bit first; different words on any threads. Then
  // finish(), before anything below is asked.
  void set_word(std::size_t word, uint64_t bits) { words_[word] = bits; }
  void finish();

  std::size_t count() const { return count_; }
  bool contains(std::size_t place) const {
    return (words_[place / kWord] >> place % kWord & 1) != 0;
  }
  // In [0, behind), and in [first, behind).
  std::size_t count_before(std::size_t behind) const;
  std::size_t count_in(std::size_t first, std::size_t behind) const {
    return count_before(behind) - count_before(first);
  }
  // The first one at `from` or behind, and the last one before `behind`; size() = none.
  std::size_t first_from(std::size_t from) const;
  std::size_t last_before(std::size_t behind) const;

 private:
  // Counted from 1; there are as many.
  std::size_t nth(std::size_t number) const;

  std::size_t size_ = 0, count_ = 0;
  std::vector<uint64_t> words_;
  std::vector<uint32_t> before_;  // each word
};

// Whether a name holds a text whose ASCII letters are small ones; those of the name may be large.
bool holds_text(std::string_view name, std::string_view small);

// Whether names of events hold a text, each asked once for all events that bear it. A kernel and
// its launch are found by the demangled name, too, which the details tell.
class NameMatcher {
 public:
  // `events` outlive it.
  NameMatcher(const Events& events, std::string_view text);

  // On any thread.
  bool matches(EventRef event);

 private:
  enum Answer : uint8_t { kUnknown, kNo, kYes };

  const Events& events_;
  std::string small_;
  std::array<std::vector<std::atomic<uint8_t>>, kEventKindCount> answers_;  // by kind and name key
};

// What hits are counted by, in the order in which they are told.
enum class EventClass : uint8_t {
  kernels,
  launches,  // API calls that have the names of their kernels
  memory_ops,
  api_calls,
  ops,
  groups,
  ranges,
  os_calls,
  states,     // times on a CPU
  frames,     // of Python
  gpu_syncs,  // of streams and GPUs
  overheads,  // of the profiler
};
inline constexpr std::size_t kEventClassCount = 12;
EventClass class_of(EventKind kind);

// The events of all lanes whose names hold a text, whatever the case of ASCII letters. A name is
// looked at once, however many events bear it; then each event has its bit, so that what is drawn,
// counted and stepped through costs nothing beside the search itself. Pure; immutable.
class NameHits {
 public:
  // On all cores. Where the progress is canceled meanwhile, what comes of it is not to be used.
  NameHits(std::shared_ptr<const Lanes> lanes, std::string text, const base::Progress& progress);

  const std::shared_ptr<const Lanes>& lanes() const { return lanes_; }
  const std::string& text() const { return text_; }
  int64_t count(EventClass which) const { return counts_[static_cast<std::size_t>(which)]; }
  int64_t count() const;
  const PlaceSet& of_line(std::size_t group, std::size_t lane, std::size_t line) const {
    return sets_[group][lane][line];
  }
  bool contains(const Place& place) const {
    return of_line(place.group, place.lane, place.line).contains(place.at);
  }

  // Events follow each other by their start; of equal starts from top to bottom. The hit behind an
  // event, or with `step` -1 the one before it; behind the last one comes the first. Of all, or of
  // those of one iteration.
  std::optional<Place> next(const Place& from, int step,
                            const IterationEvents* own = nullptr) const;
  // The first hit that starts at this time or later, or else of all; with `step` -1 the last
  // before.
  std::optional<Place> next(int64_t time_ns, int step, const IterationEvents* own = nullptr) const;
  // From 1 on, of a hit.
  int64_t number_of(const Place& hit) const;

 private:
  void search_line(const Line& line, PlaceSet& set, NameMatcher& names,
                   const base::Progress& progress);
  using UseLine = std::function<void(const Place& line, const PlaceSet& set)>;
  void for_each_line(const UseLine& use) const;
  // Of the line that a place names: how many of its places come before something.
  using Part = std::function<std::size_t(const Place& line)>;
  std::size_t pass_others(const Place& hit, int step, const IterationEvents& own) const;
  std::optional<Place> nearest(const Part& part, int step, const IterationEvents* own) const;
  std::optional<Place> nearest_or_around(const Part& part, int step,
                                         const IterationEvents* own) const;

  std::shared_ptr<const Lanes> lanes_;
  std::string text_;
  std::array<int64_t, kEventClassCount> counts_ = {};
  std::vector<std::vector<std::vector<PlaceSet>>> sets_;  // by group, lane, line
};

}  // namespace dlview::timeline
