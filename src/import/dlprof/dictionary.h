// DLProf's dictionary: every text of the database once, under an id that other tables refer to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "import/dlprof/tables.h"

namespace dlview::import::dlprof {

// Interns all texts and fills context.dictionary; comes before every other table.
base::Status read_dictionary(Context& context);

// One text, looked up in the file: for the few that are wanted as they are.
std::optional<std::string> dictionary_text(const sqlite::Database& database, int64_t id);

}  // namespace dlview::import::dlprof
