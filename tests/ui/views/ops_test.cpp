#include "ui/views/tables/ops.h"

#include <memory>
#include <optional>
#include <string_view>

#include "ui/view_fixture.h"

namespace dlview::ui {
namespace {

class OpsTest : public testing::ViewFixture {
 protected:
  // An eligible op of one call, with this kernel.
  void show(std::string_view kernel) {
    testing::Sketch sketch;
    sketch.kernel(sketch.instance(sketch.op("linear", "linear", true), 0, 10), 10, 20, 0, kernel);
    auto profile = std::make_shared<profile::Profile>(*sketch.finish());
    profile->source.by_tensor_core_rules = true;
    open(profile, "");
    view_.emplace(*profile);
    draw = [this](Frame& frame, const Box& box, BarLayer& bars) {
      view_->draw(frame, box, {bars, tables_});
    };
    frames(3);
  }

  base::Scheduler scheduler_;
  Tables tables_{scheduler_};
  std::optional<OpsView> view_;
};

TEST_F(OpsTest, TheUseOfTensorCoresIsAskedOfTheRules) {
  show("volta_sgemm_128x64_nn");
  EXPECT_EQ(value("ops/rows/0/using_tc"), "0");
  show("my_own_kernel");
  EXPECT_EQ(value("ops/rows/0/using_tc"), "?");
}

}  // namespace
}  // namespace dlview::ui
