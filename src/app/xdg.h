// Where dlview keeps what is its own: the folders of the XDG base directory specification. Nothing
// is ever written beside a user's profile.
#pragma once

#include <filesystem>

namespace dlview::app {

// $XDG_CONFIG_HOME/dlview, $XDG_CACHE_HOME/dlview; by default below ~/.config and ~/.cache, and in
// the system's temporary folder where there is no home. Not created.
std::filesystem::path config_folder();
std::filesystem::path cache_folder();

}  // namespace dlview::app
