#include "app/open_link.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "import/test_database.h"
#include "support/test_data.h"

namespace dlview::app {
namespace {

constexpr const char* kPage = "https://example.org/guide";

TEST(LinkOpener, CollectsAPageThatCannotBeShown) {
  const auto throws = [](const std::string&, const std::stop_token&) -> bool {
    throw std::bad_alloc();
  };
  const auto finds_none = [](const std::string&, const std::stop_token&) { return false; };
  for (const LinkOpener::Browser& browser : {LinkOpener::Browser(throws), {finds_none}}) {
    base::Scheduler scheduler;
    LinkOpener links(scheduler, browser);
    links.open(kPage);
    scheduler.wait_until_idle();
    EXPECT_EQ(links.take_failed(), kPage);
    EXPECT_EQ(links.take_failed(), std::nullopt) << "once";
  }
}

TEST(LinkOpener, SaysNothingOfAPageThatIsShown) {
  base::Scheduler scheduler;
  LinkOpener links(scheduler, [](const std::string&, const std::stop_token&) { return true; });
  links.open(kPage);
  scheduler.wait_until_idle();
  EXPECT_EQ(links.take_failed(), std::nullopt);
}

TEST(LinkOpener, PassesOverWhatIsNoWebPage) {
  std::atomic<bool> asked = false;
  base::Scheduler scheduler;
  LinkOpener links(scheduler,
                   [&](const std::string&, const std::stop_token&) { return asked = true; });
  links.open("file:///etc/passwd");
  scheduler.wait_until_idle();
  EXPECT_FALSE(asked);
}

// An xdg-open of our own, which writes what it was asked for, stays for seconds, or fails.
class XdgOpen : public ::testing::Test {
 protected:
  explicit XdgOpen() { setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1); }
  ~XdgOpen() override { setenv("PATH", path_.c_str(), 1); }
  void write(const std::string& lines) {
    const std::filesystem::path file = folder_.path() / "xdg-open";
    testing::write_file(file, "#!/bin/sh\n" + lines + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

  const std::string path_ = std::getenv("PATH");
  const testing::TemporaryFolder folder_;
};

TEST_F(XdgOpen, IsAskedForThePage) {
  write("printf %s \"$1\" > '" + (folder_.path() / "asked").string() + "'");
  base::Scheduler scheduler;
  LinkOpener links(scheduler);
  links.open(kPage);
  scheduler.wait_until_idle();
  EXPECT_EQ(links.take_failed(), std::nullopt);
  EXPECT_EQ(testing::contents_of(folder_.path() / "asked"), kPage);
}

TEST_F(XdgOpen, MayFail) {
  write("exit 3");
  base::Scheduler scheduler;
  LinkOpener links(scheduler);
  links.open(kPage);
  scheduler.wait_until_idle();
  EXPECT_EQ(links.take_failed(), kPage);
}

// It may be the browser itself, and run on when the window is closed.
TEST_F(XdgOpen, IsNotWaitedForAtTheEnd) {
  const std::filesystem::path begun = folder_.path() / "begun";
  write("touch '" + begun.string() + "'; exec sleep 5");
  std::chrono::steady_clock::time_point begin;
  {
    base::Scheduler scheduler;
    LinkOpener links(scheduler);
    links.open(kPage);
    while (!std::filesystem::exists(begun)) std::this_thread::yield();
    begin = std::chrono::steady_clock::now();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

}  // namespace
}  // namespace dlview::app
