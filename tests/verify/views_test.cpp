// Every SQL view of a DLProf database against the table of the same name: the same columns in the
// same order, the same rows as a multiset, cell by cell.

#include "report/views/views.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/iterations.h"
#include "base/progress.h"
#include "generate/dlprof.h"
#include "import/open.h"
#include "import/sqlite/database.h"
#include "report/cell_text.h"
#include "support/test_data.h"

namespace dlview::verify {
namespace {

using aggregate::Aggregation;
using import::sqlite::Database;
using import::sqlite::Statement;
using profile::Profile;
using report::Cell;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::string_view kViewPrefix = "view_";

struct SqlView {
  std::vector<std::string> columns;
  Rows rows;  // sorted
};

struct Opened {
  base::Progress progress;
  std::shared_ptr<const Profile> profile;
  std::unique_ptr<Database> database;

  explicit Opened(const std::filesystem::path& path) {
    auto loaded = import::open_profile(path, progress);
    if (!loaded) throw std::runtime_error(base::to_text(loaded.error()));
    profile = std::make_shared<const Profile>(*std::move(loaded));
    auto connection = import::sqlite::open_read_only(path, progress);
    if (!connection) throw std::runtime_error(base::to_text(connection.error()));
    database = std::make_unique<Database>(*std::move(connection));
  }

  std::vector<std::string> texts(const std::string& sql) const {
    auto statement = database->prepare(sql);
    if (!statement) throw std::runtime_error(base::to_text(statement.error()));
    std::vector<std::string> found;
    while (statement->next()) found.emplace_back(statement->text(0));
    return found;
  }

  std::vector<std::string> view_names() const {
    return texts("SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name");
  }

  SqlView read(const std::string& view, int64_t aggregation_id) const {
    SqlView result;
    result.columns = texts("SELECT name FROM pragma_table_info('" + view + "') ORDER BY cid");
    const bool has_aggregations =
        view != "view_aggregations" &&
        std::find(result.columns.begin(), result.columns.end(), "aggr_id") != result.columns.end();
    std::string sql = "SELECT * FROM " + view;
    if (has_aggregations) sql += " WHERE aggr_id = " + std::to_string(aggregation_id);
    auto statement = database->prepare(sql);
    if (!statement) throw std::runtime_error(base::to_text(statement.error()));
    while (statement->next()) result.rows.push_back(texts_of(*statement));
    EXPECT_TRUE(statement->status().ok());
    std::sort(result.rows.begin(), result.rows.end());
    return result;
  }

