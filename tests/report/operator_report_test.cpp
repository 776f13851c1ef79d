// The report per operator: what it says of a run whose answers are known, and its two files.

#include "report/operators/operator_report.h"

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/limits/counted_run.h"
#include "report/writers/pdf.h"
#include "support/test_data.h"

namespace dlview::report {
namespace {

using testing::CountedRun;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr int64_t kMs = 1'000'000;

OperatorReport report_of(CountedRun run, std::string_view name = "/home/user/run.json") {
  const std::shared_ptr<const profile::Profile> profile = std::move(run).finish();
  const aggregate::LimitIndex index(*profile);
  const aggregate::Aggregation aggregation =
      aggregate::make_cpu_aggregator(profile)->aggregate({{}, {0, 0}});
  return make_operator_report(*profile, aggregation, index, name);
}

// A GEMM on Tensor Cores, an activation, and an op of which nothing is known.
CountedRun three_ops() {
  CountedRun run;
  run.kernel(run.call(run.op("aten::mm", "float16"), "[[4096,4096],[4096,4096]]"), "gemm_128x128",
             132, kMs, true);
  run.kernel(run.call(run.op("aten::relu", "float16"), "[[4096,4096]]"), "relu", 4096, kMs);
  run.kernel(run.call(run.op("unheard_of")), "void mystery<int>(int&)", 132, 2 * kMs);
  return run;
}

std::string html_of(const OperatorReport& report) {
  std::ostringstream out;
  write_operator_html(report, out);
  return out.str();
}

TEST(OperatorReport, HasARowForEachOp) {
  const OperatorReport report = report_of(three_ops());
  ASSERT_THAT(report.ops, SizeIs(3));
  EXPECT_EQ(report.ops[0].type, "aten::relu");
  EXPECT_EQ(report.ops[0].tensor_cores, "not applicable");
  EXPECT_EQ(report.ops[1].type, "aten::mm");
  EXPECT_EQ(report.ops[1].tensor_cores, "yes");
  EXPECT_EQ(report.ops[1].shape, "[[4096,4096],[4096,4096]]");
  EXPECT_DOUBLE_EQ(report.ops[1].share_percent, 25);
  EXPECT_EQ(report.ops[2].type, "unheard_of");
  EXPECT_FALSE(report.ops[2].save_ns);
}

TEST(OperatorReport, ChartsFollowTheOrderOfKernels) {
  const OperatorReport report = report_of(three_ops());
  ASSERT_THAT(report.network, SizeIs(3));
  const ReportShare& tensor = report.network[0].shares[0];
  EXPECT_EQ(tensor.origin, aggregate::Origin::estimated);
  EXPECT_NEAR(tensor.percent.value(), 100 * 2.0 * 4096 * 4096 * 4096 / 1e-3 / 989.4e12, 0.01);
  EXPECT_TRUE(report.network[1].shares[0].has_no_form);
  EXPECT_FALSE(report.network[2].shares[0].percent);
  EXPECT_FALSE(report.network[2].shares[0].has_no_form);
  EXPECT_EQ(share_text(tensor, 0), "at least 13.9% (estimated)");
}

TEST(OperatorReport, NamesTheSideOfTheRidge) {
  std::vector<std::string> names;
  for (const auto& each : report_of(three_ops()).classes) names.push_back(each.name);
  EXPECT_THAT(names,
              ::testing::ElementsAre("unknown, math side", "unknown, memory side", "unknown"));
}

TEST(OperatorReport, NamesNoFolder) {
  CountedRun run = three_ops();
  const profile::Row op = run.op("/home/user/model.py(12): forward");
  run.kernel(run.call(op), "kernel", 1, kMs);
  const std::string html = html_of(report_of(std::move(run)));
  EXPECT_THAT(html, Not(HasSubstr("/home/user")));
  EXPECT_THAT(html, HasSubstr("model.py(12): forward"));
  EXPECT_THAT(html, HasSubstr("Ops of run.json"));
}

TEST(OperatorHtml, NeedsNothingElse) {
  const std::string html = html_of(report_of(three_ops()));
  for (const char* part : {"<script", "http:", "https:", "@import", "<link", "<img"}) {
    EXPECT_THAT(html, Not(HasSubstr(part)));
  }
  EXPECT_THAT(html, HasSubstr("url(#h0)"));  // hatched: estimated
  EXPECT_THAT(html, HasSubstr("void mystery&lt;int&gt;(int&amp;)"));
  EXPECT_THAT(html, Not(HasSubstr("mystery<int>")));
}

TEST(OperatorHtml, LinksAdviceToOps) {
  CountedRun run;
  run.kernel(run.call(run.op("aten::mm", "float32"), "[[4096,4096],[4096,4096]]"), "sgemm", 132,
             20 * kMs);
  const OperatorReport report = report_of(std::move(run));
  ASSERT_FALSE(report.advice.empty());
  EXPECT_EQ(report.advice[0].advice[0].op, 0U);
  const std::string html = html_of(report);
  EXPECT_THAT(html, HasSubstr("<a href=\"#op0\">"));
  EXPECT_THAT(html, HasSubstr("id=\"op0\""));
}

// A row, three bars and two links for each at most.
TEST(OperatorHtml, HoldsTwoThousandOps) {
  CountedRun run;
  for (int i = 0; i < 2000; ++i) {
    run.kernel(run.call(run.op(std::string(400, 'n'))), "kernel", 1, kMs);
  }
  const OperatorReport report = report_of(std::move(run));
  const std::string html = html_of(report);
  EXPECT_THAT(html, HasSubstr("id=\"op1999\""));
  EXPECT_LT(html.size(), 6'000'000U);
}

TEST(OperatorHtml, DrawsNothingOfNothing) {
  const std::string html = html_of(OperatorReport{});
  EXPECT_THAT(html, HasSubstr("Nothing to advise"));
  EXPECT_THAT(html, Not(HasSubstr("nan")));
}

TEST(OperatorPdf, IsWritten) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "report.pdf";
  const base::Status status = write_operator_pdf(report_of(three_ops()), path);
  ASSERT_EQ(status.ok(), can_write_pdf());
  if (!can_write_pdf()) return;
  std::ifstream file(path, std::ios::binary);
  std::string start(5, ' ');
  file.read(start.data(), 5);
  EXPECT_EQ(start, "%PDF-");
}

TEST(OperatorText, IsCutBetweenCharacters) {
  EXPECT_EQ(shortened("abcdefghij", 7), "abc…hij");
  EXPECT_EQ(shortened("short", 7), "short");
  EXPECT_EQ(shortened("ααααααααα", 8), "αα…α");
}

}  // namespace
}  // namespace dlview::report
