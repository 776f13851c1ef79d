// Numbers as people read them: three significant digits with the unit that fits, thousands grouped
// by commas, percentages. Every view, tooltip and terminal table formats through here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dlview::base {

// U+202F, the narrow no-break space before units and between groups of a fraction.
inline constexpr const char* kThinSpace = "\u202f";

// 1284305 -> "1,284,305".
std::string format_count(int64_t count);

// "1 op", "1,284 ops", "1 class". `nouns`: in the plural, regular.
std::string counted(int64_t count, std::string_view nouns);

// Puts the sign of a difference before the text of its absolute value: "+15 ms", "−15 ms", "0". One
// that would read as 0 keeps its bound, "< 0.1 ms" above 0 and "> −0.1 ms" below, or has no sign:
// "0.0%".
std::string with_sign(double difference, std::string_view magnitude);

// Three significant digits, or the whole number from 1,000 on: "0.83", "31.9", "1,284".
std::string format_number(double value);

// Three significant digits in the largest unit that keeps the number at or above 1: 0 -> "0",
// 950 -> "950 ns", 41270000000 -> "41.3 s". Units: ns, µs, ms, s, min, h, days (parity.md V110).
std::string format_duration(double duration_ns);
inline std::string format_duration(int64_t duration_ns) {
  return format_duration(static_cast<double>(duration_ns));
}
// A duration next to another one, and the difference ("+142 ms", "−3.1 µs", "0").
struct ComparedDurations {
  std::string value, baseline, difference;
};
// All three in the unit of the longer duration and with the same decimals, so that the difference
// is that of the two as they are shown. As many decimals as give the longer one three significant
// digits and the difference two: 41.27 s, 41.13 s, +0.14 s. A difference below a thousandth has a
// unit of its own: 744 ms, 744 ms, +4.00 µs.
ComparedDurations format_compared(int64_t duration_ns, int64_t baseline_ns);
// The rows of a table of them, all in one unit and with the same decimals, so that the columns line
// up. As many decimals as give the longest duration four significant digits and the largest
// difference two. What would read as 0 reads "< 0.1 ms", or
// "> −0.1 ms" for a decrease.
class ComparedTable {
 public:
  void add(int64_t duration_ns, int64_t baseline_ns);  // each row, before the first format()
  ComparedDurations format(int64_t duration_ns, int64_t baseline_ns) const;
  // The last digit that is shown.
  int64_t step_ns() const;

 private:
  int64_t longest_ns_ = 0, largest_difference_ns_ = 0;
};
// The full integer with its unit: "41,270,000,000 ns".
std::string format_ns(int64_t duration_ns);

// 43.14 -> "43.1%"; below 0.05 but above 0 -> "< 0.1%", the same below 0 -> "> −0.1%"; 99.95 and
// more but below 100 -> "> 99.9%"; exactly 0 -> "0%" and 100 -> "100%".
std::string format_percent(double percent);

// Powers of 1024: "7.81 GiB", "−16 B".
std::string format_bytes(int64_t bytes);
// Of at least 0, in powers of 1000, as vendors and nccl-tests give bandwidths: "155 GB/s".
std::string format_byte_rate(double bytes_per_second);
// Of at least 0, in powers of 1000: "17.2 GFLOP".
std::string format_flop(double flop);

}  // namespace dlview::base
