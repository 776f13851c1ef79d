// Clocks: how the times of ranks relate (docs/dev/spec.md, ranks.clock). Ranks on one host have the
// clock of the machine; others are aligned by the ends of collectives that nobody can leave before
// all have come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/run_summary.h"

namespace dlview::ranks {

enum class ClockBy : uint8_t {
  reference,     // the clock of the lowest rank, to which others are related
  same_file,     // one file has one clock
  system_clock,  // of the host, since it was started
  utc_of_host,   // the wall clock of the host
  collectives,
  utc,   // wall clocks of different hosts: milliseconds
  none,  // nothing relates them
};
std::string_view to_text(ClockBy by);

struct ClockFit {
  ClockBy by = ClockBy::none;
  int64_t offset_ns = 0;  // to be added to a time of the rank, at `at_ns`
  // Added for each ns after `at_ns`; 0 unless the capture is long enough to see it.
  double drift = 0;
  int64_t at_ns = 0;
  int64_t error_ns = 0;  // nothing shorter than three errors is a skew
  int64_t pairs = 0;     // of collectives that were used
  // Why it may be wrong: "the last member of 3 collectives left before the first came"; empty =
  // nothing.
  std::string note;
  // That the calls it was checked by may be different ones: "only 90.0% of 100 collectives end
  // together: calls may be mismatched"; empty = nothing.
  std::string doubt;

  int64_t to_reference(int64_t time_ns) const;
};

struct Clocks {
  std::vector<ClockFit> fits;  // by parts of the summary
  // Groups whose calls were matched by their place and do not end together: they may be different
  // ones.
  std::set<std::string> mismatched;
  // Iterations of other such groups in which a call does not end together with that of its place.
  std::map<std::string, std::set<int64_t>> apart;
};
// Costs the samples of the parts, sorted once for each group.
Clocks align_clocks(const RunSummary& summary);

// "by host clock, below 1 µs", "by 412 collectives, 8 µs".
std::string describe(const ClockFit& fit);

}  // namespace dlview::ranks
