#include "aggregate/gaps/gap_text.h"

#include <vector>

#include <gtest/gtest.h>

#include "support/sketch.h"
#include "support/thread_ids.h"

namespace dlview::aggregate {
namespace {

using profile::DeviceIndex;
using profile::InstanceIndex;

class GapText : public ::testing::Test {
 protected:
  GapText() {
    testing::Sketch sketch;
    sketch.instance(sketch.op("/step/read"), 0, 10);
    sketch.instance(sketch.op("/step/norm"), 10, 20);
    sketch.op("THPVariable_pin_memory");
    sketch.op("cudaStreamSynchronize_v3020");
    profile_ = testing::with_thread(*sketch.finish(), 114211);
  }

  static FindingPlace gap(int64_t duration_ns, GapCause cause, int64_t cause_ns,
                          InstanceIndex instance = InstanceIndex{0}) {
    FindingPlace place{.duration_ns = duration_ns};
    place.host = HostTime{.cause = cause, .cause_ns = cause_ns, .instance = instance};
    return place;
  }

  std::shared_ptr<const profile::Profile> profile_;
};

TEST_F(GapText, SaysWhereTheHostWas) {
  EXPECT_EQ(place_of_host(*profile_, {.cause = GapCause::op, .instance = InstanceIndex{0}}),
            "in /step/read");
  EXPECT_EQ(
      place_of_host(*profile_, {.cause = GapCause::data_loader, .instance = InstanceIndex{0}}),
      "in /step/read");
  EXPECT_EQ(place_of_host(*profile_, {.cause = GapCause::wait, .call = profile_->ops.name[3]}),
            "in cudaStreamSynchronize");
  EXPECT_EQ(place_of_host(*profile_, {.cause = GapCause::launch, .instance = InstanceIndex{0}}),
            "launching the next GPU activity");
  EXPECT_EQ(place_of_host(*profile_, {.cause = GapCause::os_call}), "in an OS call");
  EXPECT_EQ(place_of_host(*profile_, {.cause = GapCause::nothing}),
            "between ops (nothing recorded)");
}

TEST_F(GapText, SaysMostlyFromHalfTheTime) {
  const std::vector<FindingPlace> gaps{gap(100, GapCause::launch, 80), gap(60, GapCause::op, 55),
                                       gap(60, GapCause::op, 55)};
  EXPECT_EQ(host_in_gaps(*profile_, gaps),
            "In the 3 longest idle gaps (220\u202fns in total), the host was mostly in /step/read");
  EXPECT_EQ(
      host_in_gaps(*profile_, std::span(gaps).first(1)),
      "In the longest idle gap (100\u202fns), the host was mostly launching the next GPU activity");
  EXPECT_EQ(host_in_gaps(*profile_, std::span(gaps).first(2)),
            "In the 2 longest idle gaps (160\u202fns in total), the host was mostly launching the "
            "next GPU activity");
}

TEST_F(GapText, NamesSharesWithoutAMajority) {
  const std::vector<FindingPlace> gaps{gap(100, GapCause::op, 80, InstanceIndex{1}),
                                       gap(60, GapCause::launch, 60), gap(60, GapCause::op, 50),
                                       gap(30, GapCause::nothing, 25, InstanceIndex())};
  EXPECT_EQ(host_in_gaps(*profile_, gaps),
            "In the 4 longest idle gaps (250\u202fns in total), the host spent 32.0% of the time "
            "in /step/norm, 24.0% launching the next GPU activity and 20.0% in "
            "/step/read");
}

TEST_F(GapText, NamesTheNumberOfGpus) {
  std::vector<FindingPlace> gaps{gap(100, GapCause::op, 80), gap(60, GapCause::op, 60)};
  gaps[0].device = DeviceIndex{0};
  gaps[1].device = DeviceIndex{1};
  EXPECT_EQ(host_in_gaps(*profile_, gaps),
            "In the 2 longest idle gaps (160\u202fns in total over 2 GPUs), the host was mostly in "
            "/step/read");
}

TEST_F(GapText, NamesAdjacentOps) {
  HostTime host{
      .cause = GapCause::op, .cause_ns = 100, .instance = InstanceIndex{0}, .others_ns = 9};
  EXPECT_EQ(place_of_host(*profile_, host), "in /step/read");
  host.others_ns = 10;
  EXPECT_EQ(place_of_host(*profile_, host), "in /step/read and adjacent ops");
}

TEST_F(GapText, IsShortForAPlace) {
  const BusyThread busy{.id = testing::kOnlyThread};
  EXPECT_EQ(short_place_of_host(
                *profile_,
                {.cause = GapCause::data_loader, .cause_ns = 100, .asleep_ns = 90, .other = busy}),
            "asleep · data loading in thread 114211");
  EXPECT_EQ(short_place_of_host(*profile_, {.cause = GapCause::asleep, .other = busy}),
            "asleep · thread 114211 busy");
  EXPECT_EQ(short_place_of_host(*profile_, {.cause = GapCause::op, .instance = InstanceIndex{0}}),
            "in /step/read");
}

TEST_F(GapText, AdvisesWhenHostWaitsForData) {
  std::vector<FindingPlace> gaps{gap(100, GapCause::data_loader, 95, InstanceIndex()),
                                 gap(20, GapCause::op, 20)};
  BusyThread& other =
      gaps[0].host->other.emplace(BusyThread{.id = testing::kOnlyThread, .loads_data = true});
  other.sampled.loader = profile_->ops.name[2];
  const std::string waiting =
      "In the 2 longest idle gaps (120\u202fns in total), the host was mostly waiting for data "
      "that pin-memory thread 114211 prepares";
  other.busy_ns = 49;
  EXPECT_EQ(
      host_in_gaps(*profile_, gaps),
      waiting +
          " (busy for 49.0% of the time). That thread mostly waits, too. Speed up what "
          "feeds it: more DataLoader workers (num_workers, prefetch_factor), cheaper decoding "
          "and augmentation, faster storage");
  other.busy_ns = 50;
  EXPECT_EQ(host_in_gaps(*profile_, gaps),
            waiting +
                " (busy for 50.0% of the time). Make loading cheaper (decoding, augmentation, "
                "copies), or spread it over more workers (num_workers, prefetch_factor)");
  gaps[0].host->other.reset();
  gaps[0].host->instance = InstanceIndex{0};
  EXPECT_EQ(host_in_gaps(*profile_, std::span(gaps).first(1)),
            "In the longest idle gap (100\u202fns), the host was mostly in /step/read. "
            "Load the next batch in the background: a DataLoader with num_workers > 0 and "
            "prefetch_factor");
}

TEST_F(GapText, NamesTheRoleOfDataThreads) {
  BusyThread thread{.id = testing::kOnlyThread, .loads_data = true};
  EXPECT_EQ(busy_thread_text(*profile_, thread), "thread 114211");
  thread.sampled.loader = profile_->ops.name[2];
  EXPECT_EQ(busy_thread_text(*profile_, thread), "pin-memory thread 114211");
  thread.loads_data = false;
  EXPECT_EQ(busy_thread_text(*profile_, thread), "thread 114211");
}

TEST_F(GapText, IsEmptyWhereNothingIsKnown) {
  EXPECT_EQ(host_in_gaps(*profile_, {}), "");
  const std::vector<FindingPlace> gaps{{.duration_ns = 10}};
  EXPECT_EQ(host_in_gaps(*profile_, gaps), "");
}

}  // namespace
}  // namespace dlview::aggregate
