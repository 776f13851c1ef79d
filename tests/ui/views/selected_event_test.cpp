// What is told of a selected kernel against a look at all kernels.

#include "ui/views/timeline/selected_event.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "ui/timeline/lanes_support.h"
#include "ui/views/timeline/event_details.h"

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

// Where there are many it is found beside the frame.
TEST(SelectedEvent, AsLongAsNothingIsKnownNoRankIsTold) {
  const auto lanes = testing::random_lanes({.seed = 6});
  const auto profile =
      std::make_shared<const profile::Profile>(testing::random_profile({.seed = 6}));
  const auto answer = aggregate::make_cpu_aggregator(profile)->aggregate({{}, {0, 0}});
  const timeline::EventRef kernel{timeline::EventKind::kernel, 5};
  const auto place = timeline::find_place(*lanes, kernel);
  ASSERT_TRUE(place);
  const auto has_rank = [&](const SelectedEvent& selected) {
    const auto details = prepare_event_details(*lanes, answer, nullptr, *place, selected);
    return std::ranges::count(details.facts, "same_name", &EventDetails::Fact::id) == 1;
  };
  EXPECT_FALSE(SelectedEvent().is_known());
  EXPECT_FALSE(has_rank(SelectedEvent()));
  EXPECT_TRUE(has_rank(SelectedEvent(*profile, kernel)));
}

}  // namespace
}  // namespace dlview::ui
