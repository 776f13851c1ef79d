// What is told of a selected kernel against a look at all kernels.

#include "ui/views/timeline/selected_event.h"

#include <random>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "support/random_profile.h"

namespace dlview::ui {
namespace {

TEST(SelectedEvent, CountsKernelsOfItsNameInTheRangeAndTellsItsRank) {
  const auto profile = std::make_shared<const profile::Profile>(
      testing::random_profile({.seed = 6, .kernels = 700}));
  const auto engine = aggregate::make_cpu_aggregator(profile);
  const aggregate::Cut cut{aggregate::CutKind::start, std::string(testing::kRandomKeyOp), 0};
  const profile::Kernels& kernels = profile->kernels;
  const auto length = [&kernels](profile::Row row) {
    return kernels.gpu_stop_ns[row] - kernels.gpu_start_ns[row];
  };
  std::mt19937_64 random(2);
  for (int round = 0; round < 300; ++round) {
    const auto kernel = static_cast<profile::Row>(random() % kernels.size());
    const auto first = static_cast<int64_t>(random() % 4);
    const auto answer =
        engine->aggregate({cut, {first, first + static_cast<int64_t>(random() % 4)}});
    const auto& rows = answer.iteration_table->iterations.rows;
    const auto range = answer.selection.range;
    const auto& first_kernel = profile->instances.first_kernel;
    const profile::Row begin =
        first_kernel[rows[static_cast<std::size_t>(range.first)].first_instance];
    const profile::Row end = first_kernel[rows[static_cast<std::size_t>(range.last)].last_instance];
    int64_t count = 0, longer = 0;
    for (profile::Row row = begin; row < end; ++row) {
      if (kernels.name[row] != kernels.name[kernel]) continue;
      ++count;
      longer += length(row) > length(kernel) ? 1 : 0;
    }
    const bool is_inside = kernel >= begin && kernel < end;
    const SelectedEvent selected(*profile, {timeline::EventKind::kernel, kernel});
    const SameName same = selected.same_name(*profile, answer);
    ASSERT_EQ(same.count, count);
    ASSERT_EQ(same.rank, is_inside ? longer + 1 : 0);
  }
}

}  // namespace
}  // namespace dlview::ui
