// Which engine aggregates: what --engine asks for and what this build has.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/session.h"
#include "base/result.h"

namespace dlview::app {

enum class EngineChoice { automatic, cpu, cuda };

// "auto", "cpu" or "cuda".
base::Result<EngineChoice> parse_engine(std::string_view text);

EngineFactory engine_factory(EngineChoice choice);

// What to tell a user whose choice cannot be had; the other engine is used then.
std::optional<std::string> engine_notice(EngineChoice choice);

}  // namespace dlview::app
