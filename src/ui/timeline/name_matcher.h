// NameMatcher: whether names of events hold a text, each asked once for all events that bear it. A
// kernel and its launch are found by the demangled name, too, which the details tell.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ui/timeline/event.h"

namespace dlview::ui::timeline {

// Whether a name holds a text whose ASCII letters are small ones; those of the name may be large.
bool holds_text(std::string_view name, std::string_view small);

class NameMatcher {
 public:
  // `events` outlive it.
  NameMatcher(const Events& events, std::string_view text);

  // On any thread.
  bool matches(EventRef event);

 private:
  enum Answer : uint8_t { kUnknown, kNo, kYes };
  static constexpr std::size_t kKinds = 10;

  const Events& events_;
  std::string small_;
  std::array<std::vector<std::atomic<uint8_t>>, kKinds> answers_;  // by kind and name key
};

}  // namespace dlview::ui::timeline
