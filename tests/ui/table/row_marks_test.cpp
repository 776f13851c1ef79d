#include <random>
#include <set>

#include <gtest/gtest.h>

#include "ui/table/table_model.h"

namespace dlview::ui {
namespace {

TEST(RowMarks, AgreeWithASetOfPlaces) {
  std::mt19937 random(3);
  RowMarks marks;
  std::set<std::size_t> places;
  for (int step = 0; step < 2000; ++step) {
    const std::size_t place = random() % 60;
    if (random() % 3 == 0) {
      const std::size_t last = place + random() % 8;
      marks.add(place, last);
      for (std::size_t i = place; i <= last; ++i) places.insert(i);
    } else {
      marks.toggle(place);
      if (places.erase(place) == 0) places.insert(place);
    }
    ASSERT_EQ(marks.count(), places.size());
    for (std::size_t i = 0; i < 70; ++i) ASSERT_EQ(marks.contains(i), places.contains(i)) << i;
  }
}

TEST(RowMarks, RunsThatTouchAreOne) {
  RowMarks marks;
  marks.add(5, 9);
  marks.add(0, 4);
  EXPECT_EQ(marks.runs().size(), 1u);
  marks.toggle(5);
  EXPECT_EQ(marks.runs().size(), 2u);
}

TEST(RowMarks, TenMillionMarksAreOneRun) {
  RowMarks marks;
  marks.add(0, 9'999'999);
  EXPECT_EQ(marks.count(), 10'000'000u);
  EXPECT_EQ(marks.runs().size(), 1u);
}

}  // namespace
}  // namespace dlview::ui
