// XXH3 over what a cache file holds: against disks and accidents, not against attackers, who could
// write the whole file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "import/column_cache/format.h"

struct XXH3_state_s;

namespace dlview::import::column_cache {

class Checksum {
 public:
  Checksum();
  void add(std::span<const std::byte> bytes);
  uint64_t value() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

// Returns the checksum of the header (whatever its own checksum is), directory and facts.
uint64_t checksum_of(Header header, std::span<const std::byte> directory,
                     std::span<const std::byte> facts);

}  // namespace dlview::import::column_cache
