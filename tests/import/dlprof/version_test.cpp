// Which DLProf databases are accepted.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/test_database.h"

namespace dlview::import::dlprof {
namespace {

using ::testing::HasSubstr;

std::string versions(const std::string& current, const std::string& original) {
  return "UPDATE db_version SET current_version = '" + current + "', original_version = '" +
         original + "';";
}

using Version = testing::DlprofTest;

class AcceptedVersion : public testing::DlprofTest,
                        public ::testing::WithParamInterface<const char*> {};
TEST_P(AcceptedVersion, Opens) {
  const std::string text = GetParam();
  EXPECT_EQ(open_with(versions(text, text)).source.format, "DLProf " + text);
}
INSTANTIATE_TEST_SUITE_P(All, AcceptedVersion,
                         ::testing::Values("1.3.0", "1.4", "1.5.1", "1.6.0", "1.7.0", "1.8.0",
                                           "1.8.99", "v1.8.0"));

TEST_F(Version, LimitsTheOriginalVersionBelow) {
  const base::Error error = error_with(versions("1.8.0", "1.2.9"));
  EXPECT_EQ(error.title, "The version of DLProf is too old");
  EXPECT_THAT(error.detail, HasSubstr("1.2.9"));
  EXPECT_THAT(error.detail, HasSubstr(path().string()));
}

TEST_F(Version, LimitsTheCurrentVersionAbove) {
  const base::Error error = error_with(versions("1.9.0", "1.3.0"));
  EXPECT_EQ(error.title, "The version of DLProf is too new");
  EXPECT_THAT(error.detail, HasSubstr("1.9.0"));
}

TEST_F(Version, NumbersAreComparedNotTexts) {
  EXPECT_EQ(error_with(versions("1.10.0", "1.8.0")).title, "The version of DLProf is too new");
}

TEST_F(Version, AnotherMajorVersionIsNewer) {
  EXPECT_EQ(error_with(versions("2.0.0", "2.0.0")).title, "The version of DLProf is too new");
}

class UnreadableVersion : public testing::DlprofTest,
                          public ::testing::WithParamInterface<const char*> {};
TEST_P(UnreadableVersion, IsQuoted) {
  const base::Error error = error_with(versions(GetParam(), "1.8.0"));
  EXPECT_EQ(error.title, "The version of the database cannot be read");
  EXPECT_THAT(error.detail, HasSubstr(fmt::format("\"{}\"", GetParam())));
}
INSTANTIATE_TEST_SUITE_P(All, UnreadableVersion,
                         ::testing::Values("", "eight", "1", "1.", "1.x", "1.8beta", "-"));

TEST_F(Version, NoRowIsUnreadable) {
  EXPECT_EQ(error_with("DELETE FROM db_version;").title,
            "The version of the database cannot be read");
}

TEST_F(Version, AnInvalidConfigurationIsRefused) {
  const base::Error error = error_with("UPDATE read_only_system_config SET is_valid = 0;");
  EXPECT_EQ(error.title, "The database has no valid configuration");
  EXPECT_THAT(error.detail, HasSubstr("is_valid = 0"));
}

TEST_F(Version, AMissingConfigurationIsRefused) {
  const base::Error error = error_with("DELETE FROM read_only_system_config;");
  EXPECT_EQ(error.title, "The database has no valid configuration");
  EXPECT_THAT(error.detail, HasSubstr("read_only_system_config"));
}

}  // namespace
}  // namespace dlview::import::dlprof
