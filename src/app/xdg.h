// Where dlview keeps what is its own: the folders of the XDG base directory specification. Nothing
// is ever written beside a user's profile.
#pragma once

#include <filesystem>

namespace dlview::app {

// $XDG_CONFIG_HOME/dlview and so on; by default below ~/.config, ~/.cache and ~/.local/state, and
// in the system's temporary folder where there is no home. Not created.
std::filesystem::path config_folder();
std::filesystem::path cache_folder();
std::filesystem::path state_folder();

}  // namespace dlview::app
