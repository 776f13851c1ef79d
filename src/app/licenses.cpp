#include "app/licenses.h"

#include <cstdio>

#include "embedded/dlview_notices.h"

namespace dlview::app {

int print_licenses() {
  for (const auto& [package, text] : notices::all()) {
    std::printf("==== %.*s\n\n", static_cast<int>(package.size()), package.data());
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::printf("\n");
  }
  return 0;
}

}  // namespace dlview::app
