#include "report/nsys/labels.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace dlview::report::nsys {
namespace {

// By profile::CopyKind and profile::MemoryKind.
constexpr std::array<std::string_view, 14> kCopies{"[CUDA memcpy Unknown]",
                                                   "[CUDA memcpy Host-to-Device]",
                                                   "[CUDA memcpy Device-to-Host]",
                                                   "[CUDA memcpy Host-to-Array]",
                                                   "[CUDA memcpy Array-to-Host]",
                                                   "[CUDA memcpy Array-to-Array]",
                                                   "[CUDA memcpy Array-to-Device]",
                                                   "[CUDA memcpy Device-to-Array]",
                                                   "[CUDA memcpy Device-to-Device]",
                                                   "[CUDA memcpy Host-to-Host]",
                                                   "[CUDA memcpy Peer-to-Peer]",
                                                   "[CUDA memcpy Unified Host-to-Device]",
                                                   "[CUDA memcpy Unified Device-to-Host]",
                                                   "[CUDA memcpy Unified Device-to-Device]"};
constexpr std::array<std::string_view, 8> kMemoryKinds{"Pageable",       "Pinned",  "Device",
                                                       "Array",          "Managed", "Device Static",
                                                       "Managed Static", "Unknown"};

template <std::size_t N, typename Kind>
std::string_view name_of_kind(const std::array<std::string_view, N>& names, Kind kind,
                              std::string_view unknown) {
  const auto number = static_cast<std::size_t>(kind);  // of negative ones a large one
  return number < N ? names[number] : unknown;
}

}  // namespace

std::string_view call_label(std::string_view name) {
  constexpr std::size_t kVersion = 6;
  if (name.size() <= kVersion) return name;
  const std::string_view version = name.substr(name.size() - kVersion);
  const bool is_version = version.starts_with("_v") &&
                          std::all_of(version.begin() + 2, version.end(),
                                      [](char digit) { return '0' <= digit && digit <= '9'; });
  return is_version ? name.substr(0, name.size() - kVersion) : name;
}

std::string_view copy_name(profile::CopyKind copy_kind) {
  return name_of_kind(kCopies, copy_kind, kCopies[0]);
}

std::string_view memory_kind_name(profile::MemoryKind memory_kind) {
  return name_of_kind(kMemoryKinds, memory_kind, "");
}

std::string dimensions(const profile::Dim3& size) {
  return fmt::format("{:4} {:4} {:4}", size.x, size.y, size.z);
}

}  // namespace dlview::report::nsys
