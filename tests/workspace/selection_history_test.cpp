#include "workspace/selection_history.h"

#include <gtest/gtest.h>

namespace dlview::workspace {
namespace {

aggregate::Selection at(int64_t first) {
  return {{aggregate::CutKind::start, "step", 0}, {first, 99}};
}

TEST(SelectionHistory, GoesBackAndForthThroughWhatWasVisited) {
  SelectionHistory history;
  history.begin(at(0));
  EXPECT_FALSE(history.can_go_back());
  EXPECT_EQ(history.back(), nullptr);
  history.visit(at(1), 1);
  history.visit(at(2), 2);
  EXPECT_EQ(*history.back(), at(1));
  EXPECT_EQ(*history.back(), at(0));
  EXPECT_EQ(history.back(), nullptr);
  EXPECT_EQ(*history.forward(), at(1));
  EXPECT_EQ(*history.forward(), at(2));
  EXPECT_EQ(history.forward(), nullptr);
}

TEST(SelectionHistory, TakesADragAsOneStep) {
  SelectionHistory history;
  history.begin(at(0));
  for (int64_t first = 1; first <= 20; ++first) history.visit(at(first), 7);
  EXPECT_EQ(*history.back(), at(0));
  EXPECT_EQ(*history.forward(), at(20));
}

TEST(SelectionHistory, AGestureThatWasEndedGetsNoMoreOfWhatFollows) {
  SelectionHistory history;
  history.begin(at(0));
  history.visit(at(1), 7);
  history.end_gesture();
  history.visit(at(2), 7);
  EXPECT_EQ(*history.back(), at(1));
}

TEST(SelectionHistory, ForgetsWhatLayAheadOfANewSelection) {
  SelectionHistory history;
  history.begin(at(0));
  history.visit(at(1), 1);
  history.back();
  history.visit(at(2), 2);
  EXPECT_FALSE(history.can_go_forward());
  EXPECT_EQ(*history.back(), at(0));
}

TEST(SelectionHistory, KeepsTheRestoredStepDuringItsGesture) {
  SelectionHistory history;
  history.begin(at(0));
  history.visit(at(1), 1);
  history.back();
  history.visit(at(2), 1);
  EXPECT_EQ(*history.back(), at(0));
}

TEST(SelectionHistory, PassesOverTheSelectionThatIsThere) {
  SelectionHistory history;
  history.begin(at(0));
  history.visit(at(0), 1);
  EXPECT_FALSE(history.can_go_back());
}

TEST(SelectionHistory, ForgetsTheOldestStepsInTheEnd) {
  SelectionHistory history;
  history.begin(at(0));
  for (int64_t i = 1; i <= 2000; ++i) history.visit(at(i), i);
  int steps = 0;
  while (history.back() != nullptr) ++steps;
  EXPECT_EQ(steps, 499);
}

}  // namespace
}  // namespace dlview::workspace
