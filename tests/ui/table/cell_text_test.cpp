#include <gtest/gtest.h>

#include "base/units.h"
#include "ui/table/table_data.h"

namespace dlview::ui {
namespace {

using aggregate::Unit;

report::Cell nothing(std::size_t) {
  return {};
}

TEST(CellText, TimesHaveThreeDigitsAndAUnitOrEveryDigit) {
  const report::Column time = report::integer_column("t", "T", Unit::ns, nothing);
  const report::Cell cell = int64_t{13'820'000'123};
  EXPECT_EQ(cell_text(time, cell, Digits::few), "13.8\u202fs");
  EXPECT_EQ(cell_text(time, cell, Digits::all), "13,820,000,123");
  EXPECT_EQ(full_cell_text(time, cell), "13,820,000,123\u202fns");
}

TEST(CellText, InstantsAreToldToTheMicrosecond) {
  const report::Column time = report::integer_column("t", "T", Unit::ns, nothing);
  EXPECT_EQ(cell_text(time, int64_t{83'013'820'004'999}, Digits::instant),
            "83,013.820\u202f004\u202fs");
  EXPECT_EQ(cell_text(time, int64_t{0}, Digits::instant), "0");
}

TEST(CellText, IdentifiersAreNotGrouped) {
  const report::Column id = report::integer_column("i", "I", Unit::none, nothing);
  EXPECT_EQ(cell_text(id, int64_t{123456}, Digits::few), "123456");
}

TEST(CellText, WhatWasNotRecordedIsNoZero) {
  const report::Column time = report::integer_column("t", "T", Unit::ns, nothing);
  EXPECT_EQ(cell_text(time, {}, Digits::few), "–");
  EXPECT_EQ(full_cell_text(time, {}), "–");
}

TEST(CellText, MeansOfSizesAreTheirUnitsAndNeverPowersOfTen) {
  const report::Column size = report::real_column("s", "S", Unit::bytes, nothing);
  EXPECT_EQ(cell_text(size, 8'157'143.25, Digits::few), base::format_bytes(8'157'143));
  EXPECT_EQ(cell_text(size, 8'157'143.25, Digits::all), "8,157,143");
  const report::Column count = report::real_column("c", "C", Unit::count, nothing);
  EXPECT_EQ(cell_text(count, 12'345.6, Digits::few), "12,346");
  EXPECT_EQ(cell_text(count, 2.25, Digits::few), "2.25");
  const report::Column time = report::real_column("t", "T", Unit::ns, nothing);
  EXPECT_EQ(cell_text(time, 1'234'567.8, Digits::all), "1,234,568");
  EXPECT_EQ(cell_text(time, 123.45, Digits::all), "123.45");
}

}  // namespace
}  // namespace dlview::ui