  static std::vector<std::string> texts_of(const Statement& row) {
    std::vector<std::string> texts;
    for (int i = 0; i < row.column_count(); ++i) {
      const base::Value value = row.value(i);
      std::string text(row.text(i));
      if (const auto* number = std::get_if<double>(&value)) {
        text.clear();
        report::append_full_text(text, *number);
      }
      texts.push_back(std::move(text));
    }
    return texts;
  }
};

Rows rows_of(const report::Table& table) {
  Rows rows(table.row_count);
  for (std::size_t row = 0; row < table.row_count; ++row) {
    for (const report::Column& column : table.columns) {
      const Cell cell = column.cell(row);
      std::string text;
      if (std::holds_alternative<std::monostate>(cell)) {
        report::append_full_text(text, column.csv_for_missing);
      } else {
        report::append_full_text(text, cell);
      }
      rows[row].push_back(std::move(text));
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<std::string> ids_of(const report::Table& table) {
  std::vector<std::string> ids;
  for (const report::Column& column : table.columns) ids.push_back(column.id);
  return ids;
}

// One by one, so that a difference shows its row only.
void expect_equal(const Rows& computed, const Rows& stored, const std::string& view) {
  ASSERT_EQ(computed.size(), stored.size()) << view;
  for (std::size_t row = 0; row < stored.size(); ++row) {
    ASSERT_EQ(computed[row], stored[row]) << view << ", row " << row << " of the sorted rows";
  }
}

// Compares all views for one stored aggregation; returns the rows compared.
std::size_t compare_views(const Opened& file, std::size_t stored_index) {
  const auto& stored = file.profile->stored_aggregations.at(stored_index);
  const aggregate::Selection selection{aggregate::recognize_cut(*file.profile, stored_index),
                                       {stored.first_iteration, stored.last_iteration}};
  const Aggregation aggregation =
      aggregate::make_cpu_aggregator(file.profile)->aggregate(selection);
  std::size_t compared = 0;
  for (const std::string& view : file.view_names()) {
    EXPECT_TRUE(view.starts_with(kViewPrefix)) << view;
    const auto table =
        report::make_view(view.substr(kViewPrefix.size()), *file.profile, aggregation);
    EXPECT_TRUE(table.ok()) << view;
    if (!table) continue;
    const SqlView expected = file.read(view, stored.id);
    EXPECT_EQ(ids_of(*table), expected.columns) << view;
    expect_equal(rows_of(*table), expected.rows, view);
    compared += expected.rows.size();
  }
  return compared;
}

TEST(Views, AreAllThatTheSchemaHas) {
  const testing::TemporaryFolder folder;
  base::Progress progress;
  generate::DemoOptions demo;
  demo.iterations = 2;
  demo.kernels = 100;
  ASSERT_TRUE(generate::generate_dlprof(folder.path() / "g.sqlite", demo, progress).ok());
  std::vector<std::string> names;
  for (const report::ViewInfo& view : report::views()) {
    if (!view.is_dlprofs) continue;
    names.push_back(std::string(kViewPrefix) + std::string(view.name));
  }
  EXPECT_EQ(names, Opened(folder.path() / "g.sqlite").view_names());
}

class RealViews : public ::testing::TestWithParam<const char*> {};

TEST_P(RealViews, EqualTheTables) {
  DLVIEW_REQUIRE_TEST_DATA();
  const Opened file(*testing::test_data_folder() / "dlprof" / GetParam());
  EXPECT_EQ(static_cast<std::ptrdiff_t>(file.view_names().size()),
            std::ranges::count(report::views(), true, &report::ViewInfo::is_dlprofs));
  EXPECT_GT(compare_views(file, 0), 250U);
}

INSTANTIATE_TEST_SUITE_P(Dlprof18, RealViews,
                         ::testing::Values("no_relu/dlprof_dldb.sqlite", "no_relu/first_run.sqlite",
                                           "with_relu/dlprof_dldb.sqlite"));

struct Run {
  int64_t iterations, kernels;
  int gpus;
  generate::Framework framework;
};

class GeneratedViews : public ::testing::TestWithParam<Run> {};

TEST_P(GeneratedViews, EqualTheTables) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "generated.sqlite";
  base::Progress progress;
  generate::DemoOptions demo;
  demo.iterations = GetParam().iterations;
  demo.kernels = GetParam().kernels;
  demo.gpus = GetParam().gpus;
  demo.framework = GetParam().framework;
  ASSERT_TRUE(generate::generate_dlprof(path, demo, progress).ok());
  EXPECT_GT(compare_views(Opened(path), 0), static_cast<std::size_t>(2 * demo.kernels));
}

INSTANTIATE_TEST_SUITE_P(Runs, GeneratedViews,
                         ::testing::Values(Run{200, 12'000, 4, generate::Framework::pytorch},
                                           Run{200, 12'000, 4, generate::Framework::tensorflow},
                                           Run{3, 200, 1, generate::Framework::pytorch},
                                           Run{0, 100, 2, generate::Framework::pytorch}));

// Two aggregations of one run under different key ops and ranges; each has its own rows.
TEST(Views, BelongToTheirStoredAggregation) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "two.sqlite";
  base::Progress progress;
  generate::DemoOptions demo;
  demo.iterations = 20;
  demo.kernels = 2'000;
  demo.gpus = 2;
  auto made = generate::make_demo_profile(demo, progress);
  ASSERT_TRUE(made.ok());
  const auto profile = std::make_shared<const Profile>(*std::move(made));
  const auto aggregator = aggregate::make_cpu_aggregator(profile);
  const std::string key_op = generate::demo_key_op(demo.framework);
  const std::vector<Aggregation> aggregations{
      aggregator->aggregate({{aggregate::CutKind::start, key_op, 0}, {0, 20}}),
      aggregator->aggregate({{aggregate::CutKind::end, key_op, 0}, {5, 9}})};
  ASSERT_TRUE(generate::write_dlprof_database(*profile, aggregations, path, progress).ok());

  const Opened file(path);
  ASSERT_EQ(file.profile->stored_aggregations.size(), 2U);
  const std::size_t whole = compare_views(file, 0);
  EXPECT_LT(compare_views(file, 1), whole);
}

}  // namespace
}  // namespace dlview::verify
