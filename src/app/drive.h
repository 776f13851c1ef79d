// dlview drive FILE... --script SCRIPT: plays a script (see app/driver.h) to the program without a
// window. dlview drive FILE... --random SEED: plays random input instead. For tests and for
// reproducing what a user did.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/display_options.h"

namespace dlview::app {

struct DriveOptions {
  std::vector<std::string> paths;  // the first is opened; a script may drop the others
  std::string script;
  std::string size = "1280x800";
  bool sandbox = false;
  bool keep_going = false;       // passes over lines that cannot be carried out
  std::optional<uint64_t> seed;  // --random
  double seconds = 60;           // --random
  std::string log;               // --random; empty = in the system's temporary folder
  DisplayOptions display;
};

int run_drive(const DriveOptions& options);
void bind_drive(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
