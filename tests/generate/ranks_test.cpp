// Generated runs of many ranks: the same bytes however they are written, a truth that the files
// bear out, and options that are refused.
#include "generate/ranks.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "aggregate/iterations.h"
#include "aggregate/key_ops.h"
#include "generate/queries.h"
#include "generate/ranks/rank_file.h"
#include "generate/ranks/truth.h"
#include "import/open.h"
#include "profile/communication.h"
#include "support/file_contents.h"
#include "support/test_data.h"

namespace dlview::generate::ranks {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::query;
using ::testing::SizeIs;

RanksOptions small_run(RanksFormat format = RanksFormat::nsys) {
  RanksOptions options;
  options.format = format;
  options.ranks = 4;
  options.ranks_per_host = 2;
  options.iterations = 12;
  options.kernels = 12 * 60;
  return options;
}
RanksOptions skewed_run(const std::string& skew, RanksFormat format = RanksFormat::nsys) {
  RanksOptions options = small_run(format);
  options.skew_text = skew;
  options.skew = *parse_skew(skew);
  return options;
}

struct WrittenRun {
  explicit WrittenRun(const RanksOptions& options) {
    base::Progress progress;
    const base::Status written = generate_ranks(folder.path() / "run", options, progress);
    EXPECT_TRUE(written) << base::to_text(written.error());
    truth = nlohmann::json::parse(testing::contents_of(path("truth.json")));
  }
  fs::path path(const std::string& name) const { return folder.path() / "run" / name; }
  fs::path file(std::size_t rank) const {
    return path(truth["ranks"][rank]["file"].get<std::string>());
  }
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder.path() / "run")) {
      files[entry.path().filename().string()] = testing::contents_of(entry.path());
    }
    return files;
  }
  testing::TemporaryFolder folder;
  nlohmann::json truth;
};

profile::Profile opened(const fs::path& path) {
  base::Progress progress;
  base::Result<profile::Profile> read = import::open_profile(path, progress);
  EXPECT_TRUE(read) << base::to_text(read.error());
  return *std::move(read);
}

std::string error_of(const RanksOptions& options) {
  const testing::TemporaryFolder folder;
  base::Progress progress;
  const base::Status status = generate_ranks(folder.path() / "run", options, progress);
  return status ? "" : base::to_text(status.error());
}

std::string class_of(const std::string& skew) {
  RanksOptions options = skewed_run(skew);
  options.ranks = 16;
  options.ranks_per_host = 4;
  options.iterations = 48;
  options.kernels = 48 * 60;
  options.only_rank = 0;
  const nlohmann::json run = WrittenRun(options).truth["run"];
  return fmt::format("{} {}{}", run["class"].get<std::string>(), run["subjects"].dump(),
                     run["host"].get<std::string>());
}

// What a reader of an export finds, computed slowly from its rows.
struct Kernel {
  int64_t start_ns = 0, end_ns = 0, stream = 0;
};
std::vector<Kernel> kernels_of(const fs::path& path, const std::string& where) {
  std::vector<Kernel> kernels;
  for (const auto& row : query(path,
                               "SELECT start, end, streamId FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN "
                               "StringIds ON id = shortName WHERE " +
                                   where + " ORDER BY start")) {
    kernels.push_back({std::stoll(row[0]), std::stoll(row[1]), std::stoll(row[2])});
  }
  return kernels;
}
// The ns of the first `wait_ns` in which none of the others runs, one by one over their bounds.
int64_t alone_ns(const Kernel& kernel, int64_t wait_ns, const std::vector<Kernel>& others) {
  const int64_t to = kernel.start_ns + wait_ns;
  std::set<int64_t> bounds{kernel.start_ns, to};
  for (const Kernel& other : others) {
    for (const int64_t bound : {other.start_ns, other.end_ns}) {
      if (bound > kernel.start_ns && bound < to) bounds.insert(bound);
    }
  }
  int64_t alone = 0;
  for (auto bound = bounds.begin(); std::next(bound) != bounds.end(); ++bound) {
    const bool is_busy = std::ranges::any_of(others, [&](const Kernel& other) {
      return other.stream != kernel.stream && other.start_ns <= *bound && other.end_ns > *bound;
    });
    if (!is_busy) alone += *std::next(bound) - *bound;
  }
  return alone;
}

