#include "aggregate/bursts.h"

#include <algorithm>

namespace dlview::aggregate {
namespace {

constexpr int64_t kPause = 4;  // times the median distance
constexpr std::size_t kFewestBursts = 3;

int64_t median_distance(const std::vector<int64_t>& starts) {
  std::vector<int64_t> distances;
  distances.reserve(starts.size() - 1);
  for (std::size_t i = 1; i < starts.size(); ++i) distances.push_back(starts[i] - starts[i - 1]);
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>((distances.size() - 1) / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

}  // namespace

int64_t burst_size(const std::vector<int64_t>& starts_ns) {
  if (starts_ns.size() < 2 * kFewestBursts) return 1;
  const int64_t pause = kPause * median_distance(starts_ns);
  std::vector<int64_t> sizes{1};
  for (std::size_t i = 1; i < starts_ns.size(); ++i) {
    if (starts_ns[i] - starts_ns[i - 1] > pause) {
      sizes.push_back(1);
    } else {
      ++sizes.back();
    }
  }
  if (sizes.size() < kFewestBursts) return 1;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const int64_t usual = *middle;
  const auto alike = static_cast<std::size_t>(std::count(sizes.begin(), sizes.end(), usual));
  return usual <= kLongestBurst && 5 * alike >= 4 * sizes.size() ? usual : 1;
}

}  // namespace dlview::aggregate
