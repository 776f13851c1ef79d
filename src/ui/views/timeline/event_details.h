// What is told of a selected event of the timeline: its facts, and what it
// leads to. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "timeline/lanes.h"
#include "ui/views/timeline/sample_icicle.h"
#include "ui/views/timeline/selected_event.h"

namespace dlview::ui {

struct EventDetails {
  std::string kind, name;  // "Kernel", its name in full
  struct Fact {
    std::string id, label, value;
  };
  std::vector<Fact> facts;
  struct Link {
    std::string id, label;  // "launch", "Go to launch"
    timeline::EventRef event;
  };
  std::vector<Link> links;  // only to what is drawn
  // Of the thread during the event; of GPU work during the idle time before it, of the thread that
  // launched it, or of the one that was busy meanwhile.
  SampleIcicle samples;
};

// `selected` is that of the event at the place. What the host did meanwhile is
// told where there are `rules`; may be null.
EventDetails prepare_event_details(const timeline::Lanes& lanes,
                                   const aggregate::Aggregation& aggregation,
                                   const aggregate::RuleIndex* rules, const timeline::Place& place,
                                   const SelectedEvent& selected);

// `selected` is that of the event; of a launch it tells the name of the call.
std::string full_event_name(const timeline::Lanes& lanes, timeline::EventRef event,
                            const SelectedEvent& selected);

// The text of an NVTX range whose name() is made from it (timeline/range_name.h); "" for others.
std::string marker_text(const timeline::Events& events, timeline::EventRef event);

// Of a Python frame "nn/linear.py, line 114" and "Self 12.1 µs · GPU time launched 2.43 ms"; "" for
// others, and the first where no file was recorded.
std::string frame_place_text(const timeline::Events& events, timeline::EventRef event);
std::string frame_times_text(const timeline::Events& events, timeline::EventRef event);

// "3.2 MiB at 13.0 GB/s" of a memory operation or its call, without the rate where the work takes
// no time; "" for other events.
std::string transfer_text(const timeline::Events& events, timeline::EventRef event);

// "Waits for stream 7 · CUDA event 12" of synchronization that has them; "" for other events.
std::string sync_text(const timeline::Events& events, timeline::EventRef event);

// The iteration that holds the instance; nothing for what lies outside all
// iterations.
std::optional<int64_t> iteration_of(const aggregate::Iterations& iterations,
                                    profile::InstanceIndex instance);

// The one that holds the time; nothing outside all iterations.
std::optional<int64_t> iteration_at(const aggregate::Iterations& iterations, int64_t time_ns);

// The one in which the host does what begins at the time, also where the GPU splits.
std::optional<int64_t> iteration_at_host_time(const aggregate::Iterations& iterations,
                                              int64_t time_ns);

// Of the ranges open on a thread at a time, "epoch › step 12 › forward"; empty
// where none is.
std::string range_path_at(const timeline::Lanes& lanes, const profile::Thread& thread,
                          int64_t time_ns);

// Ns between the stop of the work before it on its line and its start; nothing
// for the first.
std::optional<int64_t> gap_before(const timeline::Lanes& lanes, const timeline::Place& place);

}  // namespace dlview::ui
