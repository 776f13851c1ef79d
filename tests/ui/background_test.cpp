#include "ui/background.h"

#include <atomic>
#include <chrono>
#include <future>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

namespace dlview::ui {
namespace {

// Long enough that a job which is not held would have begun.
constexpr std::chrono::milliseconds kAMoment{30};

TEST(Background, BeginsBehindTheFrameThatHoldsIt) {
  Background background([] {});
  std::atomic<bool> has_run = false;
  {
    const Background::Hold hold(background);
    background.run([&] { has_run = true; });
    std::this_thread::sleep_for(kAMoment);
    EXPECT_FALSE(has_run);
    EXPECT_TRUE(background.busy()) << "it waits";
  }
  background.wait_until_idle();
  EXPECT_TRUE(has_run);
  EXPECT_TRUE(background.take_news());
}

TEST(Background, BeginsBehindTheLastOfSeveralHolds) {
  Background background([] {});
  std::atomic<bool> has_run = false;
  std::optional<Background::Hold> outer(std::in_place, background);
  std::optional<Background::Hold> inner(std::in_place, background);
  background.run([&] { has_run = true; });
  inner.reset();
  std::this_thread::sleep_for(kAMoment);
  EXPECT_FALSE(has_run);
  outer.reset();
  background.wait_until_idle();
  EXPECT_TRUE(has_run);
}

// Else frames that follow each other at once would keep it from ever beginning.
TEST(Background, WhatOneFrameAskedForMayBeginInTheNext) {
  Background background([] {});
  std::promise<void> begun, go;
  background.run([&] {
    begun.set_value();
    go.get_future().wait();
  });
  begun.get_future().wait();
  std::atomic<bool> has_run = false;
  {
    const Background::Hold frame(background), nested(background);
    background.run([&] { has_run = true; });
  }
  const Background::Hold next_frame(background);
  go.set_value();
  background.wait_until_idle();
  EXPECT_TRUE(has_run);
}

TEST(Background, AHoldThatMovesHoldsOnce) {
  Background background([] {});
  std::atomic<bool> has_run = false;
  {
    Background::Hold hold(background);
    const Background::Hold moved(std::move(hold));
    background.run([&] { has_run = true; });
    std::this_thread::sleep_for(kAMoment);
    EXPECT_FALSE(has_run);
  }
  background.wait_until_idle();
  EXPECT_TRUE(has_run);
}

TEST(Background, FinishesWhatRunsWhenItIsHeld) {
  Background background([] {});
  std::promise<void> begun, go;
  std::atomic<bool> has_run = false;
  background.run([&] {
    begun.set_value();
    go.get_future().wait();
    has_run = true;
  });
  begun.get_future().wait();
  const Background::Hold hold(background);
  go.set_value();
  background.wait_until_idle();
  EXPECT_TRUE(has_run);
}

TEST(Background, KeepsTheErrorOfAJobThatThrows) {
  Background background([] {});
  std::atomic<bool> has_run = false;
  background.run([] { throw std::bad_alloc(); });
  background.run([&] { has_run = true; });
  background.wait_until_idle();
  EXPECT_TRUE(has_run) << "the next job begins";
  EXPECT_TRUE(background.take_news());
  const auto failure = background.take_failure();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->title, "Not enough memory");
  EXPECT_FALSE(background.take_failure()) << "once";
}

TEST(Background, KeepsTheErrorOfAJobWithinTheCall) {
  Background background([] {});
  background.run_now([] { throw std::runtime_error("no regex"); });
  const auto failure = background.take_failure();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->detail, "no regex");
}

}  // namespace
}  // namespace dlview::ui
