// dlview --licenses: the project's licence and those of the fonts and libraries inside the binary.
#pragma once

#include <string>

namespace dlview::app {

std::string all_licenses();
int print_licenses();

}  // namespace dlview::app
