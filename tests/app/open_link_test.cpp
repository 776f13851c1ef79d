#include "app/open_link.h"

#include <atomic>
#include <new>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace dlview::app {
namespace {

constexpr const char* kPage = "https://example.org/guide";

TEST(LinkOpener, CollectsAPageWhoseBrowserThrows) {
  std::atomic<int> wakes = 0;
  LinkOpener links(
      [&] {
        ++wakes;
        wakes.notify_all();
      },
      [](const std::string&) -> bool { throw std::bad_alloc(); });
  links.open(kPage);
  wakes.wait(0);
  EXPECT_EQ(links.take_failed(), kPage);
  EXPECT_EQ(links.take_failed(), std::nullopt) << "once";
}

TEST(LinkOpener, PassesOverWhatIsNoWebPage) {
  std::atomic<bool> asked = false;
  LinkOpener links([] {}, [&](const std::string&) { return asked = true; });
  links.open("file:///etc/passwd");
  EXPECT_FALSE(asked);
}

}  // namespace
}  // namespace dlview::app
