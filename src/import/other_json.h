// Names JSON files of other tools for error messages.
#pragma once

#include <string_view>

namespace dlview::import {

// What the file is that begins with `json`, such as "a trace of VizTracer"; empty if the tool is
// not known. For files that no importer accepts, because it looks for a few words only.
std::string_view name_other_json(std::string_view json);

}  // namespace dlview::import
