#include <memory>
#include <type_traits>
#include <vector>

#include "ui/view.h"
#include "ui/views/dashboard/dashboard.h"
#include "ui/views/iterations/iterations.h"
#include "ui/views/tables/cuda_summary.h"
#include "ui/views/tables/drill_down.h"
#include "ui/views/tables/gpus.h"
#include "ui/views/tables/groups.h"
#include "ui/views/tables/ops.h"
#include "ui/views/tables/system.h"
#include "ui/views/timeline/timeline_view.h"

namespace dlview::ui {
namespace {

template <typename ViewOfRun>
std::unique_ptr<View> make(const profile::Profile& profile) {
  if constexpr (std::is_constructible_v<ViewOfRun, const profile::Profile&>) {
    return std::make_unique<ViewOfRun>(profile);
  } else {
    return std::make_unique<ViewOfRun>();
  }
}

std::vector<ViewInfo>& registry() {
  static std::vector<ViewInfo> views{
      {.id = ViewId::dashboard,
       .name = "dashboard",
       .title = "Dashboard",
       .command_title = "Dashboard",
       .shortcut = "Ctrl+1",
       .help = "Shows the range in figures.",
       .make = make<DashboardView>},
      {.id = ViewId::iterations,
       .name = "iterations",
       .title = "Iterations",
       .command_title = "Iterations",
       .shortcut = "Ctrl+2",
       .help = "Shows all iterations as bars.",
       .make = make<IterationsView>,
       .has_strip = false},
      {.id = ViewId::timeline,
       .name = "timeline",
       .title = "Timeline",
       .command_title = "Timeline",
       .shortcut = "Ctrl+Shift+L",
       .help = "Shows all events of the run in order of time.",
       .make = make<TimelineView>},
      {.id = ViewId::op_types,
       .name = "op_types",
       .title = "Op types",
       .command_title = "Op types",
       .shortcut = "Ctrl+3",
       .help = "Sums ops up by their type.",
       .make = make<OpTypesView>,
       .has_tables = true},
      {.id = ViewId::groups,
       .name = "groups",
       .title = "Groups",
       .command_title = "Groups",
       .shortcut = "Ctrl+4",
       .help = "Shows groups and ops as a tree.",
       .make = make<GroupsView>,
       .has_tables = true},
      {.id = ViewId::ops,
       .name = "ops",
       .title = "Ops & kernels",
       .command_title = "Ops and kernels",
       .shortcut = "Ctrl+5",
       .help = "Lists ops, and the kernels of each.",
       .make = make<OpsView>,
       .has_tables = true},
      {.id = ViewId::by_iteration,
       .name = "by_iteration",
       .title = "By iteration",
       .command_title = "Kernels by iteration",
       .shortcut = "Ctrl+6",
       .help = "Lists iterations, and the kernels of each.",
       .make = make<ByIterationView>,
       .has_tables = true},
      {.id = ViewId::by_op,
       .name = "by_op",
       .title = "By op",
       .command_title = "Kernels by op",
       .shortcut = "Ctrl+7",
       .help = "Lists iterations, the ops in each, and their kernels there.",
       .make = make<ByOpView>,
       .has_tables = true},
      {.id = ViewId::gpus,
       .name = "gpus",
       .title = "GPUs",
       .command_title = "GPUs",
       .shortcut = "Ctrl+8",
       .help = "Shows what each GPU did.",
       .make = make<GpusView>,
       .has_tables = true},
      {.id = ViewId::cuda_summary,
       .name = "cuda_summary",
       .title = "CUDA summary",
       .command_title = "CUDA summary",
       .shortcut = "Ctrl+Shift+U",
       .help = "Shows the reports of nsys stats for the range.",
       .make = make<CudaSummaryView>,
       .has_tables = true},
      {.id = ViewId::system,
       .name = "system",
       .title = "System",
       .command_title = "System and data",
       .shortcut = "Ctrl+9",
       .help = "Shows machine, recording, model configuration and data quality.",
       .make = make<SystemView>},
  };
  return views;
}

}  // namespace

std::span<const ViewInfo> views() {
  return registry();
}

const ViewInfo& info(ViewId view) {
  return registry()[static_cast<std::size_t>(view)];
}

ViewId add_view(ViewInfo view) {
  view.id = static_cast<ViewId>(registry().size());
  return registry().emplace_back(view).id;
}

}  // namespace dlview::ui