TEST(RanksRun, RepeatsBytesForEqualSeed) {
  for (const RanksFormat format : {RanksFormat::nsys, RanksFormat::pytorch, RanksFormat::dlprof}) {
    RanksOptions options = skewed_run("offset=5ms,drift=20,straggler=1:+8%", format);
    const auto files = WrittenRun(options).files();
    EXPECT_THAT(files, SizeIs(5));
    EXPECT_EQ(files, WrittenRun(options).files());
    options.seed = 2;
    EXPECT_NE(files.at("truth.json"), WrittenRun(options).files().at("truth.json"));
  }
}

TEST(RanksRun, WritesOneRankAlike) {
  for (const RanksFormat format : {RanksFormat::nsys, RanksFormat::pytorch}) {
    RanksOptions options = skewed_run("offset=5ms,lost=2:3,rotating=+10%", format);
    const auto all = WrittenRun(options).files();
    options.only_rank = 2;
    const WrittenRun alone(options);
    EXPECT_THAT(alone.files(), SizeIs(2));
    for (const auto& [name, bytes] : alone.files()) EXPECT_EQ(bytes, all.at(name)) << name;
  }
}

TEST(RanksRun, CompressesTraces) {
  RanksOptions options = small_run(RanksFormat::pytorch);
  const WrittenRun plain(options);
  options.gzip = true;
  const WrittenRun packed(options);
  EXPECT_LT(fs::file_size(packed.file(0)) * 4, fs::file_size(plain.file(0)));
  EXPECT_EQ(opened(packed.file(0)).kernels.size(), opened(plain.file(0)).kernels.size());
}

TEST(RanksTruth, AddsWaitAndTransfer) {
  RanksOptions options = skewed_run("straggler=1:+20%,jitter=200ns,noise=1%");
  options.groups = {2, 4};
  const WrittenRun run(options);
  std::map<std::string, int64_t> types, skews;
  for (const auto& collective : run.truth["collectives"]) {
    ++types[collective["type"]];
    skews[collective["group"]] += collective["skew_ns"].get<int64_t>();
    const std::vector<int64_t> waits = collective["waits_ns"];
    EXPECT_EQ(std::ranges::min(waits), 0);
    EXPECT_EQ(std::ranges::max(waits), collective["skew_ns"]);
    for (std::size_t i = 0; i < waits.size(); ++i) {
      EXPECT_EQ(collective["arrivals_ns"][i].get<int64_t>() + waits[i],
                collective["last_arrival_ns"]);
      const int64_t jitter = collective["durations_ns"][i].get<int64_t>() - waits[i] -
                             collective["transfer_ns"].get<int64_t>();
      EXPECT_GE(jitter, 0);
      EXPECT_LE(jitter, 200);
    }
  }
  for (const auto& sums : run.truth["group_sums"]) {
    EXPECT_EQ(sums["sum_skew_ns"], skews[sums["group"]]);
  }
  EXPECT_EQ(types, (std::map<std::string, int64_t>{
                       {"all_reduce", 24}, {"all_gather", 48}, {"all_to_all", 24}}));
}

