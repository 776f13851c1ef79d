// HeaderReader: reads what is around the events of a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "import/pytorch/json_scanner.h"
#include "import/pytorch/trace_events.h"

namespace dlview::import::pytorch {

// Whether a key that the profiler writes around the events begins at `at`, with its colon; nullopt
// where the memory ends before that is known.
std::optional<bool> begins_with_header_key(const char* at, const char* end);

class HeaderReader {
 public:
  // Moves over `"key": value` pairs until the events begin, the object or the memory ends.
  enum class Stop : uint8_t { memory_ends, events_begin, object_ends };
  Stop read(JsonScanner& json, bool is_last);

  TraceHeader& header() { return header_; }
  bool is_damaged() const { return is_damaged_; }

 private:
  void take(std::string_view key, const JsonValue& value);
  void take_devices(std::string_view list);
  void take_distributed(std::string_view object);
  bool find_key(JsonScanner& json, bool is_last) const;

  TraceHeader header_;
  bool is_lost_ = false, is_damaged_ = false;
};

// The rank that the name of a file tells, where the header has none: as profile::rank_of_name() has
// it, of a run of known size also RankAtEnd::of_process. Nothing if the rank is not below
// `world_size`.
std::optional<int64_t> rank_of_file_name(std::string_view name, std::optional<int64_t> world_size);

}  // namespace dlview::import::pytorch
