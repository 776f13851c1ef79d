#include "import/capture/names.h"

#include <cstddef>
#include <string>

#include "base/number_distinct.h"
#include "import/capture/trace_rows.h"
#include "profile/display_name.h"
#include "profile/kernel_labels.h"

namespace dlview::import::capture {
namespace {

using profile::kNoText;
using profile::StringId;
using profile::ThreadId;

struct Key {
  StringId short_name = kNoText, demangled = kNoText;
  bool is_marked = false;
  bool operator==(const Key&) const = default;
};

struct HashOfKey {
  std::size_t operator()(const Key& key) const {
    return uint64_t{key.short_name} << 32 ^ uint64_t { key.demangled } << 1 ^
           (key.is_marked ? 1U : 0U);
  }
};

}  // namespace

StringId CallNames::find(profile::Row call) {
  const StringId name = value_or(trace_.api_calls.name, call, kNoText);
  if (name == kNoText) return 0;
  const profile::ThreadId thread = value_or(trace_.api_calls.thread, call, profile::kNoValue);
  if (marked_.contains(profile::process_of(thread))) return name;
  const auto [entry, added] = plain_.try_emplace(name, name);
  if (added) {
    const std::string plain(profile::call_name(builder_.text(name)));
    entry->second = builder_.intern(plain);
  }
  return entry->second;
}

KernelNameIds::KernelNameIds(const profile::Trace& trace, const std::set<ThreadId>& marked,
                             profile::ProfileBuilder& builder) {
  const profile::TraceKernels& kernels = trace.kernels;
  auto names = base::number_distinct<HashOfKey>(kernels.size(), [&](std::size_t row) -> Key {
    return {value_or(kernels.short_name, row, kNoText),
            value_or(kernels.demangled_name, row, kNoText),
            !marked.empty() && marked.contains(profile::process_of(
                                   value_or(kernels.process, row, profile::kNoValue)))};
  });
  of_kernel_ = std::move(names.of_item);
  const auto text_of = [&builder](StringId id) {
    return id == kNoText ? std::string_view() : builder.text(id);
  };
  std::vector<profile::KernelTexts> texts;
  for (const Key& key : names.keys) {
    if (!key.is_marked) texts.push_back({text_of(key.short_name), text_of(key.demangled)});
  }
  const std::vector<std::string> labels = profile::kernel_labels(texts);
  std::size_t next = 0;
  for (const Key& key : names.keys) {
    const StringId recorded = key.short_name == kNoText ? 0 : key.short_name;
    ids_.push_back(key.is_marked ? recorded : builder.intern(labels[next++]));
  }
}

}  // namespace dlview::import::capture
