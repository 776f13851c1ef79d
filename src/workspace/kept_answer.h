// KeptAnswer: the answer with which a file opened, kept beside its columns. When the file is opened
// again it is shown at once, while an engine still looks at the columns.
#pragma once

#include <optional>
#include <string>

#include "profile/profile.h"
#include "workspace/engine_queue.h"
#include "workspace/selection_request.h"

namespace dlview::workspace {

struct KeptAnswer {
  TimedAggregation answer;
  bool is_as_opened = false;  // nobody asked for anything else
};

// For CachedFile::set_beside(). Empty for an answer under filters, which is not worth keeping. The
// engine is not kept: the next opening may ask for another.
std::string to_bytes(const KeptAnswer& kept);

// Nothing when the bytes are not those of an answer of this program about this profile.
std::optional<KeptAnswer> read_kept_answer(const std::string& bytes,
                                           const profile::Profile& profile);

// Whether the request asks for the numbers with which the file opens.
bool asks_for_first(const SelectionRequest& request);

// Whether it is what the request asks for.
bool answers(const KeptAnswer& kept, const SelectionRequest& request);

}  // namespace dlview::workspace
