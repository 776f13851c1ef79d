// What the header of a trace tells of a run, and what is never taken from it.
#include "import/pytorch/trace_header.h"

#include <optional>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/column_cache/archive.h"
#include "import/test_database.h"
#include "support/test_data.h"

namespace dlview::import::pytorch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kOp =
    R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":2,"ts":5,"dur":1,"args":{}})";

TEST(RankOfFileName, FollowsTheWord) {
  for (const char* const name : {"rank3.json", "rank_3.pt.trace.json.gz", "run-rank-03.json",
                                 "RANK=3.json", "step5_rank3.1700000000.pt.trace.json",
                                 "rank3_of_8.json", "rank3-rank_3.json", "node1.rank.3.json.gz"}) {
    EXPECT_EQ(rank_of_file_name(name, std::nullopt), 3) << name;
    EXPECT_EQ(rank_of_file_name(name, 4), 3) << name;
    EXPECT_EQ(rank_of_file_name(name, 3), std::nullopt) << "no rank of three: " << name;
  }
}

TEST(RankOfFileName, IsNoneOfOtherWords) {
  for (const char* const name :
       {"frank3.json", "ranking_3.json", "ranks_3.json", "rank3b.json", "rank.json", "rank_x3.json",
        "rank1_rank2.json", "rank_1234567.json", "lowrank3.json", "3.json"}) {
    EXPECT_EQ(rank_of_file_name(name, std::nullopt), std::nullopt) << name;
  }
}

TEST(RankOfFileName, EndsTheNameAfterAWordForAProcess) {
  for (const char* const name : {"worker_7.json", "trace-gpu-7.pt.trace.json.gz", "NODE_07.json",
                                 "step3_device_7.json", "proc_7.json.gz", "run3-worker-7.json"}) {
    EXPECT_EQ(rank_of_file_name(name, 8), 7) << name;
    EXPECT_EQ(rank_of_file_name(name, 7), std::nullopt) << "no rank of seven: " << name;
    EXPECT_EQ(rank_of_file_name(name, std::nullopt), std::nullopt) << name;
  }
}

TEST(RankOfFileName, IsNoNumberOfAStepOrFile) {
  for (const char* const name : {"step_3.json",
                                 "iter_3.json",
                                 "iteration-3.json",
                                 "epoch_3.json",
                                 "batch_3.json",
                                 "trace-3.pt.trace.json.gz",
                                 "ranks_3.json",
                                 "coworker_3.json",
                                 "workers_3.json",
                                 "worker_a_3.json",
                                 "run3worker_3.json",
                                 "worker_1_3.json",
                                 "worker3.json",
                                 "worker_3_step_4.json",
                                 "_3.json",
                                 "3.json",
                                 "rank1_rank2_3.json",
                                 "resnet5.json",
                                 "host_3.1700000000.pt.trace.json",
                                 "libkineto_activities_3.json"}) {
    EXPECT_EQ(rank_of_file_name(name, 8), std::nullopt) << name;
  }
}

class TraceHeaderTest : public ::testing::Test {
 protected:
  profile::Profile open(const std::string& name, const std::string& header) {
    const std::string json =
        fmt::format("{{\"schemaVersion\": 1, {}, \"traceEvents\": [{}]}}", header, kOp);
    base::Result<profile::Profile> opened =
        testing::open_for_test(testing::write_file(folder_.path() / name, json));
    EXPECT_TRUE(opened.ok()) << testing::error_of(opened);
    return opened ? *std::move(opened) : profile::Profile();
  }
  testing::TemporaryFolder folder_;
};

TEST_F(TraceHeaderTest, GivesTheRankBeforeTheName) {
  const auto program = [this](const char* header) {
    return open("trace_rank5.json", header).trace->capture.program;
  };
  EXPECT_EQ(program(R"("distributedInfo": {"rank": 2, "world_size": 8})"), "rank 2 of 8");
  EXPECT_EQ(program(R"("distributedInfo": {"backend": "nccl", "world_size": 8})"),
            "rank 5 of 8, nccl (by the file name)");
  EXPECT_EQ(program(R"("distributedInfo": {"world_size": 4})"), "");
  const std::string groups =
      R"("distributedInfo": {"backend": "gloo", "rank": 2, "nccl_version": "2.20", "pg_config": )";
  EXPECT_EQ(program((groups + R"([{"pg_name": "0"}, {"ranks": [0, 1]}]})").c_str()),
            "rank 2, gloo, 2 process groups");
  EXPECT_EQ(program((groups + R"([{"pg_name": "0"}]})").c_str()), "rank 2, gloo");
  EXPECT_EQ(program((groups + "null}").c_str()), "rank 2, gloo");
  EXPECT_EQ(program(R"("record_shapes": 1)"), "rank 5 (by the file name)");
}

TEST_F(TraceHeaderTest, SkipsNamesOfUsersJobsAndPaths) {
  const profile::Profile profile = open("trace.json", R"(
      "username": "SECRET user", "tw_job": "SECRET job", "host_name": "SECRET host",
      "PT_PROFILER_JOB_NAME": "SECRET name", "traceName": "/SECRET/path/trace.json",
      "trace_id": "SECRET id", "my_metadata": {"SECRET key": ["SECRET value", {"a": "SECRET"}]},
      "INFO": ["INFO: SECRET line \u0041"], "backend": "SECRET backend",
      "distributedInfo": {"backend": "nccl", "rank": 1, "pg_config": [{"pg_name": "SECRET"}]})");
  EXPECT_THAT(profile.trace->capture.program, HasSubstr("rank 1"));
  // All that the column cache keeps.
  column_cache::Writer writer;
  writer(profile);
  std::string all = writer.facts();
  for (const column_cache::Writer::Column& column : writer.columns()) {
    all.append(reinterpret_cast<const char*>(column.bytes.data()), column.bytes.size());
  }
  EXPECT_THAT(all, HasSubstr("aten::mm"));
  EXPECT_THAT(all, Not(HasSubstr("SECRET")));
}

}  // namespace
}  // namespace dlview::import::pytorch
