// dlview generate OUT.sqlite: an invented training run as a DLProf database, for trying dlview out
// and for measuring it.
#pragma once

#include <string>

#include "app/commands/common.h"
#include "generate/demo.h"

namespace dlview::app {

struct GenerateOptions {
  std::string path;
  generate::DemoOptions demo;
  bool overwrite = false;
};

int run_generate(const GenerateOptions& options);
void bind_generate(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
