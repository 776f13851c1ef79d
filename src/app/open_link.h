// Opens web pages in the user's browser. Whether there is one shows only later, so failures are
// collected. The main thread only.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/scheduler.h"

namespace dlview::app {

class LinkOpener {
 public:
  // Shows the page, and returns after that, or soon after the stop; false where it cannot. Runs in
  // a task, several at once.
  using Browser = std::function<bool(const std::string& url, const std::stop_token& stop)>;

  explicit LinkOpener(base::Scheduler& scheduler);
  LinkOpener(base::Scheduler& scheduler, Browser browser);

  // Only http and https; anything else is passed over, for links come out of files too.
  void open(const std::string& url);
  // The last page that could not be opened, once.
  std::optional<std::string> take_failed();

 private:
  struct Page {
    std::string url;
    base::Task<bool> is_shown;
  };

  base::Scheduler& scheduler_;
  Browser browser_;
  std::vector<Page> pages_;  // whose browsers have not returned
};

}  // namespace dlview::app
