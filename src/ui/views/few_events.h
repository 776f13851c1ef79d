// Whether what looks at each event of a profile can do so within a frame.
#pragma once

#include "profile/event_count.h"

namespace dlview::ui {

inline bool has_few_events(const profile::Profile& profile) {
  return profile::event_count(profile) <= 50'000;
}

}  // namespace dlview::ui
