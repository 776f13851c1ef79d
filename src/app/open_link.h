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
  // `wake` is called on another thread when a page could not be opened.
  explicit LinkOpener(std::function<void()> wake);

  // Only http and https; anything else is passed over, for links come out of files too.
  void open(const std::string& url);
  // The last page that could not be opened, once.
  std::optional<std::string> take_failed();

 private:
  struct Shared;  // outlives this: a browser may run longer than we do
  std::shared_ptr<Shared> shared_;
};

}  // namespace dlview::app
