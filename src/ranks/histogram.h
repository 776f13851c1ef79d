// Histogram: how often values of each size occurred, in buckets of an eighth of an octave, so that
// quantiles are right within 12.5%, and within 6.25% at the middle of a bucket. Adding two is
// exact.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>

namespace dlview::ranks {

class Histogram {
 public:
  static constexpr int64_t kOfOctave = 8;

  // Values below 8 have a bucket each; negative ones count as 0.
  static int64_t bucket_of(int64_t value) {
    if (value < kOfOctave) return std::max<int64_t>(value, 0);
    const int octave = std::bit_width(static_cast<uint64_t>(value)) - 1;
    return (octave - 2) * kOfOctave + (value >> (octave - 3)) - kOfOctave;
  }
  // The least value of a bucket; that of the next one is beyond the bucket.
  static int64_t least_of(int64_t bucket) {
    if (bucket < kOfOctave) return bucket;
    const int64_t octave = bucket / kOfOctave + 2;
    return (kOfOctave + bucket % kOfOctave) << (octave - 3);
  }

  void add(int64_t value, int64_t times = 1) { counts_[bucket_of(value)] += times; }
  void add_bucket(int64_t bucket, int64_t times) { counts_[bucket] += times; }
  void merge(const Histogram& other) {
    for (const auto& [bucket, times] : other.counts_) counts_[bucket] += times;
  }
  int64_t count() const {
    int64_t sum = 0;
    for (const auto& [bucket, times] : counts_) sum += times;
    return sum;
  }
  // The bucket of the quantile by nearest rank, 0 < fraction <= 1; 0 of nothing.
  int64_t bucket_at(double fraction) const {
    const int64_t all = count();
    const double place = fraction * static_cast<double>(all);
    int64_t before = 0;
    for (const auto& [bucket, times] : counts_) {
      before += times;
      if (static_cast<double>(before) >= place) return bucket;
    }
    return 0;
  }
  const std::map<int64_t, int64_t>& counts() const { return counts_; }
  bool operator==(const Histogram&) const = default;

 private:
  std::map<int64_t, int64_t> counts_;  // by bucket
};

}  // namespace dlview::ranks
