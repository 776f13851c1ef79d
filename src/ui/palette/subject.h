// The card of an op or a kernel that "Go to" found: what it is, what it costs in the range, and
// what can be done with it.
#pragma once

#include <string>
#include <vector>

#include "aggregate/tensor_core_uses.h"
#include "ui/palette/card.h"
#include "ui/palette/search.h"

namespace dlview::ui {

struct SubjectCard {
  std::string kind, name;
  struct Fact {
    std::string title, value;
  };
  std::vector<Fact> facts;
  std::string partners_title;  // "Its kernels" of an op, "Launched by" of a kernel
  std::vector<Fact> partners;  // largest GPU time first
  std::string key_op;          // the op's id when it could cut the run; else empty
};

// `unknown`: the kernels of unknown Tensor Core use; null until they are known.
SubjectCard prepare_subject(const profile::Profile& profile,
                            const aggregate::Aggregation& aggregation,
                            const aggregate::UnknownTensorCoreUse* unknown,
                            const JumpTarget& target);

// Returns false when it was left with "Back".
bool draw_subject(Frame& frame, OverlayCard& card, const SubjectCard& subject);

}  // namespace dlview::ui
