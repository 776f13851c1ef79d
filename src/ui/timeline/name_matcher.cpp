#include "ui/timeline/name_matcher.h"

#include <algorithm>

namespace dlview::ui::timeline {
namespace {

constexpr std::size_t kMemoryOpKeys = 512;

char small_letter(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// The demangled name of a kernel or its launch, which names follow from; empty where there is
// none.
std::string_view full_name(const Events& events, EventRef event) {
  const profile::Profile& profile = events.profile();
  const bool is_of_kernel = event.kind == EventKind::kernel || event.kind == EventKind::launch;
  return is_of_kernel ? profile.text(profile.kernels.long_name[event.row]) : std::string_view();
}

// One more than the largest name_key() of a kind.
std::size_t key_count(const Events& events, EventKind kind) {
  switch (kind) {
    case EventKind::memory_op:
      return kMemoryOpKeys;
    case EventKind::op:
      return events.profile().ops.size();
    case EventKind::group:
      return events.group_tree().groups.size();
    case EventKind::running:
      return 1;
    case EventKind::kernel:
    case EventKind::launch:
    case EventKind::memory_call:
    case EventKind::sync:
    case EventKind::api_call:
    case EventKind::user_range:
    case EventKind::nvtx:
    case EventKind::os_call:
      break;
  }
  return events.profile().strings.size();
}

}  // namespace

bool holds_text(std::string_view name, std::string_view small) {
  const auto is_same = [](char letter, char wanted) { return small_letter(letter) == wanted; };
  const auto found = std::search(name.begin(), name.end(), small.begin(), small.end(), is_same);
  return small.empty() || found != name.end();
}

NameMatcher::NameMatcher(const Events& events, std::string_view text)
    : events_(events), small_(text) {
  std::ranges::transform(small_, small_.begin(), small_letter);
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    answers_[kind] =
        std::vector<std::atomic<uint8_t>>(key_count(events, static_cast<EventKind>(kind)));
  }
}

bool NameMatcher::matches(EventRef event) {
  std::atomic<uint8_t>& answer =
      answers_[static_cast<std::size_t>(event.kind)][events_.name_key(event)];
  uint8_t known = answer.load(std::memory_order_relaxed);
  if (known == kUnknown) {
    const bool holds =
        holds_text(events_.name(event), small_) || holds_text(full_name(events_, event), small_);
    known = holds ? kYes : kNo;
    answer.store(known, std::memory_order_relaxed);
  }
  return known == kYes;
}

}  // namespace dlview::ui::timeline