TEST(RanksTruth, StaysSmallForLargeRuns) {
  const auto detail = [](int64_t ranks, int64_t iterations) {
    RanksOptions options = small_run();
    options.ranks = ranks;
    options.iterations = iterations;
    options.kernels = iterations * 200;
    return truth_detail(*make_plan(options), options);
  };
  EXPECT_EQ(detail(64, 1'000), (TruthDetail{true, true}));
  EXPECT_EQ(detail(1'024, 1'000), (TruthDetail{true, false}));
  EXPECT_EQ(detail(2, 1'000'000), (TruthDetail{false, false}));
}

TEST(RanksTruth, KeepsArrivalsWithOtherClocks) {
  const nlohmann::json plain = WrittenRun(small_run()).truth;
  const nlohmann::json shifted = WrittenRun(skewed_run("offset=5ms,drift=20")).truth;
  ASSERT_EQ(plain["collectives"].size(), shifted["collectives"].size());
  for (std::size_t i = 0; i < plain["collectives"].size(); ++i) {
    EXPECT_EQ(plain["collectives"][i]["arrivals_ns"], shifted["collectives"][i]["arrivals_ns"]);
  }
}

TEST(RanksTruth, LetsFastRanksWait) {
  const WrittenRun run(skewed_run("straggler=1:+20%"));
  for (const auto& iteration : run.truth["by_iteration"]) {
    EXPECT_EQ(iteration["straggler"], 1);
    EXPECT_EQ(iteration["exposed_waits_ns"][1], 0);
    for (const std::size_t rank : {0, 2, 3}) EXPECT_GT(iteration["exposed_waits_ns"][rank], 50'000);
  }
}

TEST(RanksTruth, AgreesWithExports) {
  RanksOptions options = skewed_run("straggler=1:+8%,straggler=2:+60%:data,drift=20,offset=1ms");
  options.groups.tensor = 2;
  options.kernels = 12 * 120;
  const WrittenRun run(options);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const fs::path file = run.file(rank);
    const std::vector<Kernel> all = kernels_of(file, "TRUE");
    std::map<int64_t, std::vector<Kernel>> collectives;
    for (const Kernel& kernel : kernels_of(file, "value LIKE 'nccl%'")) {
      collectives[kernel.stream].push_back(kernel);
    }
    std::map<int64_t, int64_t> waits, exposed;
    for (const auto& truth : run.truth["collectives"]) {
      const bool is_of_all = truth["group"] == "0";
      const std::size_t first = is_of_all ? 0 : rank / 2 * 2;
      if (!is_of_all && truth["group"] != (rank < 2 ? "1" : "2")) continue;
      const Kernel kernel = collectives[is_of_all ? 20 : 24][truth["place"].get<std::size_t>()];
      ASSERT_EQ(kernel.end_ns - kernel.start_ns, truth["durations_ns"][rank - first]);
      const int64_t wait_ns = truth["waits_ns"][rank - first];
      waits[truth["iteration"]] += wait_ns;
      exposed[truth["iteration"]] += alone_ns(kernel, wait_ns, all);
    }
    const auto steps =
        query(file, "SELECT start, end FROM NVTX_EVENTS WHERE text LIKE 'step %' ORDER BY start");
    ASSERT_THAT(steps, SizeIs(12));
    for (std::size_t i = 0; i < 12; ++i) {
      const auto& truth = run.truth["by_iteration"][i];
      const int64_t stop_ns = i < 11 ? std::stoll(steps[i + 1][0]) - 1 : std::stoll(steps[i][1]);
      const int64_t duration_ns = stop_ns - std::stoll(steps[i][0]);
      const auto number = static_cast<int64_t>(i);
      EXPECT_EQ(truth["durations_ns"][rank], duration_ns);
      EXPECT_EQ(truth["waits_ns"][rank], waits[number]);
      EXPECT_EQ(truth["exposed_waits_ns"][rank], exposed[number]);
      EXPECT_EQ(truth["own_ns"][rank], duration_ns - exposed[number]);
    }
  }
}

TEST(RanksTruth, ClassifiesPlantedSkew) {
  EXPECT_EQ(class_of("straggler=4:+8%"), "one rank [4]");
  EXPECT_EQ(class_of("straggler=7:+300%:data"), "one rank [7]");
  EXPECT_EQ(class_of("host=b:+8%"), "one host []b");
  EXPECT_EQ(class_of("rotating=+10%"), "rotating []");
  EXPECT_EQ(class_of("all=10:+300%"), "all at once [10]");
  EXPECT_EQ(class_of("offset=5ms,drift=20"), "none []");
}

TEST(RanksTruth, JudgesSmallTable) {
  // Own 10, 11, 12 and 30: median 11, deviations 0, 1, 1, 19.
  const auto rows =
      judge_iterations({{10, 11, 12, 30}, {10, 10, 10, 10}}, {{30, 31, 32, 33}, {7, 7, 7, 7}});
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].step_ns, 31);
  EXPECT_EQ(rows[0].cost_ns, 19);
  EXPECT_EQ(rows[0].straggler, 3);
  EXPECT_EQ(rows[1].cost_ns, 0);
  EXPECT_EQ(rows[1].straggler, -1);
}

