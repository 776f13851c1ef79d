// Random numbers that are the same on every machine and with every standard library: SplitMix64 and
// integer arithmetic only.
#pragma once

#include <cstdint>

namespace dlview::generate {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  // Uniform in [0, bound); 0 for a bound of 0.
  int64_t below(int64_t bound) {
    return bound <= 0 ? 0 : static_cast<int64_t>(next() % static_cast<uint64_t>(bound));
  }
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }

  // `value` give or take up to `percent` of it; values near the middle are likelier.
  int64_t around(int64_t value, int64_t percent) {
    const int64_t spread = value * percent / 200;
    return value + between(-spread, spread) + between(-spread, spread);
  }

 private:
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t state_;
};

}  // namespace dlview::generate
