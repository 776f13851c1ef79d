// Files of dlview itself - settings, bookmarks, recent files - and their folders, by the XDG base
// directory specification. dlview never writes next to a user's profile.
#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

namespace dlview::workspace {

// $XDG_CONFIG_HOME/dlview and so on; by default below ~/.config, ~/.cache and ~/.local/state, and
// in the system's temporary folder where there is no home. Not created.
std::filesystem::path config_folder();
std::filesystem::path cache_folder();
std::filesystem::path state_folder();

// The contents of a regular file. A discarded value (is_discarded()) where there is none, it cannot
// be read, or it holds something else. Never throws for what the file is, and never waits for a
// FIFO.
nlohmann::json read_json(const std::filesystem::path& path);

// Makes the folder, too. An older file stays until the new one is complete; false where it cannot
// be written. Bytes that are not UTF-8, which paths may hold, are replaced.
bool write_json(const nlohmann::json& json, const std::filesystem::path& path);

}  // namespace dlview::workspace
