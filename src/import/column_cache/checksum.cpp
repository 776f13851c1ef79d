#include "import/column_cache/checksum.h"

#include <new>
#include <xxhash.h>

namespace dlview::import::column_cache {

Checksum::Checksum() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_64bits_reset(state_.get());
}

void Checksum::Free::operator()(XXH3_state_s* state) const {
  XXH3_freeState(state);
}

void Checksum::add(std::span<const std::byte> bytes) {
  XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
}

uint64_t Checksum::value() const {
  return XXH3_64bits_digest(state_.get());
}

uint64_t checksum_of(Header header, std::span<const std::byte> directory,
                     std::span<const std::byte> facts) {
  header.checksum = 0;
  Checksum checksum;
  checksum.add(std::as_bytes(std::span(&header, 1)));
  checksum.add(directory);
  checksum.add(facts);
  return checksum.value();
}

}  // namespace dlview::import::column_cache
