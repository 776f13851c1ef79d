// dlview cache: what the cache of columns holds.
#pragma once

#include <optional>
#include <string>

#include "app/commands/common.h"

namespace dlview::app {

struct CacheOptions {
  std::optional<std::string> added;  // a profile to be kept
  bool clear = false;
};

int run_cache(const CacheOptions& options);
void bind_cache(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
