// The state string: the current view and selection as one word for --state, which can be copied and
// mailed:
// "file=run.sqlite,view=iterations,range=50:100,cut=start,key-op=train_step,only=op_type:conv2d".
// Every part is optional, `only` may occur several times, and reserved characters are written as
// %XX.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aggregate/selection.h"
#include "base/result.h"
#include "workspace/selection_request.h"

namespace dlview::workspace {

// `text` with special characters written as %XX.
std::string encoded(std::string_view text);

std::string state_string(std::string_view view, const aggregate::Selection& selection,
                         const std::vector<TableState>& tables = {},
                         const IterationPair& compared = {}, bool present_rules = false,
                         const timeline::Request& timeline = {},
                         const std::optional<OtherFile>& with = {}, const SharedFiles& shared = {});
// Accepts any name of a view: ui::parse_view() checks it.
base::Result<SelectionRequest> parse_state(std::string_view text);

// Fails if the state names a file other than `path`; file names are compared, not folders.
base::Status check_state_file(const SelectionRequest& request, std::string_view path);

// The request that chooses this selection again.
SelectionRequest request_of(const aggregate::Selection& selection);

}  // namespace dlview::workspace