TEST(RanksRun, OpensInImporters) {
  for (const RanksFormat format : {RanksFormat::nsys, RanksFormat::pytorch, RanksFormat::dlprof}) {
    const WrittenRun run(skewed_run("late=1:2,lost=2:3", format));
    for (std::size_t rank = 0; rank < 4; ++rank) {
      const auto& truth = run.truth["ranks"][rank];
      const profile::Profile profile = opened(run.file(rank));
      EXPECT_TRUE(profile.quality.empty());
      EXPECT_EQ(profile.kernels.size(), truth["kernels"].get<std::size_t>());
      const std::vector<uint8_t> is_collective = profile::communication_kernels(profile);
      EXPECT_EQ(std::ranges::count(is_collective, 1), truth["collectives"].get<int64_t>());
      const aggregate::Cut cut = aggregate::default_cut(profile);
      const auto iterations = aggregate::cut_iterations(profile, cut).rows;
      // A split at an op has one more: before its first instance.
      const std::size_t before = format == RanksFormat::dlprof ? 1 : 0;
      const std::size_t first = truth["first_iteration"];
      ASSERT_EQ(iterations.size(), 12 - first + before);
      for (std::size_t i = first; i < 11; ++i) {
        const auto& row = iterations[i - first + before];
        EXPECT_EQ(row.stop_ns - row.start_ns, run.truth["by_iteration"][i]["durations_ns"][rank]);
      }
    }
  }
}

TEST(RanksRun, NamesCollectivesInTraces) {
  RanksOptions options = skewed_run("lost=2:3", RanksFormat::pytorch);
  options.groups.tensor = 2;
  const WrittenRun run(options);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const auto trace = nlohmann::json::parse(testing::contents_of(run.file(rank)));
    EXPECT_EQ(trace["distributedInfo"]["rank"], rank);
    EXPECT_EQ(trace["distributedInfo"]["world_size"], 4);
    EXPECT_THAT(trace["distributedInfo"]["pg_config"], SizeIs(2));
    std::set<std::pair<std::string, int64_t>> found, expected;
    for (const auto& event : trace["traceEvents"]) {
      if (event["name"] != "record_param_comms") continue;
      found.emplace(event["args"]["Process Group Name"], event["args"]["Seq"]);
    }
    for (const auto& each : run.truth["collectives"]) {
      const bool is_member = each["group"] == "0" || each["group"] == (rank < 2 ? "1" : "2");
      if (is_member) expected.emplace(each["group"], each["place"]);
    }
    for (const auto& lost : run.truth["ranks"][rank]["lost"]) {
      EXPECT_EQ(expected.erase({lost["group"], lost["place"]}), 1U);
    }
    EXPECT_EQ(found, expected);
  }
}

TEST(RanksRun, StoresPayloadsOfCollectives) {
  RanksOptions options = small_run();
  const WrittenRun run(options);
  const std::string sql =
      "SELECT hex(binaryData) FROM NVTX_EVENTS WHERE text = 'ncclAllReduce' ORDER BY start";
  const auto rows = query(run.file(3), sql);
  const auto& truth = run.truth["collectives"];
  ASSERT_EQ(rows.size(), truth.size());
  const auto number = [](const std::string& hex, std::size_t offset) {
    std::string turned;  // little-endian
    for (std::size_t i = 8; i-- > 0;) turned += hex.substr(2 * (offset + i), 2);
    return std::stoull(turned, nullptr, 16);
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(number(rows[i][0], 8), 16'777'221U);  // the schema
    EXPECT_EQ(number(rows[i][0], 16), 24U);
    EXPECT_EQ(std::to_string(number(rows[i][0], 32)),
              run.truth["groups"][0]["communicator"].get<std::string>());
    EXPECT_EQ(number(rows[i][0], 40), truth[i]["message_bytes"].get<uint64_t>());
  }
  EXPECT_THAT(query(run.file(3),
                    "SELECT offset FROM NVTX_PAYLOAD_SCHEMA_ENTRIES WHERE schemaId = 16777221 AND "
                    "name = 'Message size [bytes]'"),
              ElementsAre(ElementsAre("8")));
  options.blobs = false;
  const auto without = query(WrittenRun(options).file(3), sql);
  ASSERT_EQ(without.size(), rows.size());
  for (const auto& row : without) EXPECT_EQ(row[0], "");
}

