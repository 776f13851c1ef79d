// Opens a web page in the user's browser.
#pragma once

#include <string>

namespace dlview::app {

// Only http and https; anything else is passed over, for links come out of files too.
void open_link(const std::string& url);

}  // namespace dlview::app
