#include "ui/background.h"

#include <future>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

namespace dlview::ui {
namespace {

class BackgroundTest : public ::testing::Test {
 protected:
  base::Scheduler scheduler_;
  Background background_{scheduler_};
};

TEST_F(BackgroundTest, BeginsAfterTheFrameThatHoldsIt) {
  std::optional<base::Scheduler::Hold> hold(background_.hold());
  base::Task<int> task = background_.start([](base::Progress&) { return 1; });
  EXPECT_TRUE(background_.busy()) << "it waits";
  EXPECT_FALSE(background_.take_news());
  hold.reset();
  background_.wait_until_idle();
  EXPECT_FALSE(background_.busy());
  EXPECT_EQ(task.take().value(), 1);
}

TEST_F(BackgroundTest, HasNewsOfEachTaskOnce) {
  const auto fail = [](base::Progress&) { throw std::bad_alloc(); };
  base::Task<base::Success> task = background_.start(fail);
  background_.wait_until_idle();
  EXPECT_TRUE(background_.take_news());
  EXPECT_FALSE(background_.take_news()) << "once";
  task = background_.start(fail);
  task = {};
  background_.wait_until_idle();
  EXPECT_TRUE(background_.take_news()) << "also of one that was let go";
}

TEST_F(BackgroundTest, KeepsAFailureForANotice) {
  background_.fail({"Not enough memory", "", ""});
  EXPECT_TRUE(background_.take_news());
  const auto failure = background_.take_failure();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->title, "Not enough memory");
  EXPECT_FALSE(background_.take_failure()) << "once";
  EXPECT_FALSE(background_.take_news());
}

// If it were dropped at once, a view that still has it would free it, in a frame.
TEST_F(BackgroundTest, FreesTheLastReferenceOnAnotherThread) {
  std::promise<std::thread::id> freed;
  std::future<std::thread::id> freed_on = freed.get_future();
  std::shared_ptr<const int> shown(new int(1), [&freed](const int* value) {
    delete value;
    freed.set_value(std::this_thread::get_id());
  });
  background_.drop(shown);
  background_.take_news();
  EXPECT_EQ(shown.use_count(), 2) << "a view shows it";
  shown.reset();
  background_.take_news();
  EXPECT_NE(freed_on.get(), std::this_thread::get_id());
}

}  // namespace
}  // namespace dlview::ui
