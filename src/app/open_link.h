// Opens web pages in the user's browser. Whether there is one shows only later, so failures are
// collected.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace dlview::app {

class LinkOpener {
 public:
  // Shows the page, and returns after that; false where it cannot.
  using Browser = std::function<bool(const std::string& url)>;

  // `wake` is called on another thread when a page could not be opened. `browser` runs there, too.
  explicit LinkOpener(std::function<void()> wake);
  LinkOpener(std::function<void()> wake, Browser browser);

  // Only http and https; anything else is passed over, for links come out of files too.
  void open(const std::string& url);
  // The last page that could not be opened, once.
  std::optional<std::string> take_failed();

 private:
  struct Shared;  // outlives this: a browser may run longer than we do
  std::shared_ptr<Shared> shared_;
};

}  // namespace dlview::app
