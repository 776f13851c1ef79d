// dlview drive DB --script FILE: plays a script (see app/driver.h) to the program without a window.
// For tests and for reproducing what a user did; it is not listed in the help.
#pragma once

#include <string>

#include "app/display_options.h"

namespace dlview::app {

struct DriveOptions {
  std::string path;
  std::string script;
  std::string size = "1280x800";
  DisplayOptions display;
};

int run_drive(const DriveOptions& options);
void bind_drive(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
