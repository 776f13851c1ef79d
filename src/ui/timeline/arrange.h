// Which events share a line: as few lines as there are events at one time, each event on the
// uppermost that is free, so that of nested ranges the outer ones lie above.
#pragma once

#include <vector>

#include "ui/timeline/event.h"
#include "ui/timeline/group_instances.h"
#include "ui/timeline/line.h"

namespace dlview::ui::timeline {

// In order of start, the longer one first; what starts and stops together stays as it was.
void sort_by_time(std::vector<EventRef>& events, const Events& source);

// The line of each event, from 0 on; `sorted` is in order of time.
std::vector<uint32_t> spread(const std::vector<EventRef>& sorted, const Events& source);

// All of them: none is left out.
std::vector<Line> arrange(std::vector<EventRef> sorted, const Events& source);

// Ops of one thread, in any order, below their groups: the outermost group on the first line, each
// op below its innermost group, but for groups that hold all ops. Neighbors in one instance of a
// group share its box, unless ops overlap: these get lines of their own further down. The boxes of
// groups are added to `source`.
std::vector<Line> arrange_ops(std::vector<EventRef> ops, GroupInstances& instances, Events& source);

}  // namespace dlview::ui::timeline
