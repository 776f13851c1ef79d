// dlview --licenses: the project's licence and those of the fonts and libraries inside the binary.
#pragma once

namespace dlview::app {

int print_licenses();

}  // namespace dlview::app
