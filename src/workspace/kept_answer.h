// KeptAnswer: the answer with which a file opened, cached with its columns. When the file opens
// again, the answer is shown at once, while the engine still prepares.
#pragma once

#include <optional>
#include <string>

#include "profile/profile.h"
#include "workspace/engine_queue.h"
#include "workspace/selection_request.h"

namespace dlview::workspace {

struct KeptAnswer {
  TimedAggregation answer;
  bool is_as_opened = false;  // no other answer was requested
};

// Serializes the answer for CachedFile::set_beside(). Empty for an answer with filters, which is
// not cached. The engine is not stored: the next opening may use another.
std::string to_bytes(const KeptAnswer& kept);

// Nothing when the bytes are not those of an answer of this program about this profile.
std::optional<KeptAnswer> read_kept_answer(const std::string& bytes,
                                           const profile::Profile& profile);

// Returns whether the request is for the numbers with which the file opens.
bool asks_for_first(const SelectionRequest& request);

// Returns whether the cached answer is the one that is requested.
bool answers(const KeptAnswer& kept, const SelectionRequest& request);

}  // namespace dlview::workspace
