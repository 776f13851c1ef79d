// Which ops can cut the run into iterations, and why a run is not cut. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"

namespace dlview::ui {

struct KeyOpChoice {
  std::string name;
  std::string id;         // of the first op of that name
  int64_t instances = 0;  // of all ops of that name: each of them cuts
  bool contains(std::string_view text) const {
    return name.find(text) != std::string::npos || id.find(text) != std::string::npos;
  }
};

// The names of ops that ran at least twice, in the order in which they first ran. Linear in the op
// instances: made once for a profile.
std::vector<KeyOpChoice> prepare_key_ops(const profile::Profile& profile);

// Why there is a single iteration and what to do about it; empty when there are several.
struct SingleIterationNote {
  std::string reason, advice;
};
SingleIterationNote prepare_single_iteration(const profile::Profile& profile,
                                             const aggregate::Aggregation& aggregation);

}  // namespace dlview::ui
