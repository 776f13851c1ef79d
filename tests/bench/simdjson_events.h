// SimdjsonEvents: the fields that dlview takes from the events of a trace, read by simdjson's
// on-demand parser. A peer of the trace reader: it interns no names and keeps no columns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

namespace dlview::bench {

class SimdjsonEvents {
 public:
  SimdjsonEvents();
  ~SimdjsonEvents();

  // Loads a plain file; false if it cannot, or if this was built without simdjson.
  bool load(const std::filesystem::path& path);
  // Returns a checksum of all fields.
  uint64_t read();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dlview::bench
