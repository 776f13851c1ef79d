// The commands of what a view shows: the Timeline, tables, charts of stacks and groups, the
// roofline.
#pragma once

#include <vector>

#include "app/program_commands.h"

namespace dlview::app {

bool is_open(const Program& program);  // the active run
bool has_several_runs(const Program& program);
// The active run has two iterations to compare.
bool can_compare(const Program& program);

// In the order of the menus.
std::vector<ProgramCommand> view_commands();

}  // namespace dlview::app
