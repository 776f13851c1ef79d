#include "app/quit_signals.h"

#include <atomic>
#include <csignal>
#include <unistd.h>

#include <gtest/gtest.h>

namespace dlview::app {
namespace {

TEST(QuitSignals, WakeTheLoopThatIsToQuit) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::signal(signal, SIG_DFL);  // nohup starts tests with one that is ignored
    std::atomic<int> wakes = 0;
    const QuitSignals signals([&] {
      ++wakes;
      wakes.notify_all();
    });
    EXPECT_FALSE(signals.arrived());
    raise(signal);
    wakes.wait(0);
    EXPECT_TRUE(signals.arrived());
  }
}

TEST(QuitSignals, EndTheProcessTheSecondTime) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer delivers signals late";
#endif
  const auto raise_twice = [] {
    const QuitSignals signals([] {});
    raise(SIGTERM);
    raise(SIGTERM);
  };
  EXPECT_EXIT(raise_twice(), ::testing::KilledBySignal(SIGTERM), "");
}

TEST(QuitSignals, LeaveASignalIgnoredThatIsIgnored) {
  std::signal(SIGHUP, SIG_IGN);
  {
    const QuitSignals signals([] {});
    raise(SIGHUP);
    EXPECT_FALSE(signals.arrived());
  }
  std::signal(SIGHUP, SIG_DFL);
}

}  // namespace
}  // namespace dlview::app
