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
  int64_t instances = 0;  // of all ops of that name: each of them cuts
};

// Names of ops that ran at least twice and contain `filter`, or whose id does, in the order in
// which they first ran; at most `most`.
std::vector<KeyOpChoice> prepare_key_ops(const profile::Profile& profile, std::string_view filter,
                                         std::size_t most);

// Why there is a single iteration and what to do about it; empty when there are several.
struct SingleIterationNote {
  std::string reason, advice;
};
SingleIterationNote prepare_single_iteration(const profile::Profile& profile,
                                             const aggregate::Aggregation& aggregation);

}  // namespace dlview::ui
