// The bytes of a summary file (docs/dev/formats.md, Summary files): its head, its directory, and
// how the fields of a summary's structs are packed. Writer and reader go through the same fields in
// the same order, that of their declaration.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/fields.h"
#include "ranks/packed.h"
#include "ranks/run_summary.h"

namespace dlview::ranks {

inline constexpr std::array<char, 8> kSummaryMagic{'d', 'l', 's', 'u', 'm', '\r', '\n', '\x1a'};
inline constexpr uint32_t kSummaryVersion = 4;
// What grows with ranks is in sections of so many parts each.
inline constexpr std::size_t kPartsOfBlock = 64;

enum class Section : uint32_t {
  rules,
  heads,
  rows,
  groups_of_parts,
  clock,
  ops,
  kernels,
  groups,
  collectives
};

struct SectionEntry {
  uint32_t section = 0;  // Section
  uint32_t column = 0;   // of rows and of groups of parts
  uint32_t block = 0;    // of parts
  uint32_t reserved = 0;
  uint64_t offset = 0, packed_bytes = 0, bytes = 0;
  uint64_t checksum = 0;  // of the packed bytes
};

struct SummaryHead {
  std::array<char, 8> magic = kSummaryMagic;
  uint32_t version = kSummaryVersion;
  uint32_t sections = 0;
  uint64_t checksum = 0;  // of the directory
};

// Sums of what a file holds may wrap around if it is damaged.
constexpr int64_t wrapping_sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
constexpr int64_t wrapping_difference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

// Beyond 104 days a time is damage; sums of few are exact in a double.
constexpr int64_t plausible(int64_t ns) {
  constexpr int64_t kMostNs = int64_t{1} << 53U;
  return ns < -kMostNs ? -kMostNs : ns > kMostNs ? kMostNs : ns;
}

// Numbers that a file may hold: sums and differences of two fit, and so do sums of many wide ones.
constexpr bool is_possible(int64_t number) {
  constexpr int64_t kMost = int64_t{1} << 62U;
  return -kMost < number && number < kMost;
}
constexpr bool is_possible(Wide number) {
  constexpr Wide kMost = Wide{1} << 100U;
  return -kMost < number && number < kMost;
}

// What an enumeration of a file may be at most.
constexpr uint64_t greatest_of(profile::Collective) {
  return static_cast<uint64_t>(profile::Collective::other);
}
constexpr uint64_t greatest_of(SummaryRules::Matching) {
  return static_cast<uint64_t>(SummaryRules::Matching::kernel_place);
}

// Group and place of what is in order of both; the group only where it is another one.
template <typename Placed>
void add_place(Packer& out, const Placed& placed, const Placed* last) {
  const bool is_same_group = last != nullptr && last->group == placed.group;
  out.add_count(is_same_group ? 0 : 1);
  if (!is_same_group) out.add(placed.group);
  out.add(wrapping_difference(placed.place, is_same_group ? last->place : 0));
}
// `placed`: the last one, which becomes the next.
template <typename Placed>
void take_place(Unpacker& in, Placed& placed) {
  if (in.count() != 0) {
    placed.group = in.text();
    placed.place = 0;
  }
  placed.place = wrapping_sum(placed.place, in.number());
}

class FieldWriter {
 public:
  explicit FieldWriter(Packer& out) : out_(out) {}

  template <typename... Fields>
  void operator()(const Fields&... fields) {
    (add(fields), ...);
  }

 private:
  void add(int64_t value) { out_.add(value); }
  void add(uint64_t value) { out_.add_count(value); }
  void add(bool value) { out_.add_count(value ? 1 : 0); }
  void add(Wide value) { out_.add_wide(value); }
  void add(const std::string& text) { out_.add(text); }
  void add(const std::optional<int64_t>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  void add(const std::vector<std::string>& texts) {
    out_.add_count(texts.size());
    for (const std::string& text : texts) add(text);
  }
  void add(const Histogram& histogram) {
    out_.add_count(histogram.counts().size());
    int64_t last = 0;
    for (const auto& [bucket, times] : histogram.counts()) {
      add(bucket - last);
      add(times);
      last = bucket;
    }
  }
  void add(const WideStats& stats) {
    add(stats.count);
    if (stats.count == 0) return;
    add(stats.min);
    add(wrapping_difference(stats.max, stats.min));
    add(stats.sum);
  }
  template <typename T>
  void add(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      out_.add_count(static_cast<uint64_t>(value));
    } else {
      base::with_fields(value, *this);
    }
  }

  Packer& out_;
};

// Reads what a FieldWriter wrote; what does not fit makes the Unpacker fail.
class FieldReader {
 public:
  explicit FieldReader(Unpacker& in) : in_(in) {}

  template <typename... Fields>
  void operator()(Fields&... fields) {
    (take(fields), ...);
  }

 private:
  void take(int64_t& value) { value = possible(in_.number()); }
  void take(uint64_t& value) { value = in_.count(); }
  void take(bool& value) { value = in_.count() != 0; }
  void take(Wide& value) { value = possible(in_.wide()); }
  void take(std::string& text) { text = in_.text(); }
  void take(std::optional<int64_t>& value) {
    value.reset();
    if (in_.count() != 0) take(value.emplace());
  }
  void take(std::vector<std::string>& texts) {
    texts.assign(in_.size(), {});
    for (std::string& text : texts) take(text);
  }
  void take(Histogram& histogram) {
    const std::size_t buckets = in_.size();
    int64_t bucket = 0;
    for (std::size_t i = 0; i < buckets && in_.fits(); ++i) {
      // In order; all of them together are a number.
      const int64_t more = in_.number(), times = in_.number();
      if (more < (i == 0 ? 0 : 1) || more > kMostBuckets || times < 0 || times > kMostTimes) {
        in_.refuse();
      }
      bucket += more;
      histogram.add_bucket(bucket, times);
    }
  }
  void take(WideStats& stats) {
    take(stats.count);
    if (stats.count == 0) return;
    take(stats.min);
    stats.max = possible(wrapping_sum(stats.min, in_.number()));
    take(stats.sum);
  }
  template <typename T>
  void take(T& value) {
    if constexpr (std::is_enum_v<T>) {
      const uint64_t number = in_.count();
      if (number > greatest_of(T{})) {
        in_.refuse();
      } else {
        value = static_cast<T>(number);
      }
    } else {
      base::with_fields(value, *this);
    }
  }

  template <typename Number>
  Number possible(Number number) {
    if (!is_possible(number)) in_.refuse();
    return number;
  }

  static constexpr int64_t kMostBuckets = 1000;
  static constexpr int64_t kMostTimes = int64_t{1} << 48U;

  Unpacker& in_;
};

}  // namespace dlview::ranks
