#include "import/capture/call_names.h"

#include <string>

#include "import/capture/trace_values.h"
#include "profile/call_name.h"

namespace dlview::import::capture {
namespace {

using profile::kNoText;
using profile::StringId;

}  // namespace

StringId CallNames::find(profile::Row call) {
  const StringId name = value_or(trace_.api_calls.name, call, kNoText);
  if (name == kNoText) return 0;
  const profile::GlobalId thread = value_or(trace_.api_calls.thread, call, profile::kNoValue);
  if (marked_.contains(profile::process_of(thread))) return name;
  const auto [entry, added] = plain_.try_emplace(name, name);
  if (added) {
    const std::string plain(profile::call_name(builder_.text(name)));
    entry->second = builder_.intern(plain);
  }
  return entry->second;
}

}  // namespace dlview::import::capture
