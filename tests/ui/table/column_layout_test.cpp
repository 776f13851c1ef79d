#include <gmock/gmock.h>

#include "ui/table/table_draw.h"

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

TEST(ColumnLayout, NarrowerThanTheirWidthsTheyScrollSideways) {
  const auto placement = ColumnLayout(looks()).place(150, 1, 10);
  EXPECT_EQ(placement.columns[1].width, 50);
  EXPECT_EQ(placement.width, 230);
}

TEST(ColumnLayout, WidthsFollowTheScale) {
  EXPECT_EQ(ColumnLayout(looks()).place(150, 2, 20).width, 460);
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

TEST(ColumnLayout, HiddenColumnsLeaveTheirPlaceToTheOthersButOneStays) {
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
