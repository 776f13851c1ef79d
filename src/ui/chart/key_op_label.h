// How the key op of a cut is called.
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"

namespace dlview::ui {

// The op with this id, or else one with this name; kNoRow when there is none.
profile::Row find_op(const profile::Profile& profile, std::string_view id_or_name);

// Whether an op, or a range by its name or path, is called so.
bool is_key(const profile::Profile& profile, std::string_view text);

// An op's name as it is shown: work that no range names is called by its kernel or call, "kernel
// gemm", "calls of cudaMemcpy".
std::string readable_key(std::string_view op_name);

// A key op is an op's id or name: the readable name, if it is the id of one; itself otherwise.
std::string key_op_label(const profile::Profile& profile, std::string_view key_op);

}  // namespace dlview::ui
