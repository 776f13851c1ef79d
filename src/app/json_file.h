// JSON that dlview keeps for itself: settings, bookmarks, recent files.
#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

namespace dlview::app {

// The contents of a regular file. A discarded value (is_discarded()) where there is none, it cannot
// be read, or it holds something else. Never throws for what the file is, and never waits for a
// FIFO.
nlohmann::json read_json(const std::filesystem::path& path);

// Makes the folder, too. An older file stays until the new one is complete; false where it cannot
// be written. Bytes that are not UTF-8, which paths may hold, are replaced.
bool write_json(const nlohmann::json& json, const std::filesystem::path& path);

}  // namespace dlview::app
