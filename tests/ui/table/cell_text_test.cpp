#include "ui/table/cell_text.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(cell_text(time, cell, Digits::all), "13\u202f820\u202f000\u202f123");
  EXPECT_EQ(full_cell_text(time, cell), "13\u202f820\u202f000\u202f123\u202fns");
}

TEST(CellText, InstantsAreToldToTheMicrosecond) {
  const report::Column time = report::integer_column("t", "T", Unit::ns, nothing);
  EXPECT_EQ(cell_text(time, int64_t{83'013'820'004'999}, Digits::instant),
            "83\u202f013.820\u202f004\u202fs");
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

}  // namespace
}  // namespace dlview::ui
