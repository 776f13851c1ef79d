#include "ui/views/dashboard/finding_places.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sketch.h"
#include "support/thread_ids.h"

namespace dlview::ui {
namespace {

using aggregate::FindingPlace;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr profile::InstanceIndex kInstance{0};
constexpr profile::DeviceIndex kGpu{0};

class FindingPlaces : public ::testing::Test {
 protected:
  explicit FindingPlaces(int devices = 2) {
    testing::Sketch sketch(devices);
    sketch.kernel(sketch.instance(sketch.op("net/optimizer_step_of_all"), 0, 10), 20, 30);
    profile_ = testing::with_thread(*sketch.finish(), 114211);
    iterations_.rows.push_back({.start_ns = 0, .stop_ns = 100});
  }

  PlaceRow row_of(std::string_view detector, const FindingPlace& place) const {
    aggregate::Finding finding;
    finding.advice.detector = detector;
    finding.places = {place};
    return prepare_places(*profile_, iterations_, finding).at(0);
  }

  std::shared_ptr<const profile::Profile> profile_;
  aggregate::Iterations iterations_;
};

TEST_F(FindingPlaces, SayTheCauseOfAGapInFewWords) {
  FindingPlace place{.duration_ns = 50, .device = kGpu};
  place.host = aggregate::HostTime{.cause = aggregate::GapCause::data_loader,
                                   .cause_ns = 50,
                                   .asleep_ns = 45,
                                   .other = aggregate::BusyThread{.id = testing::kOnlyThread}};
  const PlaceRow row = row_of("gpu_idle", place);
  EXPECT_THAT(row.what, EndsWith("GPU 0 · asleep · data loading in thread 114211"));
  EXPECT_THAT(row.tooltip, HasSubstr("Host meanwhile: data loading"));
}

TEST_F(FindingPlaces, NameACallWithoutItsVersion) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("cudaMalloc_v3020"), 0, 10);
  profile_ = sketch.finish();
  const PlaceRow row =
      row_of("allocation_in_steady_state",
             {.duration_ns = 5, .instance = kInstance, .call = profile_->ops.name[0]});
  EXPECT_THAT(row.what, HasSubstr("cudaMalloc · "));
}

TEST_F(FindingPlaces, NameTheOpAfterAGapButThatOfAKernelAsItsOwn) {
  const FindingPlace place{.duration_ns = 50, .instance = kInstance, .device = kGpu};
  const PlaceRow gap = row_of("launch_bound", place), kernel = row_of("layout_transposes", place);
  EXPECT_THAT(gap.what, EndsWith("GPU 0 · before net/optimizer_step_of_all"));
  EXPECT_THAT(kernel.what, EndsWith("GPU 0 · net/optimizer_step_of_all"));
}

TEST_F(FindingPlaces, NameTheOpAfterAGapWithAHostInTheTooltip) {
  FindingPlace place{.duration_ns = 50, .instance = kInstance, .device = kGpu};
  place.host = aggregate::HostTime{.cause = aggregate::GapCause::asleep, .cause_ns = 50};
  const PlaceRow row = row_of("gpu_gaps", place);
  EXPECT_THAT(row.what, EndsWith("GPU 0 · asleep"));
  EXPECT_THAT(row.tooltip, HasSubstr("Idle gap before net/optimizer_step_of_all"));
}

TEST(ThresholdLine, BeginsWithThreshold) {
  EXPECT_EQ(threshold_line("Potential savings of at least 2% of the iteration"),
            "Threshold: potential savings of at least 2% of the iteration");
  EXPECT_EQ(threshold_line("Idle gap longer than 10% · Potential savings of at least 2%"),
            "Thresholds: idle gap longer than 10% · potential savings of at least 2%");
  EXPECT_EQ(threshold_line("GPU busy for less than 5%"), "Threshold: GPU busy for less than 5%");
  EXPECT_EQ(threshold_line(""), "");
}

class FindingPlacesOfOneGpu : public FindingPlaces {
 protected:
  FindingPlacesOfOneGpu() : FindingPlaces(1) {}
};

TEST_F(FindingPlacesOfOneGpu, LeaveItsNameOut) {
  const FindingPlace place{.duration_ns = 50, .instance = kInstance, .device = kGpu};
  EXPECT_THAT(row_of("layout_transposes", place).what, EndsWith("0 · net/optimizer_step_of_all"));
  EXPECT_THAT(row_of("layout_transposes", place).what, ::testing::Not(HasSubstr("GPU")));
}

}  // namespace
}  // namespace dlview::ui
