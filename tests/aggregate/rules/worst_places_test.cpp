// Which op the text of a finding names, and how.
#include "aggregate/rules/worst_places.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/rules/finding_report.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

// A stake of each op, in ns.
std::string where_of(const std::vector<std::pair<const char*, int64_t>>& stakes) {
  testing::Sketch sketch;
  WorstPlaces places(1);
  for (const auto& [name, stake_ns] : stakes) sketch.instance(sketch.op(name), 0, 10);
  const auto profile = sketch.finish();
  for (profile::InstanceIndex i{0}; i < profile->instances.size(); ++i) {
    places.add(*profile, {.stake_ns = stakes[i].second, .instance = i}, {});
  }
  Finding finding;
  finding.op = places.op();
  finding.op_percent = places.op_percent();
  return where_text(*profile, finding);
}

TEST(WorstPlaces, NameTheOpWithMostOfIt) {
  EXPECT_EQ(where_of({{"a", 50}, {"b", 30}, {"c", 20}}), "Mostly in op a. ");
}

TEST(WorstPlaces, SayHowMuchTheLargestShareIs) {
  EXPECT_EQ(where_of({{"a", 18}, {"b", 49}, {"c", 33}}), "Largest share in op b (49.0%). ");
}

}  // namespace
}  // namespace dlview::aggregate
