// Which rank the name of a file tells. tests/import/pytorch/trace_header_test.cpp has the names of
// traces.
#include "profile/rank_name.h"

#include <optional>

#include <gtest/gtest.h>

namespace dlview::profile {
namespace {

TEST(RankOfName, IsBehindTheWordOrAtTheEnd) {
  EXPECT_EQ(rank_of_name("report_17.nsys-rep"), 17);
  EXPECT_EQ(rank_of_name("run-3.sqlite"), 3);
  EXPECT_EQ(rank_of_name("rank17_trace.json"), 17);
  EXPECT_EQ(rank_of_name("iteration_100_rank-07.pt.trace.json.gz"), 7);
  EXPECT_EQ(rank_of_name("RANK=2.sqlite"), 2);
}

// Nsight Systems counts files as they come, and versions are no ranks.
TEST(RankOfName, IsNoOtherNumber) {
  EXPECT_EQ(rank_of_name("report1.sqlite"), std::nullopt);
  EXPECT_EQ(rank_of_name("rank1_of_rank2.json"), std::nullopt);
  EXPECT_EQ(rank_of_name("frank3.json"), std::nullopt);
  EXPECT_EQ(rank_of_name("run.sqlite"), std::nullopt);
  EXPECT_EQ(rank_of_name("run_3d.sqlite"), std::nullopt);
  EXPECT_EQ(rank_of_name("node-1.site_4009.1779782399998085873.pt.trace.json.gz"), std::nullopt);
}

TEST(HostOfName, StandsBeforeProcessAndTime) {
  EXPECT_EQ(host_of_name("node-1.site_4009.1779782399998085873.pt.trace.json.gz"), "node-1.site");
  EXPECT_EQ(host_of_name("rank_3.pt.trace.json"), "");
  EXPECT_EQ(host_of_name("node_4009.17.json"), "");
}

// What all uses share, and in what they differ.
TEST(RankOfName, DependsOnUseAtTheEndOnly) {
  struct Name {
    const char* name;
    std::optional<int64_t> none, of_process, any;
  };
  constexpr Name kNames[] = {
      {"rank3.json", 3, 3, 3},
      {"RANK_3_step_7.json", 3, 3, 3},
      {"rank1_rank2_3.json", {}, {}, {}},
      {"frank_3b.json", {}, {}, {}},
      {"worker_3.json", {}, 3, 3},
      {"run.worker-3.pt.trace.json.gz", {}, 3, {}},
      {"step_3.json", {}, {}, 3},
      {"report_3.1.nsys-rep", {}, {}, 3},
      {"worker_1234567.json", {}, {}, {}},
      {"worker_3.1779782399998085873.pt.trace.json", {}, {}, {}},
  };
  for (const Name& each : kNames) {
    EXPECT_EQ(rank_of_name(each.name, RankAtEnd::none), each.none) << each.name;
    EXPECT_EQ(rank_of_name(each.name, RankAtEnd::of_process), each.of_process) << each.name;
    EXPECT_EQ(rank_of_name(each.name, RankAtEnd::any), each.any) << each.name;
  }
}

}  // namespace
}  // namespace dlview::profile
