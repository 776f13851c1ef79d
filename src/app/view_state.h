// The state string: what is being looked at, as one word that can be copied, mailed and given to
// --state:
// "file=run.sqlite,view=iterations,range=50:100,cut=start,key-op=train_step,only=op_type:conv2d".
// Every part may be left out, `only` may stand more than once; characters with a meaning of their
// own are written as %XX.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aggregate/selection.h"
#include "app/selection_request.h"
#include "base/result.h"
#include "ui/model.h"

namespace dlview::app {

// `text` with special characters written as %XX.
std::string encoded(std::string_view text);

std::string_view to_text(ui::ViewId view);          // "dashboard"
std::string_view to_text(aggregate::CutKind kind);  // "start"
std::string view_names();                           // "dashboard, iterations, ..."
// "cuda_summary", or with dashes.
base::Result<ui::ViewId> parse_view(std::string_view text);

std::string state_string(ui::ViewId view, const aggregate::Selection& selection,
                         const std::vector<ui::TableState>& tables = {},
                         const ui::IterationPair& compared = {}, bool present_rules = false,
                         const timeline::Request& timeline = {});
base::Result<SelectionRequest> parse_state(std::string_view text);

// Fails if the state names a file other than `path`; file names are compared, not folders.
base::Status check_state_file(const SelectionRequest& request, std::string_view path);

// The request that chooses this selection again.
SelectionRequest request_of(const aggregate::Selection& selection);

}  // namespace dlview::app
