#include "ui/table/column_layout.h"

#include <random>
#include <set>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

namespace dlview::ui {
namespace {

using ::testing::ElementsAre;

std::vector<ColumnLook> looks() {
  std::vector<ColumnLook> looks(3);
  looks[0].width = 100;
  looks[1].width = 50;
  looks[1].share = 1;
  looks[2].width = 60;
  return looks;
}

std::vector<float> widths(const ColumnLayout& layout, float available) {
  std::vector<float> widths;
  for (const auto& placed : layout.place(available, 1, 10).columns) widths.push_back(placed.width);
  return widths;
}

std::vector<std::size_t> shown(const ColumnLayout& layout) {
  std::vector<std::size_t> columns;
  for (const auto& placed : layout.place(400, 1, 10).columns) columns.push_back(placed.column);
  return columns;
}

TEST(ColumnLayout, AColumnWithAShareTakesWhatIsLeft) {
  const auto placement = ColumnLayout(looks()).place(400, 1, 10);
  EXPECT_EQ(placement.columns[1].width, 220);
  EXPECT_EQ(placement.columns[2].left, 340);
  EXPECT_EQ(placement.width, 400);
}

TEST(ColumnLayout, ScrollsOffWhatDoesNotFit) {
  const ColumnLayout layout(looks());
  const auto start = layout.place(150, 1, 10);
  ASSERT_EQ(start.columns.size(), 1u);
  EXPECT_EQ(start.after, 2u);
  EXPECT_EQ(start.width, 150) << "the column in view takes what is left";
  const auto end = layout.place(150, 1, 10, start.most_scroll());
  ASSERT_EQ(end.columns.size(), 2u);
  EXPECT_EQ(end.columns[1].column, 2u);
  EXPECT_EQ(end.before, 1u);
  EXPECT_EQ(end.after, 0u);
}

TEST(ColumnLayout, KeepsTheFrozenColumnWhileOthersScroll) {
  const ColumnLayout layout(looks(), 1);
  EXPECT_THAT(layout.order(), ElementsAre(1, 0, 2));
  const auto start = layout.place(200, 1, 10);
  ASSERT_EQ(start.columns.size(), 2u);
  EXPECT_TRUE(start.is_frozen);
  EXPECT_EQ(start.columns[0].column, 1u);
  EXPECT_EQ(start.columns[0].width, 90) << "names take what the others leave";
  const auto end = layout.place(200, 1, 10, start.most_scroll());
  EXPECT_EQ(end.columns[0].column, 1u);
  EXPECT_EQ(end.columns[0].width, 90) << "and keep it";
  EXPECT_EQ(end.columns[1].column, 2u);
}

TEST(ColumnLayout, ANarrowTableStillShowsAColumn) {
  const ColumnLayout layout(looks(), 1);
  for (const float available : {60.0f, 10.0f, 0.0f, -20.0f}) {
    const auto placement = layout.place(available, 1, 10);
    EXPECT_EQ(placement.columns.size(), 2u) << available;
  }
}

// Whatever the widths are, nothing lies beyond the right edge, and every column is reached.
TEST(ColumnLayout, CutsNoColumnAtTheEdge) {
  std::mt19937 random(7);
  for (int run = 0; run < 300; ++run) {
    std::vector<ColumnLook> many(2 + random() % 12);
    for (ColumnLook& look : many) {
      look.width = 30 + static_cast<float>(random() % 150);
      look.share = random() % 3 == 0 ? 1 : 0;
    }
    const ColumnLayout layout(many, run % 2 == 0 ? kNoColumn : random() % many.size());
    const float available = 220 + static_cast<float>(random() % 700);
    std::set<std::size_t> reached;
    std::vector<float> stops = layout.place(available, 1, 16).stops;
    if (stops.empty()) stops.push_back(0);
    for (const float stop : stops) {
      const auto placement = layout.place(available, 1, 16, stop);
      EXPECT_EQ(placement.width, available) << run;
      EXPECT_EQ(placement.before + placement.after + placement.columns.size(), many.size());
      for (const auto& placed : placement.columns) reached.insert(placed.column);
    }
    EXPECT_EQ(reached.size(), many.size()) << run;
  }
}

TEST(ColumnLayout, AColumnGrowsNoWiderThanItsTexts) {
  ColumnLayout layout(looks());
  layout.set_content(1, 90);
  const auto placement = layout.place(400, 1, 10);
  EXPECT_LT(placement.columns[1].width, 150);
  EXPECT_EQ(placement.width, 400) << "the others share the rest";
}

TEST(ColumnLayout, NamesGetWhatNumbersDoNotNeed) {
  ColumnLayout layout(looks());
  layout.set_content(1, 100);
  layout.set_need(0, 60);
  layout.set_need(2, 50);
  EXPECT_THAT(widths(layout, 300), ElementsAre(107, 108, 65)) << "there is enough for all";
  EXPECT_THAT(widths(layout, 260), ElementsAre(84, 100, 56)) << "80 and 20 of 100 lacking 20";
  EXPECT_THAT(widths(layout, 232), ElementsAre(62, 99, 51));
  EXPECT_THAT(widths(layout, 230), ElementsAre(60, 100, 50));
  layout.set_width(0, 100);
  EXPECT_THAT(widths(layout, 230), ElementsAre(100, 60, 50)) << "the user chose the first one";
}

TEST(ColumnLayout, WidthsFollowTheScale) {
  const ColumnLayout layout(looks());
  EXPECT_EQ(layout.place(800, 2, 20).columns[0].width,
            2 * layout.place(400, 1, 10).columns[0].width);
}

TEST(ColumnLayout, HidesConstantColumnsUntilTheUserChooses) {
  ColumnLayout layout(looks());
  layout.set_constant(2, true);
  EXPECT_THAT(shown(layout), ElementsAre(0, 1));
  EXPECT_TRUE(layout.is_hidden_as_constant(2));
  layout.show(2, true);
  EXPECT_THAT(shown(layout), ElementsAre(0, 1, 2));
  layout.show(2, false);
  layout.set_constant(2, false);
  EXPECT_THAT(shown(layout), ElementsAre(0, 1));
  EXPECT_FALSE(layout.is_hidden_as_constant(2));
  layout.reset();
  EXPECT_THAT(shown(layout), ElementsAre(0, 1, 2));
}

TEST(ColumnLayout, FreezesTheFirstColumnOfNames) {
  TableLook look;
  look.key = report::ColumnName(std::string_view("number"));
  look.columns = {{.id = "time"}, {.id = "number"}, {.id = "name"}};
  EXPECT_EQ(frozen_column(look), 1u) << "the key, without names";
  look.columns[2].code = true;
  EXPECT_EQ(frozen_column(look), 2u);
  look.frozen = "time";
  EXPECT_EQ(frozen_column(look), 0u);
  look.columns.clear();
  EXPECT_EQ(frozen_column(look), kNoColumn);
}

TEST(ColumnLayout, AWidthSetByHandStays) {
  ColumnLayout layout(looks());
  layout.set_width(1, 80);
  EXPECT_EQ(layout.place(400, 1, 10).columns[1].width, 80);
}

TEST(ColumnLayout, ColumnsMoveBeforeOthers) {
  ColumnLayout layout(looks());
  layout.move(2, 0);
  EXPECT_THAT(shown(layout), ElementsAre(2, 0, 1));
  layout.move(2, 3);
  EXPECT_THAT(shown(layout), ElementsAre(0, 1, 2));
  layout.move(0, 2);
  EXPECT_THAT(shown(layout), ElementsAre(1, 0, 2));
  layout.move(0, 1);
  EXPECT_THAT(shown(layout), ElementsAre(1, 0, 2)) << "before itself is where it was";
}

TEST(ColumnLayout, NothingMovesBeforeTheFrozenColumn) {
  ColumnLayout layout(looks(), 1);
  layout.move(2, 0);
  EXPECT_THAT(shown(layout), ElementsAre(1, 2, 0));
  layout.move(1, 3);
  EXPECT_THAT(shown(layout), ElementsAre(1, 2, 0));
}

TEST(ColumnLayout, OmitsColumnsThatDoNotApply) {
  ColumnLayout layout(looks());
  layout.set_applies(1, false);
  EXPECT_THAT(shown(layout), ElementsAre(0, 2));
  EXPECT_FALSE(layout.is_exported(1));
  layout.show(1, true);
  EXPECT_THAT(shown(layout), ElementsAre(0, 2)) << "the reader's choice waits";
  layout.set_applies(1, true);
  EXPECT_THAT(shown(layout), ElementsAre(0, 1, 2));
  EXPECT_TRUE(layout.is_exported(1));
}

TEST(ColumnLayout, KeepsAtLeastOneColumnVisible) {
  ColumnLayout layout(looks());
  layout.show(0, false);
  EXPECT_THAT(shown(layout), ElementsAre(1, 2));
  layout.show(1, false);
  layout.show(2, false);
  EXPECT_THAT(shown(layout), ElementsAre(2));
  layout.show(0, true);
  EXPECT_THAT(shown(layout), ElementsAre(0, 2));
}

}  // namespace
}  // namespace dlview::ui
