// CSV files of Nsight Compute that are cut off, damaged or no such files.
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/ncu/counter_files.h"
#include "import/ncu/csv.h"
#include "import/ncu/load.h"

namespace dlview::import::ncu {
namespace {

namespace fs = std::filesystem;
using profile::KernelCounters;
using ::testing::HasSubstr;

TEST_F(ReadCounters, CutFileKeepsWholeRows) {
  const std::string text = std::string(kDetails) + row(0, "a", "", "1") + row(0, "b", "", "234");
  for (const std::size_t cut : {3U, 5U, 12U, 40U}) {
    const KernelCounters counters = read_text(text.substr(0, text.size() - cut));
    ASSERT_EQ(counters.values.size(), 1U) << cut;
    ASSERT_EQ(counters.files[0].messages.size(), 1U) << cut;
    EXPECT_EQ(counters.files[0].messages[0].line, 3) << cut;
    EXPECT_THAT(counters.files[0].messages[0].text, HasSubstr("the file ends within it")) << cut;
  }
}

TEST_F(ReadCounters, UnclosedQuoteLosesOneRow) {
  std::string broken = row(0, "b", "", "2");
  broken.erase(broken.rfind('"'), 1);
  const KernelCounters counters = read_text(std::string(kDetails) + row(0, "a", "", "1") + broken +
                                            row(0, "c", "", "3") + row(1, "a", "", "4"));
  EXPECT_EQ(value_of(counters, "c"), 3);
  EXPECT_EQ(value_of(counters, "a", 1), 4);
  ASSERT_EQ(counters.files[0].messages.size(), 1U);
  EXPECT_EQ(counters.files[0].messages[0].line, 3);
  EXPECT_THAT(counters.files[0].messages[0].text, HasSubstr("a quote is not closed"));
}

// Reading ends with an error after 5 s: each of these took minutes, in time that grew with the
// square or the cube of the size.
TEST_F(ReadCounters, UnclosedQuotesTakeLinearTime) {
  const auto repeated = [](std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  const std::string good = row(0, "a", "", "1");
  const std::string lines = repeated("\"a,b\n", 100'000);
  EXPECT_EQ(read_text(std::string(kDetails) + good + lines).values.size(), 1U);
  const std::string row_begins = "\"0\",\"7\",\"p\",\"h\",\"";
  EXPECT_EQ(read_text(std::string(kDetails) + good + row_begins + repeated("\n\"a", 100'000))
                .values.size(),
            1U);
  // Another row follows.
  const KernelCounters counters = read_text(std::string(kDetails) + lines + good);
  EXPECT_EQ(value_of(counters, "a"), 1);
  ASSERT_EQ(counters.launches.size(), 1U);
  EXPECT_EQ(counters.launches[0].line, 100'002);
  const std::string header = "ID,Process ID,Kernel Name,Metric Name,Metric Value,\"x\n";
  read_text(repeated(header, 20'000));
  read_text(repeated(header + "0,1,\"b\n", 20'000));
}

// The rows up to the next launch may hold cells with line ends: only those after the open quote may
// not.
TEST_F(ReadCounters, UnclosedQuoteKeepsCellsBefore) {
  std::string broken = row(0, "b", "", "2", "two\nlines");
  broken.erase(broken.rfind('"'), 1);
  const KernelCounters counters =
      read_text(std::string(kDetails) + broken + row(1, "c", "", "3", "two\nlines"));
  ASSERT_EQ(counters.launches.size(), 1U);
  EXPECT_EQ(counters.text(counters.launches[0].kernel), "two\nlines");
  EXPECT_EQ(counters.launches[0].line, 4);
}

TEST_F(ReadCounters, CanceledJobStopsWithinCell) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "\"a";
  base::Progress progress;
  progress.cancel();
  const base::JobScope scope(&progress);
  Cell cell;
  UnclosedQuote unclosed;
  const char* at = text.data();
  EXPECT_THROW(read_cell(at, text.data() + text.size(), true, cell, unclosed), base::Stopped);
}

TEST_F(ReadCounters, ShortRowsAreReported) {
  const KernelCounters counters =
      read_text(std::string(kDetails) + "\"0\",\"7\",\"p\"\n" + row(0, "a", "", "1"));
  EXPECT_EQ(counters.values.size(), 1U);
  ASSERT_EQ(counters.files[0].messages.size(), 1U);
  EXPECT_THAT(counters.files[0].messages[0].text, HasSubstr("it has 3 of 15 cells"));
}

TEST_F(ReadCounters, ImpossibleDurationsAreReported) {
  for (const char* value : {"1e19", "-1000000", "10000000000000000000"}) {
    const KernelCounters counters =
        read_text(std::string(kDetails) + row(0, "a", "", "1") + row(0, "Duration", "ns", value));
    ASSERT_EQ(counters.values.size(), 1U) << value;
    ASSERT_EQ(counters.files[0].messages.size(), 1U) << value;
    EXPECT_EQ(counters.files[0].messages[0].line, 3);
    EXPECT_THAT(counters.files[0].messages[0].text,
                HasSubstr(fmt::format("out of range: {} of Duration", value)));
  }
  const KernelCounters counters =
      read_text(std::string(kDetails) + row(0, "gpu__time_duration.sum", "s", "1e300") +
                row(0, "gpu__time_duration.sum", "s", "1e9") + row(0, "Duration", "ns", "0"));
  ASSERT_EQ(counters.values.size(), 1U);
  EXPECT_EQ(counters.values[0].value, 0);
  EXPECT_EQ(counters.files[0].messages.size(), 2U);
}

TEST_F(ReadCounters, ImpossibleInvocationsAreReported) {
  const std::string header =
      "\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Block Size\",\"Grid "
      "Size\",\"Device\",\"CC\",\"Invocations\",\"Section Name\",\"Metric Name\",\"Metric "
      "Unit\",\"Minimum\",\"Maximum\",\"Average\"\n";
  const auto line = [](std::string_view invocations) {
    return fmt::format(
        "\"7\",\"p\",\"h\",\"k\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"0\",\"9.0\",\"{}\",\"s\",\"m\","
        "\"\",\"1\",\"1\",\"1\"\n",
        invocations);
  };
  std::string text = header;
  const std::vector<std::string> bad{"99999999999999999999", "9223372036854775807", "-5", "0",
                                     "1000000000001"};
  for (const std::string& invocations : bad) text += line(invocations);
  const KernelCounters counters = read_text(text + line("1000000000000") + line("1.024"));
  ASSERT_EQ(counters.launches.size(), 2U);
  EXPECT_EQ(counters.launches[0].invocations, 1'000'000'000'000);
  EXPECT_EQ(counters.launches[1].invocations, 1024);
  ASSERT_EQ(counters.files[0].messages.size(), bad.size());
  EXPECT_THAT(counters.files[0].messages[2].text, HasSubstr("it has -5 invocations"));
}

TEST_F(ReadCounters, ImpossibleSizesAreReported) {
  std::string negative = row(0, "a", "", "1"), large = negative;
  negative.replace(negative.find("(8,"), 3, "(-8,");
  large.replace(large.find("(256,"), 5, "(2147483648,");
  const KernelCounters counters =
      read_text(std::string(kDetails) + negative + large + row(1, "a", "", "2"));
  ASSERT_EQ(counters.launches.size(), 1U);
  ASSERT_EQ(counters.files[0].messages.size(), 2U);
  EXPECT_THAT(counters.files[0].messages[0].text, HasSubstr("its grid is (-8, 2, 1)"));
  EXPECT_THAT(counters.files[0].messages[1].text, HasSubstr("its block is (2147483648, 1, 1)"));
}

// Of a GPU with 1e300 SMs the number is unknown.
TEST_F(ReadCounters, ImpossibleGpusHaveNoFigures) {
  const auto profile =
      testing::open_for_test(write(std::string(kDetails) + row(0, "launch__sm_count", "", "1e300") +
                                   row(0, "device__attribute_total_memory", "", "-1e300")));
  ASSERT_TRUE(profile.ok()) << testing::error_of(profile);
  ASSERT_EQ(profile->devices.size(), 1U);
  EXPECT_EQ(profile->devices[profile::DeviceIndex(0)].sm_count, profile::Device().sm_count);
  EXPECT_EQ(profile->devices[profile::DeviceIndex(0)].memory_total_bytes,
            profile::Device().memory_total_bytes);
}

TEST_F(ReadCounters, WrongFilesAreNamed) {
  EXPECT_THAT(error_of("bash: ncu: command not found\n").detail,
              HasSubstr("contains a shell error message"));
  EXPECT_THAT(error_of("{\"traceEvents\": []}").detail, HasSubstr("is JSON"));
  EXPECT_THAT(error_of("a,b,c\n1,2,3\n").detail, HasSubstr("table of another tool: a,b,c"));
  EXPECT_THAT(error_of("Time (%),Total Time (ns),Instances\n").detail, HasSubstr("nsys stats"));
  EXPECT_THAT(error_of(std::string("\x01\x02\x00\x03", 4)).detail, HasSubstr("binary"));
  EXPECT_THAT(error_of("hello\n").advice, HasSubstr("ncu --set full --csv --page raw"));
}

TEST_F(ReadCounters, NulBytesAreAnError) {
  const base::Error error =
      error_of(std::string(kDetails) + row(0, "a", "", "1") + std::string(3, '\0') + "\n");
  EXPECT_EQ(error.title, "The file is damaged");
  EXPECT_THAT(error.detail, HasSubstr("line 3"));
}

TEST_F(ReadCounters, TooLongLineIsAnError) {
  const base::Error error =
      error_of(std::string(kDetails) + "\"" + std::string(std::size_t{40} << 20, 'x'));
  EXPECT_EQ(error.title, "A line of the file is too long");
  EXPECT_THAT(error.detail, HasSubstr("line 2"));
}

TEST_F(ReadCounters, CanceledJobStops) {
  const fs::path path = write(std::string(kDetails) + row(0, "a", "", "1"));
  base::Progress progress;
  progress.cancel();
  profile::Profile profile;
  const base::Status status = add_counters(profile, std::span(&path, 1), progress);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().title, "Canceled");
}

}  // namespace
}  // namespace dlview::import::ncu
