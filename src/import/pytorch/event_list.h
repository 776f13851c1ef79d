// EventList: joins the pieces of a trace, and finds what only all events together tell: ends of
// ranges, hosts among unknown categories, GPUs without a number, events to leave out.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "import/pytorch/event_parts.h"
#include "import/pytorch/trace_events.h"
#include "import/quality_log.h"
#include "profile/builder.h"

namespace dlview::import::pytorch {

// All events of a trace.
class EventList {
 public:
  explicit EventList(profile::ProfileBuilder& builder) : builder_(builder), all_(true) {}

  // Appends the next piece. All pieces may have about `growth` times as many events as those until
  // then.
  void append(EventPart&& part, double growth = 1);
  int64_t object_count() const { return all_.objects_; }
  // What can be known only now: ends of ranges, what is left out, notes.
  TraceEvents finish(QualityLog& quality) &&;

 private:
  void close_ranges(QualityLog& quality);
  void leave_out_unknown(QualityLog& quality);
  void leave_out_zero_times(QualityLog& quality);
  void leave_out_strays(QualityLog& quality);
  void number_devices();
  // Moves the other rows up.
  void remove_host(const std::vector<bool>& is_left_out);
  void name_threads();

  profile::ProfileBuilder& builder_;
  EventPart all_;
};

}  // namespace dlview::import::pytorch
