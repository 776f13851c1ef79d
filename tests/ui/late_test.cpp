#include <future>
#include <memory>
#include <new>

#include <gtest/gtest.h>

#include "ui/background.h"

namespace dlview::ui {
namespace {

using Number = Late<int, int>;

Number::Make make(int number) {
  return [number](const base::Progress&) { return std::make_shared<const int>(number); };
}

TEST(Late, IsMadeWithinTheCallWhereItIsSmall) {
  base::Scheduler scheduler;
  Background background(scheduler);
  Number late;
  EXPECT_EQ(late.get(), nullptr);
  late.want(1, true, background, make(10));
  ASSERT_NE(late.get(), nullptr);
  EXPECT_EQ(*late.get(), 10);
  late.want(1, true, background, make(11));
  EXPECT_EQ(*late.get(), 10) << "the same key makes nothing anew";
  late.drop();
  EXPECT_EQ(late.get(), nullptr);
}

TEST(Late, KeepsTheLastOneUntilTheNextIsThere) {
  base::Scheduler scheduler;
  Background background(scheduler);
  Number late;
  late.want(1, true, background, make(10));
  std::promise<void> go;
  const auto wait = go.get_future().share();
  const Number::Make slow = [wait](const base::Progress&) {
    wait.wait();
    return std::make_shared<const int>(20);
  };
  late.want(2, false, background, slow);
  EXPECT_TRUE(late.is_late());
  EXPECT_EQ(*late.get(), 10);
  go.set_value();
  background.wait_until_idle();
  late.want(2, false, background, slow);
  EXPECT_FALSE(late.is_late());
  EXPECT_EQ(*late.get(), 20);
}

TEST(Late, CancelsWhatIsNotWantedAnyMore) {
  base::Scheduler scheduler;
  Background background(scheduler);
  Number late;
  std::promise<void> begun;
  std::atomic<bool> was_canceled = false;
  late.want(1, false, background, [&](const base::Progress& progress) {
    begun.set_value();
    while (!progress.canceled()) std::this_thread::yield();
    was_canceled = true;
    return std::make_shared<const int>(10);
  });
  begun.get_future().wait();
  late.want(2, false, background, make(20));
  background.wait_until_idle();
  late.want(2, false, background, make(21));
  EXPECT_TRUE(was_canceled);
  EXPECT_EQ(*late.get(), 20);
}

TEST(Late, HasNothingAfterAnErrorUntilAnotherKeyIsWanted) {
  for (const bool at_once : {true, false}) {
    base::Scheduler scheduler;
    Background background(scheduler);
    Number late;
    late.want(1, true, background, make(10));
    late.want(2, at_once, background,
              [](const base::Progress&) -> std::shared_ptr<const int> { throw std::bad_alloc(); });
    background.wait_until_idle();
    late.want(2, at_once, background, make(20));
    EXPECT_FALSE(late.is_late());
    EXPECT_EQ(late.get(), nullptr) << "it is not tried in every frame";
    EXPECT_TRUE(background.take_failure());
    late.want(3, true, background, make(30));
    EXPECT_EQ(*late.get(), 30);
  }
}

// Else it would never follow a hand that does not rest.
TEST(Late, FinishesWhatWasBegunWhereItIsToldTo) {
  base::Scheduler scheduler;
  Background background(scheduler);
  Number late(Number::WhenOutdated::finish);
  std::promise<void> go;
  const auto wait = go.get_future().share();
  late.want(1, false, background, [wait](const base::Progress& progress) {
    wait.wait();
    return std::make_shared<const int>(progress.canceled() ? 0 : 10);
  });
  for (int key = 2; key < 5; ++key) late.want(key, false, background, make(10 * key));
  EXPECT_EQ(late.get(), nullptr);
  go.set_value();
  background.wait_until_idle();
  late.want(5, false, background, make(50));
  ASSERT_NE(late.get(), nullptr);
  EXPECT_EQ(*late.get(), 10);
  EXPECT_TRUE(late.is_late());
  background.wait_until_idle();
  late.want(5, false, background, make(51));
  EXPECT_EQ(*late.get(), 50);
  EXPECT_FALSE(late.is_late());
}

}  // namespace
}  // namespace dlview::ui
