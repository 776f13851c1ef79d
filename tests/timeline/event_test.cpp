#include "timeline/event.h"

#include <memory>

#include <gtest/gtest.h>

#include "support/sketch.h"

namespace dlview::timeline {
namespace {

TEST(Events, TellUnknownUseOfTensorCoresFromNone) {
  testing::Sketch sketch;
  const auto step = sketch.instance(sketch.op("step"), 0, 1000);
  sketch.kernel(step, 0, 300, 0, "xmma", true);
  sketch.kernel(step, 300, 500, 0, "triton_poi_fused_add");
  sketch.kernel(step, 500, 900, 0, "vectorized_elementwise_kernel");
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  const EventRef triton{EventKind::kernel, 1};
  EXPECT_EQ(Events(profile).category(triton), Category::other_kernel) << "the database tells each";
  profile->source.by_tensor_core_rules = true;
  const Events events(profile);
  EXPECT_EQ(events.category({EventKind::kernel, 0}), Category::tensor_core_kernel);
  EXPECT_EQ(events.category(triton), Category::unknown_kernel);
  EXPECT_EQ(events.category({EventKind::kernel, 2}), Category::other_kernel);
}

TEST(Events, NameMarkersByTheirOp) {
  constexpr const char* kMarker = "{'mod': 'torch', 'op': 'conv2d', 'args': []}";
  testing::Sketch sketch;
  sketch.instance(sketch.op("step"), 0, 1000);
  sketch.user_range(kMarker, 0, 100);
  sketch.user_range("epoch", 100, 200);
  const Events events(sketch.finish());
  EXPECT_EQ(events.name({EventKind::user_range, 0}), "conv2d");
  EXPECT_EQ(events.full_text({EventKind::user_range, 0}), kMarker);
  EXPECT_EQ(events.name({EventKind::user_range, 1}), "epoch");
}

}  // namespace
}  // namespace dlview::timeline
