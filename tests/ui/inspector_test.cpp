#include <gtest/gtest.h>

#include "ui/look.h"

namespace dlview::ui {
namespace {

TEST(Inspector, HoldsOnlyWhatTheLastFrameShowed) {
  Inspector inspector;
  inspector.record_value("a", "1");
  inspector.record_item("b", {1, 2, 3, 4});
  inspector.begin_frame();
  EXPECT_TRUE(inspector.values().empty());
  EXPECT_TRUE(inspector.items().empty());
}

TEST(Inspector, KeepsTheLastValueOfAName) {
  Inspector inspector;
  inspector.record_value("a", "1");
  inspector.record_value("a", "2");
  EXPECT_EQ(inspector.values().at("a"), "2");
}

}  // namespace
}  // namespace dlview::ui
