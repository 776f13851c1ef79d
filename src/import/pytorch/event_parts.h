// EventPart: the events of a piece of a trace. Pieces are read on several cores; joined in the
// order of the file they give what one piece would. event_arguments.cpp reads the arguments of each
// kind of event.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/number_distinct.h"
#include "import/pytorch/json_scanner.h"
#include "import/pytorch/key_chain.h"
#include "import/pytorch/trace_events.h"
#include "profile/string_table.h"

namespace dlview::import::pytorch {

// One object of the list of events, as it stands in the file.
struct RawEvent {
  struct Argument {
    std::string_view key;
    JsonValue value;
  };
  JsonValue phase, category, name, process, thread, time, duration;
  std::vector<Argument> arguments;

  // Moves past the object. Its values stay in the memory of `json`. `keys` learns how its keys are
  // written.
  Scan read(JsonScanner& json, KeyChain& keys);
  // Whatever else has no phase: parts of damaged events are no events.
  bool is_event() const { return phase.is_text() && phase.raw.size() == 1; }
};

// What is wrong with an event, in the order of the notes.
enum class EventProblem : uint8_t {
  damaged,            // no JSON; the events in it are lost
  no_phase,           // left out
  no_time,            // left out
  time_out_of_range,  // left out
  negative_duration,
  number_out_of_range,
  not_utf8,
};
inline constexpr std::size_t kEventProblems = 7;

// Numbers that stand for texts lie below those of real correlations and devices.
inline int64_t number_of_text(StringId text) {
  return int64_t{INT32_MIN} - 1 - int64_t{text};
}

inline bool stands_for_text(int64_t number) {
  return number != kNoValue && number < INT32_MIN;
}

// Of `pid`, `tid` and `cat`: a number and its text are the same.
std::string id_text(const JsonValue& id);

class EventPart {
 public:
  explicit EventPart(bool all_frames) : all_frames_(all_frames) {}

  void add(const RawEvent& event);
  // Notes a place that is no JSON: the end of `text`, which begins with the event.
  void add_damaged(std::string_view text);
  // Objects that were added, with those that are no events.
  int64_t object_count() const { return objects_; }

 private:
  friend class EventList;

  // Begin and end of a range that are events of their own.
  struct Mark {
    // none: no event to give an end to, but its end must not close another range.
    enum class List : uint8_t {
      host,
      calls,
      modules,
      kernels,
      memcpys,
      memsets,
      syncs,
      overheads,
      none,
    };
    bool is_begin = false;
    bool counts = true;  // for the span of the trace
    List list = List::none;
    uint32_t index = 0;  // in that list
    uint32_t thread = 0;
    StringId name = 0;  // 0 = an end without a name
    int64_t time_ns = 0;
    int64_t object = 0;
  };
  struct Note {
    int64_t rows = 0, first = 0;
    std::string example;
  };
  struct Span {
    int64_t events = 0;
    EventTime time{INT64_MAX, INT64_MIN};
    int64_t first = 0, last = 0;  // the objects that begin first and stop last
    void add(const EventTime& event, int64_t object);
    // `objects`: how many precede those of `other`.
    void add(const Span& other, int64_t objects);
  };
  // Of events whose category is unknown: they stay if their process is one of the host's.
  struct Unknown {
    uint32_t host_event = 0, category = 0;  // index of unknown_categories_
    int64_t object = 0;
  };

  template <typename Describe>
  void note(EventProblem problem, const Describe& describe);
  // Nothing where the event has no time that can be used.
  bool read_time(const RawEvent& event, EventTime& time);
  void add_range(const RawEvent& event, bool is_begin);
  void add_end(const RawEvent& event);
  void add_metadata(const RawEvent& event);
  void add_allocation(const RawEvent& event);
  void add_counter(const RawEvent& event);
  void add_host(const RawEvent& event, const EventTime& time, HostEvent::Kind kind);
  void add_frame(const RawEvent& event, const EventTime& time, Mark& mark);
  void add_call(const RawEvent& event, const EventTime& time, profile::ApiLayer layer);
  void add_kernel(const RawEvent& event, const EventTime& time);
  void add_memory(const RawEvent& event, const EventTime& time,
                  base::LargeVector<MemoryEvent>& events);
  void add_sync(const RawEvent& event, const EventTime& time);
  void take_collective_argument(std::string_view key, const JsonValue& value,
                                CollectiveEvent& collective);
  bool take_gpu_argument(std::string_view key, const JsonValue& value, GpuEvent& gpu);
  // After the arguments: device and stream may be told by the process and thread alone.
  void add_gpu_facts(const RawEvent& event, const EventTime& time, GpuEvent& gpu);

  int64_t integer(const JsonValue& value);
  // As integer(). A text that is no number gets a number below INT32_MIN, as numbers in that range
  // do: the one of the text in texts_, or in the ProfileBuilder after EventList::append().
  int64_t number_or_text(const JsonValue& value);
  // As number_or_text(); -1 is how some programs write "none".
  int64_t correlation(const JsonValue& value);
  // The value of an argument that names a GPU. A number in the range of texts counts as not
  // recorded.
  int64_t device_number(const JsonValue& value);
  double decimal(const JsonValue& value) const;
  profile::Dim3 sizes(const JsonValue& value);
  StringId text(const JsonValue& value);
  // A list without spaces.
  StringId list(const JsonValue& value);
  std::string valid_text(const JsonValue& value);
  uint32_t thread(const RawEvent& event);
  void count_skipped(std::string_view category, int64_t count = 1);

  bool all_frames_;
  int64_t objects_ = 0;
  profile::StringTableBuilder texts_, raw_lists_;
  std::vector<StringId> list_texts_;  // by id in raw_lists_
  struct InputsHash {
    std::size_t operator()(const OpInputs& inputs) const;
  };
  base::KeyNumbers<OpInputs, InputsHash> inputs_;
  struct SeriesHash {
    std::size_t operator()(const CounterSeries& series) const;
  };
  base::KeyNumbers<CounterSeries, SeriesHash> counter_series_;
  TraceEvents events_;
  std::vector<Mark> marks_;
  std::vector<Unknown> unknown_;
  std::vector<std::string> unknown_categories_;  // in the order in which they occur
  std::unordered_map<std::string, uint32_t> unknown_category_numbers_;
  // Names by process, and by process and thread.
  std::map<std::string, std::string> process_names_;
  std::map<std::pair<std::string, std::string>, std::string> thread_names_;
  std::unordered_map<std::string, uint32_t> thread_numbers_;
  std::string last_thread_key_;
  uint32_t last_thread_ = 0;
  Span span_, zero_span_;   // zero: GPU work at time 0 that takes no time
  int64_t first_zero_ = 0;  // its first object; 0 = none
  std::array<Note, kEventProblems> notes_;
};

}  // namespace dlview::import::pytorch
