// The panel of differences below two iterations side by side, on Dear ImGui alone: how high it is,
// and when it is folded away.

#include <set>
#include <string>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/views/side_by_side_fixture.h"

namespace dlview::ui {
namespace {

constexpr const char* kEdge = "timeline/differences_edge";
constexpr const char* kRows = "differing_ops/showing";

class SideBySidePanelTest : public SideBySideTest {
 protected:
  void set_height(float height) {
    ImGui::GetIO().DisplaySize.y = height;
    frames(2);
  }
  float edge() const { return item(kEdge).top; }
  void drag_edge_to(float y) {
    move_to(kEdge);
    press(true);
    move_to(ImGui::GetIO().MousePos.x, y);
    frame();
    press(false);
  }
  // So many lanes that the bands take all they get.
  void begin_on_many_gpus() {
    constexpr int kGpus = 12;
    testing::Sketch sketch(kGpus);
    const auto step = sketch.op("train/step");
    const auto conv = sketch.op("net/conv");
    for (int64_t at = 100; at < 500; at += 100) {
      sketch.instance(step, at, at + 90);
      const auto instance = sketch.instance(conv, at + 10, at + 20);
      for (profile::Row gpu = 0; gpu < kGpus; ++gpu) sketch.kernel(instance, at, at + 50, gpu);
    }
    show(sketch.finish(), "train/step");
    begin(1, 2);
  }
};

TEST_F(SideBySidePanelTest, AClickOnItsEdgeChangesNothing) {
  begin_on_many_gpus();
  const float first = edge();
  set_height(500);
  click(kEdge);
  set_height(800);
  EXPECT_EQ(edge(), first);
}

TEST_F(SideBySidePanelTest, ShowsAllTimesInOneUnit) {
  testing::Sketch sketch;
  const auto step = sketch.op("train/step");
  const auto conv = sketch.op("net/conv"), relu = sketch.op("net/relu");
  constexpr int64_t kApart = 100'000'000;
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t at = (i + 1) * kApart;
    sketch.instance(step, at, at + 1'000);
    sketch.instance(conv, at + 2'000, at + 10'002'000 + i * 5'000'000);
    sketch.instance(relu, at + 50'000'000, at + 50'400'000 + i * 90'000);
  }
  sketch.instance(step, 4 * kApart, 4 * kApart + 1'000);
  show(sketch.finish(), "train/step");
  begin(2, 1);       // iteration 0 is before the first step: its times are all 0, a hidden column
  set_height(1600);  // all rows are shown
  std::set<std::string> units;
  std::set<std::size_t> decimals;
  for (const char* op : {"0", "1"}) {
    for (const char* column : {"ns", "against_ns", "difference_ns"}) {
      const std::string text = value(fmt::format("differing_ops/rows/{}/{}", op, column));
      const std::size_t space = text.find(base::kThinSpace), dot = text.find('.');
      ASSERT_NE(space, std::string::npos) << text;
      ASSERT_NE(dot, std::string::npos) << text;
      units.insert(text.substr(space));
      decimals.insert(space - dot);
    }
  }
  EXPECT_EQ(units.size(), 1U) << "ms in each row";
  EXPECT_EQ(decimals.size(), 1U);
}

TEST_F(SideBySidePanelTest, IsShownInALowWindow) {
  begin_on_many_gpus();
  for (const float height : {420.0f, 360.0f, 330.0f}) {
    set_height(height);
    EXPECT_NE(value(kRows), "(none)") << height;
    EXPECT_LT(edge(), height - 100) << height;
  }
}

TEST_F(SideBySidePanelTest, FoldedAwayItStaysSoWhenTheWindowGrows) {
  begin_on_many_gpus();
  drag_edge_to(720);
  EXPECT_EQ(value(kRows), "(none)");
  set_height(1800);
  EXPECT_EQ(value(kRows), "(none)");
  drag_edge_to(1200);
  EXPECT_NE(value(kRows), "(none)");
}

TEST_F(SideBySidePanelTest, WhatALayoutCannotGiveIsNotKeptForAnother) {
  begin(10, 4);
  set_height(1200);
  const float before = edge();
  drag_edge_to(1190);
  EXPECT_EQ(edge(), before) << "all lanes are there";
  set_height(450);
  EXPECT_NE(value(kRows), "(none)");
}

}  // namespace
}  // namespace dlview::ui
