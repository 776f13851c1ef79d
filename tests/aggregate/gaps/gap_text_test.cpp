#include "aggregate/gaps/gap_text.h"

#include <vector>

#include <gtest/gtest.h>

#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

class GapText : public ::testing::Test {
 protected:
  GapText() {
    testing::Sketch sketch;
    sketch.instance(sketch.op("/step/read"), 0, 10);
    profile_ = sketch.finish();
  }

  static FindingPlace gap(int64_t duration_ns, GapCause cause, int64_t cause_ns) {
    FindingPlace place{.duration_ns = duration_ns};
    place.host = HostTime{.cause = cause, .cause_ns = cause_ns, .instance = 0};
    return place;
  }

  std::shared_ptr<const profile::Profile> profile_;
};

TEST_F(GapText, SaysWhereTheHostWas) {
  EXPECT_EQ(place_of_host(*profile_, {.cause = GapCause::op, .instance = 0}), "in /step/read");
  EXPECT_EQ(place_of_host(*profile_, {.cause = GapCause::data_loader, .instance = 0}),
            "in /step/read");
  EXPECT_EQ(place_of_host(*profile_, {.cause = GapCause::launch, .instance = 0}),
            "launching the next GPU activity");
  EXPECT_EQ(place_of_host(*profile_, {.cause = GapCause::os_call}), "in an OS call");
  EXPECT_EQ(place_of_host(*profile_, {.cause = GapCause::nothing}),
            "between ops, where nothing was recorded");
}

TEST_F(GapText, NamesThePlaceThatTookMostOfAllGaps) {
  const std::vector<FindingPlace> gaps{gap(100, GapCause::launch, 90), gap(60, GapCause::op, 50),
                                       gap(60, GapCause::op, 55)};
  EXPECT_EQ(host_in_gaps(*profile_, gaps),
            "In the 3 longest idle gaps (220\u202fns in total), the host was mostly in /step/read");
  EXPECT_EQ(host_in_gaps(*profile_, std::span(gaps).first(1)),
            "In the longest idle gap (100\u202fns), the host was mostly launching the next GPU activity");
}

TEST_F(GapText, IsEmptyWhereNothingIsKnown) {
  EXPECT_EQ(host_in_gaps(*profile_, {}), "");
  const std::vector<FindingPlace> gaps{{.duration_ns = 10}};
  EXPECT_EQ(host_in_gaps(*profile_, gaps), "");
}

}  // namespace
}  // namespace dlview::aggregate
