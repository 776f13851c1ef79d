// dlview verify DB [--reports-dir DIR | --against EXPORT]: are the stored numbers the ones that the
// raw rows give, or those of the export that DLProf made the database from?
#pragma once

#include <optional>
#include <string>

#include "app/commands/common.h"

namespace dlview::app {

struct VerifyOptions {
  std::string path;
  std::optional<std::string> reports_folder, against;
};

// 0 when all values match, 1 when any differs.
int run_verify(const VerifyOptions& options);
void bind_verify(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
