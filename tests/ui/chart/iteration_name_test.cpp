#include "ui/chart/iteration_name.h"

#include <gtest/gtest.h>

#include "support/sketch.h"

namespace dlview::ui {
namespace {

using aggregate::CutKind;
using aggregate::Iterations;

// Three steps of 60 ns from 100, 200 and 300 ns on, each with an op that begins with it.
profile::Profile steps() {
  testing::Sketch sketch;
  const auto op = sketch.op("forward");
  for (const int64_t start : {100, 200, 300}) {
    sketch.instance(op, start, start + 40);
    sketch.user_range("/step", start, start + 60);
  }
  sketch.instance(sketch.op("save"), 380, 390);
  return *sketch.finish();
}

std::vector<std::string_view> notes(const profile::Profile& profile, const aggregate::Cut& cut) {
  const Iterations iterations = aggregate::cut_iterations(profile, cut);
  std::vector<std::string_view> notes;
  for (std::size_t i = 0; i < iterations.rows.size(); ++i) {
    notes.push_back(edge_note(profile, iterations, static_cast<int64_t>(i)));
  }
  return notes;
}

using Notes = std::vector<std::string_view>;

TEST(RangeText, TellsOneIterationOrBothBounds) {
  EXPECT_EQ(range_text({3, 3}), "iteration 3");
  EXPECT_EQ(range_text({3, 4}), "iterations 3–4");
}

TEST(EdgeNote, SaysThatTheCaptureBoundsTheFirstAndLast) {
  profile::Profile profile = steps();
  const Notes whole{"Begins with the capture, not with a step", "", "",
                    "Ends with the capture; may be incomplete"};
  EXPECT_EQ(notes(profile, {CutKind::start, "forward", 0}), whole);
  EXPECT_EQ(notes(profile, {CutKind::end, "forward", 0}), whole);
  profile.first_ns = 90;  // the late part of a longer capture
  EXPECT_EQ(notes(profile, {CutKind::start, "forward", 0}).front(),
            "Begins with the first op of the capture");
}

TEST(EdgeNote, TellsWhichIterationOfACutAtRangesIsItsRangeAlone) {
  const profile::Profile profile = steps();
  EXPECT_EQ(notes(profile, {CutKind::start, "step", 0}),
            (Notes{"", "", "Ends with its marker, not at the next iteration"}));
  EXPECT_EQ(notes(profile, {CutKind::end, "step", 0}),
            (Notes{"Begins with its marker, not after the previous iteration", "", ""}));
}

// The host runs ahead, and the first kernel waits for what was launched before the capture.
TEST(EdgeNote, TellsWhereTheGpuMovesAnEdge) {
  testing::Sketch sketch;
  const auto op = sketch.op("forward");
  for (int64_t i = 0; i < 3; ++i) {
    sketch.user_range("/step", 10 * i, 10 * i + 8);
    const int64_t start = 2'000'000 + 30 * i;  // after 2 ms in the queue
    sketch.kernel(sketch.instance(op, 10 * i + 2, 10 * i + 3), start, start + 30);
  }
  const auto profile = sketch.finish();
  const aggregate::Cut cut{.key_op = "step", .split_by = aggregate::SplitBy::gpu};
  EXPECT_EQ(notes(*profile, cut),
            (Notes{"Begins when earlier GPU activity ended, not with its marker", "",
                   "Ends with its last kernel, not at the next iteration"}));
}

TEST(EdgeNote, IsEmptyWhereNothingWasCut) {
  EXPECT_EQ(notes(steps(), {CutKind::start, "", 0}), Notes{""});
}

}  // namespace
}  // namespace dlview::ui
