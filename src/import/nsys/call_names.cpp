#include "import/nsys/call_names.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "import/nsys/trace_values.h"

namespace dlview::import::nsys {
namespace {

using profile::kNoText;
using profile::StringId;

// "cudaLaunchKernel_v7000" -> "cudaLaunchKernel"
std::string_view without_version(std::string_view name) {
  const std::size_t at = name.rfind("_v");
  if (at == std::string_view::npos || at + 2 == name.size()) return name;
  const std::string_view digits = name.substr(at + 2);
  const bool all_digits = std::all_of(digits.begin(), digits.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
  return all_digits ? name.substr(0, at) : name;
}

}  // namespace

StringId CallNames::find(profile::Row call) {
  const StringId name = value_or(trace_.api_calls.name, call, kNoText);
  if (name == kNoText) return 0;
  const profile::GlobalId thread = value_or(trace_.api_calls.thread, call, profile::kNoValue);
  if (marked_.contains(profile::process_of(thread))) return name;
  const auto [entry, added] = plain_.emplace(name, name);
  if (added) {
    const std::string plain(without_version(builder_.text(name)));
    entry->second = builder_.intern(plain);
  }
  return entry->second;
}

}  // namespace dlview::import::nsys
