// Communication time of a device, in addition to the seven categories of the breakdown: its kernels
// stay in those of kernels (spec.md 45).
#pragma once

#include <cstdint>

namespace dlview::aggregate {

struct CommunicationTime {
  int64_t ns = 0;          // at least one communication kernel runs
  int64_t exposed_ns = 0;  // the part of it in which no other kernel runs

  int64_t overlapped_ns() const { return ns - exposed_ns; }
  CommunicationTime& operator+=(const CommunicationTime& more) {
    ns += more.ns;
    exposed_ns += more.exposed_ns;
    return *this;
  }
  bool operator==(const CommunicationTime&) const = default;
};

}  // namespace dlview::aggregate
