// Whatever a task throws ends in a notice or on an error page, and the window goes on.
#include <atomic>
#include <memory>
#include <new>
#include <string>

#include <gtest/gtest.h>

#include "app/program_support.h"
#include "generate/demo.h"
#include "ui/view.h"

namespace dlview::app {
namespace {

class FailingTasks : public ProgramTest {
 protected:
  void SetUp() override {
    before_each_job_ = [jobs = jobs_, failing = failing_] {
      if ((*jobs)++ == *failing) throw std::bad_alloc();
    };
    ProgramTest::SetUp();
  }

  // More events than views look at within a frame.
  static workspace::OpenRequest large_request() {
    workspace::OpenRequest request = workspace::random_request();
    request.load = [](base::Progress& progress) {
      static const base::Result<profile::Profile> run =
          generate::make_demo_profile({.iterations = 20, .kernels = 120'000}, progress);
      return run;
    };
    request.choose =
        [](const aggregate::KeyRanking& ranking) -> base::Result<workspace::FirstSelection> {
      return workspace::FirstSelection{aggregate::default_selection(ranking), ""};
    };
    return request;
  }

  bool is_told() {
    const std::string shown = state_json(program());
    return shown.find("Not enough memory") != std::string::npos;
  }

  // Opens a file, looks at everything and changes everything. Returns whether a failure was told.
  bool look_around() {
    open(large_request());
    bool told = is_told();
    const auto draw = [&] {
      offscreen_->draw_until_settled();
      told = told || is_told();
    };
    if (program().session().state() != workspace::Session::State::open) return told;
    for (const ui::ViewInfo& view : ui::views()) {
      program().show(view.id);
      draw();
    }
    const aggregate::Selection first = program().session().selection();
    program().select(first.with_range({2, 5}));
    draw();
    aggregate::Selection filtered = first;
    filtered.filters = {{.kind = aggregate::FilterKind::tensor_core, .number = 1}};
    program().select(filtered);
    draw();
    program().preview_cut(aggregate::Cut{});
    draw();
    program().preview_cut(std::nullopt);
    return told;
  }

  std::shared_ptr<std::atomic<int>> jobs_ = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::atomic<int>> failing_ = std::make_shared<std::atomic<int>>(-1);
};

TEST_F(FailingTasks, AreToldAndTheWindowGoesOn) {
  EXPECT_FALSE(look_around());
  const int count = *jobs_;
  EXPECT_GT(count, 10);
  int untold = 0;
  for (int failing = 0; failing < count; ++failing) {
    *failing_ = failing;
    *jobs_ = 0;
    if (!look_around()) ++untold;
    *failing_ = -1;
    open(workspace::random_request());
    program().show(ui::ViewId::timeline);
    offscreen_->draw_until_settled();
    EXPECT_EQ(program().session().state(), workspace::Session::State::open) << failing;
    EXPECT_NE(program().session().lanes(), nullptr) << failing;
  }
  EXPECT_LE(untold, 4) << "only who prepares for filters fails without a word";
}

}  // namespace
}  // namespace dlview::app
