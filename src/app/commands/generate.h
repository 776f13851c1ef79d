// dlview generate OUT.sqlite: a synthetic training run as a DLProf database or an Nsight Systems
// export, for trying dlview out and for measuring it.
#pragma once

#include <string>

#include "app/commands/common.h"
#include "generate/demo.h"
#include "generate/nsys.h"

namespace dlview::app {

struct GenerateOptions {
  std::string path;
  generate::DemoOptions demo;
  enum class Format { dlprof, nsys } format = Format::dlprof;
  generate::NsysSchema schema = generate::NsysSchema::v2026;  // of an export
  std::string program;  // one of the labelled set; of an export
  bool overwrite = false;
};

int run_generate(const GenerateOptions& options);
void bind_generate(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
