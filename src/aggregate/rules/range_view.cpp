#include "aggregate/rules/range_view.h"

#include <numeric>

#include "aggregate/steady.h"

namespace dlview::aggregate {

Savings RangeView::savings(const PerIteration& ns) const {
  constexpr std::size_t kWorst = 3;
  Savings result;
  result.mean_ns = std::accumulate(ns.begin(), ns.end(), int64_t{0}) / size();
  result.median_ns = median_of(ns);
  result.iterations = std::ranges::count_if(ns, [](int64_t each) { return each > 0; });
  std::vector<int64_t> order(ns.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto worst = std::min({kWorst, ns.size(), static_cast<std::size_t>(result.iterations)});
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(worst),
                            [&](int64_t a, int64_t b) {
                              const int64_t of_a = ns[static_cast<std::size_t>(a)],
                                            of_b = ns[static_cast<std::size_t>(b)];
                              return of_a != of_b ? of_a > of_b : a < b;
                            });
  for (std::size_t i = 0; i < worst; ++i) result.worst.push_back(order[i] + range_.first);
  return result;
}

}  // namespace dlview::aggregate