TEST(RanksRun, PlantsSecretInExports) {
  const WrittenRun run(small_run());
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_THAT(query(run.file(rank),
                      "SELECT value FROM META_DATA_CAPTURE WHERE value LIKE "
                      "'API_TOKEN=%' OR value LIKE 'RANK=%'"),
                ElementsAre(ElementsAre("API_TOKEN=\"planted-secret-5f1d\""),
                            ElementsAre(fmt::format("RANK=\"{}\"", rank))));
    EXPECT_THAT(testing::contents_of(run.file(rank)), HasSubstr(std::string(kPlantedSecret)));
  }
  EXPECT_EQ(testing::contents_of(run.path("truth.json")).find("planted-secret"), std::string::npos);
}

TEST(RanksRun, SharesClocksOfHost) {
  const WrittenRun run(skewed_run("offset=5ms,drift=20"));
  std::vector<int64_t> boots;
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const auto& truth = run.truth["ranks"][rank];
    const auto row = query(run.file(rank), "SELECT * FROM TARGET_INFO_SESSION_START_TIME").at(0);
    const int64_t utc_ns = std::stoll(row[0]);
    boots.push_back(utc_ns - std::stoll(row[3]));
    const int64_t true_ns = run.truth["start_utc_ns"].get<int64_t>() +
                            truth["capture_start_ns"].get<int64_t>() +
                            truth["offset_ns"].get<int64_t>();
    EXPECT_NEAR(static_cast<double>(utc_ns - true_ns), 0, 1'000);
    EXPECT_LE(std::abs(truth["offset_ns"].get<int64_t>()), 5'000'000);
    EXPECT_EQ(truth["offset_ns"], run.truth["ranks"][rank / 2 * 2]["offset_ns"]);
    EXPECT_EQ(truth["drift_ns_per_s"], run.truth["ranks"][rank / 2 * 2]["drift_ns_per_s"]);
  }
  EXPECT_EQ(boots[0], boots[1]);
  EXPECT_NE(boots[0], boots[2]);
  EXPECT_NE(run.truth["ranks"][0]["offset_ns"], run.truth["ranks"][2]["offset_ns"]);
}

TEST(RanksRun, LeavesOutMissingRanks) {
  const WrittenRun run(skewed_run("missing=2,late=3:4"));
  EXPECT_THAT(run.files(), SizeIs(4));
  EXPECT_TRUE(run.truth["ranks"][2]["file"].is_null());
  EXPECT_EQ(run.truth["run"]["ranks"], 3);
  EXPECT_EQ(run.truth["run"]["first_iteration"], 4);
  EXPECT_THAT(query(run.file(3),
                    "SELECT text FROM NVTX_EVENTS WHERE text LIKE 'step %' OR text "
                    "LIKE 'ncclComm%' ORDER BY start LIMIT 1"),
              ElementsAre(ElementsAre("step 4")));
}

TEST(RanksRun, CollidesCorrelationsInOneFile) {
  RanksOptions options = small_run();
  options.one_file = true;
  const WrittenRun run(options);
  EXPECT_THAT(run.files(), SizeIs(3));
  const fs::path file = run.path("report_b.sqlite");
  EXPECT_THAT(query(file,
                    "SELECT count(DISTINCT globalPid), count(DISTINCT deviceId), count(*), "
                    "count(DISTINCT correlationId) FROM CUPTI_ACTIVITY_KIND_KERNEL"),
              ElementsAre(ElementsAre("2", "2", "1440", "720")));
  EXPECT_THAT(query(file, "SELECT value FROM META_DATA_CAPTURE WHERE value LIKE '%RANK=%'"),
              IsEmpty());
  EXPECT_EQ(opened(file).kernels.size(), 1440U);
}

