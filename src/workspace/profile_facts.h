// What the list of recent profiles shows of a file without opening it: its GPUs, its length and a
// small picture of its iterations. A few hundred bytes of text, stored with the file's state.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"

namespace dlview::workspace {

// The iterations as stacked bars. Where there are more than kMostBars, a bar shows the longest of
// its iterations, so that no spike is lost.
struct ProfilePicture {
  static constexpr std::size_t kMostBars = 96;
  static constexpr int kHeight = 63;  // of a bar that fills the picture

  // Heights of the categories, in their order; their sum is at most kHeight.
  using Bar = std::array<uint8_t, aggregate::kCategoryCount>;
  std::vector<Bar> bars;
  bool operator==(const ProfilePicture&) const = default;
};

// Bars higher than four times the median are cut off: one slow iteration must not flatten all
// others. Takes one pass over the iterations.
ProfilePicture make_picture(const aggregate::IterationTable& table);

// A letter for each height. Text that is damaged gives an empty picture.
std::string to_text(const ProfilePicture& picture);
ProfilePicture parse_picture(std::string_view text);

struct ProfileFacts {
  int64_t opened_s = 0;     // UNIX time; 0 = unknown
  std::string gpus;         // "4× NVIDIA A100"; empty = not recorded
  int64_t duration_ns = 0;  // 0 = unknown
  int64_t iterations = 0;   // 0 = unknown, 1 = the run is not split
  ProfilePicture picture;
  bool operator==(const ProfileFacts&) const = default;
};

ProfileFacts facts_of(const profile::Profile& profile, const aggregate::IterationTable& table,
                      int64_t opened_s);

// "NVIDIA H100", "4× NVIDIA A100" or "2 GPUs"; empty = no GPU is recorded.
std::string gpus_text(const profile::Profile& profile);

}  // namespace dlview::workspace
