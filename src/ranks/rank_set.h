// A set of ranks: "0:31,40".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace dlview::ranks {

class RankSet {
 public:
  RankSet() = default;
  explicit RankSet(const std::vector<int64_t>& ranks);
  void add(int64_t first, int64_t last);  // both included, below the greatest number

  bool empty() const { return spans_.empty(); }
  bool contains(int64_t rank) const;
  RankSet without(const RankSet& other) const;
  std::string text() const;   // as parse_rank_set() reads it
  std::string brief() const;  // for reading, "0–31, 40": the first spans of many
  bool operator==(const RankSet&) const = default;

 private:
  std::vector<std::pair<int64_t, int64_t>> spans_;  // both included, ascending, apart
};

// Numbers and spans of them, in any order.
base::Result<RankSet> parse_rank_set(std::string_view text);

}  // namespace dlview::ranks