TEST(RanksOptions, NamesNearestSkewItem) {
  const auto text = [](const char* skew) {
    const auto parsed = parse_skew(skew);
    return parsed ? std::string() : base::to_text(parsed.error());
  };
  EXPECT_THAT(text("ofset=5ms"), HasSubstr("offset=5ms"));
  EXPECT_THAT(text("drift=20,stragler=4:+8%"), HasSubstr("straggler=RANK:+8%"));
  EXPECT_THAT(text("straggler=4"), HasSubstr("the share is missing"));
  EXPECT_THAT(text("straggler=4:+8%:gpu"), HasSubstr("is not kernels, data or"));
  EXPECT_THAT(text("straggler=4:+8%:60-20"), HasSubstr("is after the last"));
  EXPECT_THAT(text("straggler=4:+8%:60-"), HasSubstr("an iteration range such as 60-99"));
  EXPECT_THAT(text("straggler=4:+8%:"), HasSubstr("the part or iteration range is missing"));
  EXPECT_THAT(text("straggler=4:+8%::60-99"), HasSubstr("the part or iteration range is missing"));
  EXPECT_THAT(text("straggler="), HasSubstr("the rank is missing"));
  EXPECT_THAT(text("straggler=4:"), HasSubstr("the share is missing"));
  EXPECT_THAT(text("straggler=4:+8%:1-2:3-4"), HasSubstr("one value too many"));
  EXPECT_THAT(text("straggler=4:+8%:data:kernels"), HasSubstr("one value too many"));
  EXPECT_EQ(text("straggler=4:+8%:data:60-99,straggler=4:+8%:7"), "");
  EXPECT_THAT(text("offset=5"), HasSubstr("\"5\" is not a valid value"));
  EXPECT_THAT(text("missing=1:2"), HasSubstr("one value too many"));
  EXPECT_EQ(text("offset=1.5ms,drift=0.5,straggler=4:8%:data,host=b:+5%,rotating=+10%,all=3:+1%,"
                 "lost=1:3,late=2:2,missing=3,jitter=0ns,noise=0%"),
            "");
  const Skew skew = *parse_skew("offset=1.5ms,drift=0.5,straggler=4:8.25%:data");
  EXPECT_EQ(skew.offset_ns, 1'500'000);
  EXPECT_EQ(skew.drift_ns_per_s, 500);
  EXPECT_EQ(skew.stragglers.at(0).rank, 4);
  EXPECT_EQ(skew.stragglers.at(0).more_ppm, 82'500);
  EXPECT_EQ(skew.stragglers.at(0).part, SlowPart::data);
}

TEST(RanksOptions, RefusesWhatRunLacks) {
  EXPECT_THAT(error_of(skewed_run("straggler=4:+8%")), HasSubstr("ranks are 0 to 3"));
  EXPECT_THAT(error_of(skewed_run("host=c:+8%")), HasSubstr("hosts are a to b"));
  EXPECT_THAT(error_of(skewed_run("late=1:12")), HasSubstr("12 iterations"));
  EXPECT_THAT(error_of(skewed_run("all=12:+5%")), HasSubstr("12 iterations"));
  RanksOptions options = small_run();
  options.kernels = 12 * 20;
  EXPECT_THAT(error_of(options), HasSubstr("Use --kernels 348"));
  options.kernels = 348;
  EXPECT_EQ(error_of(options), "");
  options = small_run();
  options.groups.tensor = 3;
  EXPECT_THAT(error_of(options), HasSubstr("groups of 3"));
  options = small_run(RanksFormat::pytorch);
  options.one_file = true;
  EXPECT_THAT(error_of(options), HasSubstr("--one-file"));
}

TEST(RanksOptions, RefusesFilledFolder) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "notes.txt") << "mine";
  base::Progress progress;
  const base::Status status = generate_ranks(folder.path(), small_run(), progress);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().title, "The folder is not empty");
  EXPECT_EQ(status.error().detail, folder.path().string());
  const base::Status file = generate_ranks(folder.path() / "notes.txt", small_run(), progress);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().title, "The output is not a folder");
  EXPECT_EQ(testing::contents_of(folder.path() / "notes.txt"), "mine");
}

}  // namespace
}  // namespace dlview::generate::ranks
