// A table that is read in ranges gives what it gives when it is read from end to end.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/nsys/test_export.h"

namespace dlview::import::nsys {
namespace {

using profile::Profile;
using testing::list;

// Enough rows for several ranges: in each range gaps, rows that cannot be used, texts that are
// missing or not UTF-8, texts that other ranges have and texts that they have not.
constexpr const char* kManyRows = R"(
WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 200000)
  INSERT INTO NVTX_EVENTS(rangeId, color, start, end, eventType, text, textId, globalTid, domainId)
  SELECT x / 70000, CASE WHEN x > 90000 AND x % 3000 = 2500 THEN x END,
    3000 + x, CASE WHEN x % 1000 = 7 THEN 5 ELSE 3001 + x END,
    CASE WHEN x % 5000 = 9 THEN 200 ELSE 59 END,
    CASE x % 4 WHEN 0 THEN 'op ' || (x / 3) WHEN 1 THEN 'layer ' || (x % 50)
      WHEN 2 THEN CASE WHEN x % 3000 = 2 THEN CAST(x'61ff' AS TEXT) ELSE '' END ELSE NULL END,
    CASE WHEN x % 4 = 3 THEN 100 + (x % 40) * (x % 7) END, 281476151115847, 0 FROM n;
WITH RECURSIVE n(x) AS (SELECT 110 UNION ALL SELECT x + 1 FROM n WHERE x < 400)
  INSERT INTO StringIds SELECT x, 'text ' || (x % 200) FROM n;
UPDATE NVTX_EVENTS SET category = NULL, endGlobalTid = 5, color = CASE WHEN color < 300000 THEN color END;
DELETE FROM NVTX_EVENTS WHERE rowid BETWEEN 60000 AND 60999 OR rowid % 1003 = 0;
)";

// Its row number lies so far from the others that the table cannot be cut.
constexpr const char* kFarRow =
    "INSERT INTO NVTX_EVENTS(rowid, start, end, eventType, text, globalTid, endGlobalTid, domainId)"
    "  VALUES(%, 400000, 400001, 59, 'last', 281476151115847, 5, 0);";

std::string far_row(const std::string& number) {
  std::string sql = kFarRow;
  return sql.replace(sql.find('%'), 1, number);
}

std::vector<std::string> all_texts(const Profile& profile) {
  std::vector<std::string> texts;
  for (profile::StringId id = 0; id < profile.strings.size(); ++id) {
    texts.emplace_back(profile.text(id));
  }
  return texts;
}

class EventRanges : public testing::ExportTest {};

TEST_F(EventRanges, GiveTheColumnsTextsAndNotesOfTheWholeTable) {
  const Profile whole = open_with(kManyRows + far_row("4611686018427387904"));
  std::filesystem::remove(path());
  const Profile ranges = open_with(kManyRows + far_row("250000"));

  const profile::TraceNvtx &a = whole.trace->nvtx, &b = ranges.trace->nvtx;
  ASSERT_GT(b.size(), 190'000U);
  EXPECT_EQ(list(a.start_ns), list(b.start_ns));
  EXPECT_EQ(list(a.end_ns), list(b.end_ns));
  EXPECT_EQ(list(a.kind), list(b.kind));
  EXPECT_EQ(list(a.thread), list(b.thread));
  EXPECT_EQ(list(a.text), list(b.text));
  EXPECT_EQ(list(whole.trace->text_ids), list(ranges.trace->text_ids));
  EXPECT_EQ(all_texts(whole), all_texts(ranges));
  EXPECT_EQ(list(a.source_row)[1000], list(b.source_row)[1000]);
  EXPECT_EQ(list(a.color), list(b.color));
  EXPECT_EQ(std::ranges::count_if(b.color, [](int64_t color) { return color > 90'000; }), 36);
  EXPECT_EQ(list(a.range_id), list(b.range_id));
  EXPECT_GT(std::ranges::count(b.range_id, 1), 60'000);
  // All rows have the same one.
  EXPECT_THAT(testing::numbers_of(*whole.trace, b.end_thread), ::testing::Each("0/5"));
  EXPECT_EQ(list(a.end_thread), list(b.end_thread));
  EXPECT_EQ(list(a.domain), list(b.domain));
  // In no row is there any.
  EXPECT_EQ(list(b.category), std::vector<int64_t>(b.size(), profile::kNoValue));
  EXPECT_EQ(list(a.category), list(b.category));

  ASSERT_EQ(whole.quality.size(), ranges.quality.size());
  ASSERT_GE(whole.quality.size(), 4U);
  for (std::size_t i = 0; i < whole.quality.size(); ++i) {
    EXPECT_EQ(whole.quality[i].table, ranges.quality[i].table);
    EXPECT_EQ(whole.quality[i].reason, ranges.quality[i].reason);
    EXPECT_EQ(whole.quality[i].rows, ranges.quality[i].rows);
    EXPECT_EQ(whole.quality[i].first_example, ranges.quality[i].first_example);
  }
}

}  // namespace
}  // namespace dlview::import::nsys
