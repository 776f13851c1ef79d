// dlview --version: version, commit, engines and libraries of this build.
#pragma once

#include <string>

namespace dlview::app {

std::string version_text();
std::string version_json();

}  // namespace dlview::app
