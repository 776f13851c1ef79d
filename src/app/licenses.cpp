#include "app/licenses.h"

#include <cstdio>

#include "embedded/dlview_notices.h"

namespace dlview::app {

std::string all_licenses() {
  std::string all;
  for (const auto& [package, text] : notices::all()) {
    all += "==== ";
    all += package;
    all += "\n\n";
    all.append(text.begin(), text.end());
    all += "\n";
  }
  return all;
}

int print_licenses() {
  const std::string all = all_licenses();
  std::fwrite(all.data(), 1, all.size(), stdout);
  return 0;
}

}  // namespace dlview::app
