// Names as the reports show them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profile/profile.h"

namespace dlview::report::nsys {

// The text of an id that a Key holds; "" for kNoText.
inline std::string_view text_of(const profile::Profile& profile, int64_t id) {
  return id == profile::kNoText ? "" : profile.text(static_cast<profile::StringId>(id));
}

// An API call without "_v" and exactly four digits at the end: "cudaLaunchKernel_v7000" loses its
// version, "cuMemcpyHtoD_v2" and "cudaGraphLaunch_v10000" do not.
std::string_view call_label(std::string_view name);

// "[CUDA memcpy Host-to-Device]".
std::string_view copy_name(profile::CopyKind copy_kind);
inline constexpr std::string_view kMemsetName = "[CUDA memset]";

// "Pageable"; "" for a kind that is not told or not known.
std::string_view memory_kind_name(profile::MemoryKind memory_kind);

// "  20   32    1".
std::string dimensions(const profile::Dim3& size);

}  // namespace dlview::report::nsys
