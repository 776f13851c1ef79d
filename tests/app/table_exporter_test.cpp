#include "app/table_exporter.h"

#include <filesystem>
#include <memory>
#include <new>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/random_profile.h"
#include "support/test_data.h"
#include "ui/table/row_order.h"

namespace dlview::app {
namespace {

TEST(TableExporter, TellsOfATableThatCannotBeWritten) {
  auto data = std::make_shared<ui::TableData>();
  data->profile = std::make_shared<const profile::Profile>(testing::random_profile({.seed = 5}));
  data->table.row_count = 1;
  data->table.columns.push_back(report::text_column(
      "name", "Name", [](std::size_t) -> report::Cell { throw std::bad_alloc(); }));
  auto rows = std::make_shared<ui::ShownRows>();
  rows->data = std::move(data);
  rows->rows = {0};

  const testing::TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  base::Scheduler scheduler;
  TableExporter exporter(scheduler);
  ui::TableExport what;
  what.name = "names";
  what.rows = std::move(rows);
  what.columns = {0};
  exporter.write(what);
  exporter.settle();
  std::filesystem::current_path(before);
  const TableExporter::News news = exporter.take_news();
  EXPECT_THAT(news.problems, ::testing::HasSubstr("Not enough memory"));
  EXPECT_EQ(news.saved, "");
  EXPECT_EQ(exporter.take_news().problems, "") << "once";
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace dlview::app
