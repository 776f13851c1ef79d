#include <utility>

#include "ui/views/tables/look_parts.h"
#include "ui/views/tables/looks.h"
#include "ui/views/tables/row_places.h"

namespace dlview::ui {

using namespace looks;

namespace {

using report::SortDirection;

constexpr const char* kNoMemoryEvents =
    "No memory events recorded: use torch.profiler.profile(profile_memory=True).";

}  // namespace

TableLook collectives_look(const profile::Profile& profile) {
  return {.id = "collectives",
          .title = "Collectives",
          .noun = "collectives",
          .key = "collective_key",
          .when_none = "No collectives start in this range.",
          .when_filtered = "No collectives match the filters. Clear filters.",
          .columns = {word("collective"), sized(word("data_type"), 76),
                      name("process_group", CutAt::middle), number("group_size"),
                      number("message_bytes"), number("collectives.calls"),
                      hidden(number("total_bytes")),
                      with_bar(number("collectives.gpu_time"), always(Tone::communication)),
                      number("exposed_time"), number("exposed_share"),
                      number("collectives.gpu_time_per_iteration"), number("collectives.avg"),
                      hidden(number("collectives.min")), hidden(number("collectives.max")),
                      number("algorithm_bandwidth"), number("bus_bandwidth"),
                      hidden(name("collective_key", CutAt::middle))},
          .first_query = sorted_by("collectives.gpu_time", SortDirection::descending),
          .prompt = "Summing collectives…",
          .note = sum_note(profile),
          .place = place_of_collective,
          .frozen = "collective",
          .row_kind = "Collective",
          .row_name = "collective"};
}

TableLook collective_calls_look(const profile::Profile& profile) {
  return {.id = "collective_calls",
          .title = "Calls",
          .noun = "calls",
          .key = "collective_key",
          .when_none = "No collectives start in this range.",
          .when_filtered = "No collectives match the filters. Clear filters.",
          .columns = {instant("collective_calls.start"), number("iter_value"), word("collective"),
                      sized(word("data_type"), 76), name("process_group", CutAt::middle),
                      hidden(number("group_size")), number("message_bytes"),
                      with_bar(number("collective_calls.gpu_time"), always(Tone::communication)),
                      number("exposed_time"), hidden(number("exposed_share")), number("host_time"),
                      number("algorithm_bandwidth"), number("bus_bandwidth"),
                      hidden(number("gpu_activities")), name("kernel_name", CutAt::middle),
                      hidden(name("group_ranks", CutAt::end)),
                      hidden(name("collective_key", CutAt::middle))},
          .first_query = sorted_by("collective_calls.start", SortDirection::ascending),
          .prompt = "Reading collectives…",
          .note = sum_note(profile),
          .place = place_of_collective,
          .frozen = "start",
          .row_kind = "Collective call",
          .row_name = "collective"};
}

TableLook memory_peak_look() {
  return {.id = "memory_peak",
          .title = "Held at the peak, by op",
          .noun = "ops",
          .key = "memory_key",
          .op = "op_node_id",
          .when_none = kNoMemoryEvents,
          .columns = {name("op_node_name", CutAt::front), word("memory_device"),
                      with_bar(number("held_bytes"), always(Tone::memory)), number("held_share"),
                      number("blocks"), hidden(instant("peak_time")),
                      hidden(sized(word("op_node_id"), 120)),
                      hidden(name("memory_key", CutAt::middle))},
          .first_query = sorted_by("held_bytes", SortDirection::descending),
          .prompt = "Matching allocations and frees…",
          .place = place_of_peak};
}

TableLook memory_peak_groups_look() {
  return {.id = "memory_peak_groups",
          .title = "Held at the peak, by module",
          .noun = "modules",
          .key = "memory_key",
          .when_none = kNoMemoryEvents,
          .columns = {name("memory_peak_groups.module_path", CutAt::front), word("memory_device"),
                      with_bar(number("held_bytes"), always(Tone::memory)), number("held_share"),
                      number("blocks"), hidden(instant("peak_time")),
                      hidden(name("memory_key", CutAt::middle))},
          .first_query = sorted_by("held_bytes", SortDirection::descending),
          .prompt = "Matching allocations and frees…",
          .place = place_of_peak};
}

TableLook memory_ops_look() {
  return {
      .id = "memory_ops",
      .title = "Memory by op",
      .noun = "ops",
      .key = "memory_key",
      .op = "op_node_id",
      .when_none = kNoMemoryEvents,
      .when_filtered = "No memory events match the filters. Clear filters.",
      .columns = {name("op_node_name", CutAt::front), word("memory_device"),
                  with_bar(number("allocated_bytes"), always(Tone::memory)), number("freed_bytes"),
                  number("net_bytes"), number("largest_bytes"), number("allocations"),
                  number("frees"), hidden(sized(word("op_node_id"), 120)),
                  hidden(name("memory_key", CutAt::middle))},
      .first_query = sorted_by("allocated_bytes", SortDirection::descending),
      .prompt = "Summing memory events…",
      .place = place_of_op};
}

TableLook memory_events_look() {
  return {.id = "memory_events",
          .title = "Memory events",
          .noun = "events",
          .key = "memory_key",
          .op = "op_node_id",
          .when_none = kNoMemoryEvents,
          .when_filtered = "No memory events match the filters. Clear filters.",
          .columns = {instant("memory_events.time"), word("memory_device"), number("bytes"),
                      number("total_allocated"), number("total_reserved"), number("lifetime"),
                      name("op_node_name", CutAt::front), hidden(sized(word("op_node_id"), 120)),
                      hidden(word("address")), hidden(number("process_id")),
                      hidden(number("thread_id")), hidden(name("memory_key", CutAt::middle))},
          .first_query = sorted_by("memory_events.time", SortDirection::ascending),
          .prompt = "Reading memory events…",
          .place = place_of_memory_event,
          .frozen = "time"};
}

TableLook memory_usage_look() {
  return {
      .id = "memory_usage",
      .title = "CUDA memory events",
      .noun = "events",
      .key = "memory_key",
      .when_none = "No memory events in this range.",
      .columns = {instant("memory_usage.time_ns"), word("memory_usage.device"),
                  word("memory_usage.kind"), word("memory_usage.operation"), number("bytes"),
                  with_bar(number("memory_usage.in_use_bytes"), always(Tone::memory)),
                  name("memory_usage.name", CutAt::end), hidden(name("memory_key", CutAt::middle))},
      .first_query = sorted_by("memory_usage.time_ns", SortDirection::ascending),
      .prompt = "Summing memory events…",
      .frozen = "time_ns"};
}

}  // namespace dlview::ui
