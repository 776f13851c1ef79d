// The categories of events of a PyTorch profiler trace, over all names that they have had.
// docs/dev/formats.md (PyTorch traces) lists them.
#pragma once

#include <cstdint>
#include <string_view>

#include "import/pytorch/event_parts.h"

namespace dlview::import::pytorch {

enum class EventCategory : uint8_t {
  operation,
  annotation,
  kernel,
  memcpy,
  memset,
  runtime_call,
  driver_call,
  frame,
  instant,
  sync,       // also records of events and waits for them, which do no work
  overhead,   // of the profiler
  mtia_work,  // on a GPU; category_of() gives its kind
  skipped,    // known, not shown
  trace,      // the capture itself
  none,
  unknown,
};

// By `cat`; without one, as the old autograd profiler writes events, by `pid`.
EventCategory category_of(const RawEvent& event);

// "Annotations on GPU streams": a name for events of a category that are not shown, by `cat`; empty
// if the category is unknown.
std::string_view title_of_skipped(std::string_view category);

// Returns whether events of the category are work of a GPU.
bool is_gpu_work(EventCategory category);

}  // namespace dlview::import::pytorch
