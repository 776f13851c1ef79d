#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "aggregate/collectives.h"
#include "aggregate/memory_use.h"
#include "profile/recorded.h"
#include "ui/view.h"
#include "ui/views/budgets/budgets_view.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/dashboard/dashboard.h"
#include "ui/views/iterations/iterations.h"
#include "ui/views/limits/limits_view.h"
#include "ui/views/ranks/ranks_view.h"
#include "ui/views/stacks/stacks.h"
#include "ui/views/tables/communication.h"
#include "ui/views/tables/cuda_summary.h"
#include "ui/views/tables/drill_down.h"
#include "ui/views/tables/gpus.h"
#include "ui/views/tables/groups.h"
#include "ui/views/tables/kernels.h"
#include "ui/views/tables/memory.h"
#include "ui/views/tables/modules.h"
#include "ui/views/tables/op_shapes.h"
#include "ui/views/tables/operators.h"
#include "ui/views/tables/ops.h"
#include "ui/views/tables/system.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/trend/trend_view.h"

namespace dlview::ui {
namespace {

// A PyTorch trace without memory events says how to record them.
bool has_memory(const profile::Profile& profile) {
  return profile::is_pytorch_trace(profile) || aggregate::has_memory_usage(profile);
}

template <typename ViewOfRun>
std::unique_ptr<View> make(const profile::Profile& profile) {
  if constexpr (std::is_constructible_v<ViewOfRun, const profile::Profile&>) {
    return std::make_unique<ViewOfRun>(profile);
  } else {
    return std::make_unique<ViewOfRun>();
  }
}

std::vector<TabInfo>& tab_registry() {
  static std::vector<TabInfo> tabs{
      {.id = TabId::dashboard,
       .name = "dashboard",
       .title = "Dashboard",
       .shortcut = "Ctrl+1",
       .help = "Show where the time of the range goes."},
      {.id = TabId::iterations,
       .name = "iterations",
       .title = "Iterations",
       .shortcut = "Ctrl+2",
       .help = "Show each iteration as a bar."},
      {.id = TabId::timeline,
       .name = "timeline",
       .title = "Timeline",
       .shortcut = "Ctrl+3",
       .help = "Show all events on a time axis."},
      {.id = TabId::ops,
       .name = "ops",
       .title = "Ops",
       .shortcut = "Ctrl+4",
       .help = "Show the ops of the range in the view used last."},
      {.id = TabId::kernels,
       .name = "kernels",
       .title = "Kernels",
       .shortcut = "Ctrl+5",
       .help = "Show the kernels of the range in the view used last."},
      {.id = TabId::gpus,
       .name = "gpus",
       .title = "GPUs",
       .shortcut = "Ctrl+6",
       .help = "Show the GPUs of the run in the view used last."},
      {.id = TabId::system,
       .name = "system",
       .title = "System",
       .shortcut = "Ctrl+7",
       .help = "Show machine, capture, model configuration and data quality."},
      {.id = TabId::limits,
       .name = "limits",
       .title = "Limits",
       .shortcut = "Ctrl+8",
       .help = "Show what limits ops and kernels: roofline, quadrants and evidence.",
       .exists = has_limits},
      {.id = TabId::compare,
       .name = "compare",
       .title = "Compare",
       .shortcut = "Ctrl+Shift+D",
       .help = "Compare this run with another one, with budgets, or with a series of captures."},
      {.id = TabId::ranks,
       .name = "ranks",
       .title = "Ranks",
       .shortcut = "Ctrl+Shift+R",
       .help = "Show which rank of the run makes the others wait, and why.",
       .is_of_ranks = true},
  };
  return tabs;
}

// The entry of a view that is alone in its tab.
ViewInfo sole_view(ViewId id, TabId tab, std::unique_ptr<View> (*make)(const profile::Profile&)) {
  const TabInfo& its = tab_registry()[static_cast<std::size_t>(tab)];
  return {.id = id,
          .tab = tab,
          .name = its.name,
          .title = its.title,
          .shortcut = its.shortcut,
          .help = its.help,
          .make = make};
}

std::vector<ViewInfo> fixed_views() {
  std::vector<ViewInfo> views{
      sole_view(ViewId::dashboard, TabId::dashboard, make<DashboardView>),
      sole_view(ViewId::iterations, TabId::iterations, make<IterationsView>),
      sole_view(ViewId::timeline, TabId::timeline, make<TimelineView>),
      {.id = ViewId::ops,
       .tab = TabId::ops,
       .name = "ops",
       .title = "All ops",
       .shortcut = "",
       .help = "List the ops, and the kernels of each.",
       .make = make<OpsView>,
       .has_tables = true},
      {.id = ViewId::op_types,
       .tab = TabId::ops,
       .name = "op_types",
       .title = "Ops by type",
       .shortcut = "",
       .help = "Sum the ops by type.",
       .make = make<OpTypesView>,
       .has_tables = true},
      {.id = ViewId::groups,
       .tab = TabId::ops,
       .name = "groups",
       .title = "Ops by group",
       .shortcut = "",
       .help = "Show groups and ops as a tree.",
       .make = make<GroupsView>,
       .has_tables = true},
      {.id = ViewId::op_shapes,
       .tab = TabId::ops,
       .name = "op_shapes",
       .title = "Ops by input shape",
       .shortcut = "",
       .help = "Sum the ops by input shape.",
       .make = make<OpShapesView>,
       .has_tables = true},
      {.id = ViewId::operators,
       .tab = TabId::ops,
       .name = "operators",
       .title = "Operators",
       .shortcut = "",
       .help = "List ops and annotations at every nesting level, with self and total time.",
       .make = make<OperatorsView>,
       .has_tables = true,
       .exists = profile::is_pytorch_trace},
      {.id = ViewId::modules,
       .tab = TabId::ops,
       .name = "modules",
       .title = "Ops by module",
       .shortcut = "",
       .help = "Show each nn.Module with the GPU time of its forward and backward pass.",
       .make = make<ModulesView>,
       .has_tables = true,
       .exists = profile::is_pytorch_trace},
      {.id = ViewId::stacks,
       .tab = TabId::ops,
       .name = "stacks",
       .title = "Python stacks",
       .shortcut = "",
       .help = "Show the time of Python functions by call stack.",
       .make = make<StacksView>,
       .has_tables = true,
       .exists = profile::is_pytorch_trace},
      {.id = ViewId::kernels,
       .tab = TabId::kernels,
       .name = "kernels",
       .title = "Kernels by name",
       .shortcut = "",
       .help = "Sum the kernels by name.",
       .make = make<KernelsView>,
       .has_tables = true},
      {.id = ViewId::launches,
       .tab = TabId::kernels,
       .name = "launches",
       .title = "Kernels by launch configuration",
       .shortcut = "",
       .help = "Sum the kernels by name, grid, block, registers and shared memory.",
       .make = make<LaunchesView>,
       .has_tables = true},
      {.id = ViewId::by_iteration,
       .tab = TabId::kernels,
       .name = "by_iteration",
       .title = "Kernels by iteration",
       .shortcut = "",
       .help = "List the iterations, and the kernels of each.",
       .make = make<ByIterationView>,
       .has_tables = true},
      {.id = ViewId::by_op,
       .tab = TabId::kernels,
       .name = "by_op",
       .title = "Kernels by op",
       .shortcut = "",
       .help = "List the iterations, their ops, and the kernels of each op.",
       .make = make<ByOpView>,
       .has_tables = true},
      {.id = ViewId::cuda_summary,
       .tab = TabId::kernels,
       .name = "cuda_summary",
       .title = "CUDA summary",
       .shortcut = "Ctrl+Shift+U",
       .help = "Show the reports of nsys stats for the range.",
       .make = make<CudaSummaryView>,
       .has_tables = true},
      {.id = ViewId::gpus,
       .tab = TabId::gpus,
       .name = "gpus",
       .title = "GPU time and gaps",
       .shortcut = "",
       .help = "Show the time of each GPU and its idle gaps.",
       .make = make<GpusView>,
       .has_tables = true},
      {.id = ViewId::communication,
       .tab = TabId::gpus,
       .name = "communication",
       .title = "Communication",
       .shortcut = "",
       .help = "List the collectives of a PyTorch trace, with sizes and bandwidths.",
       .make = make<CommunicationView>,
       .has_tables = true,
       .exists = aggregate::has_collectives},
      {.id = ViewId::memory,
       .tab = TabId::gpus,
       .name = "memory",
       .title = "Memory",
       .shortcut = "",
       .help = "Show allocated memory over time, and the ops and modules that hold it.",
       .make = make<MemoryView>,
       .has_tables = true,
       .exists = has_memory},
      sole_view(ViewId::system, TabId::system, make<SystemView>),
      sole_view(ViewId::limits, TabId::limits, make<LimitsView>),
      {.id = ViewId::compare,
       .tab = TabId::compare,
       .name = "compare",
       .title = "Two profiles",
       .shortcut = "",
       .help = "Show in what this run and another one differ.",
       .make = make<CompareView>,
       .has_tables = true,
       .has_strip = false},
      {.id = ViewId::budgets,
       .tab = TabId::compare,
       .name = "budgets",
       .title = "Budgets",
       .shortcut = "",
       .help = "Show which budgets of a budget file the run keeps.",
       .make = make<BudgetsView>},
      {.id = ViewId::trend,
       .tab = TabId::compare,
       .name = "trend",
       .title = "Trend",
       .shortcut = "",
       .help = "Show metrics over captures of one program, and their steps.",
       .make = make<TrendView>,
       .has_strip = false},
      sole_view(ViewId::ranks, TabId::ranks, make<RanksView>),
  };
  const auto view = [&](ViewId id) -> ViewInfo& { return views[static_cast<std::size_t>(id)]; };
  view(ViewId::iterations).has_strip = false;
  view(ViewId::limits).has_tables = true;
  view(ViewId::ranks).has_tables = true;
  return views;
}

bool tab_exists(const TabInfo& tab, const profile::Profile& profile, bool has_ranks) {
  return (has_ranks || !tab.is_of_ranks) && (!tab.exists || tab.exists(profile));
}

std::vector<ViewInfo>& registry() {
  static std::vector<ViewInfo> views = fixed_views();
  return views;
}

}  // namespace

std::span<const TabInfo> tabs() {
  return tab_registry();
}

const TabInfo& info(TabId tab) {
  return tab_registry()[static_cast<std::size_t>(tab)];
}

TabId add_tab(TabInfo tab) {
  tab.id = static_cast<TabId>(tab_registry().size());
  return tab_registry().emplace_back(tab).id;
}

std::span<const ViewInfo> views_of(TabId tab) {
  const auto first = std::ranges::lower_bound(registry(), tab, {}, &ViewInfo::tab);
  return {first, std::ranges::upper_bound(registry(), tab, {}, &ViewInfo::tab)};
}

std::vector<const TabInfo*> tabs_of(const profile::Profile& profile, bool has_ranks) {
  std::vector<const TabInfo*> found;
  for (const TabInfo& tab : tabs()) {
    if (tab_exists(tab, profile, has_ranks)) found.push_back(&tab);
  }
  return found;
}

std::vector<const ViewInfo*> views_of(TabId tab, const profile::Profile& profile, bool has_ranks) {
  std::vector<const ViewInfo*> found;
  if (!tab_exists(info(tab), profile, has_ranks)) return found;
  for (const ViewInfo& view : views_of(tab)) {
    if (!view.exists || view.exists(profile)) found.push_back(&view);
  }
  return found;
}

bool is_view_of(const profile::Profile& profile, ViewId view, bool has_ranks) {
  return nearest_view(profile, view, has_ranks) == view;
}

ViewId nearest_view(const profile::Profile& profile, ViewId wanted, bool has_ranks) {
  const std::vector<const ViewInfo*> there = views_of(info(wanted).tab, profile, has_ranks);
  if (std::ranges::find(there, &info(wanted)) != there.end()) return wanted;
  return there.empty() ? ViewId::dashboard : there.front()->id;
}

std::string command_of(const TabInfo& tab) {
  const std::span<const ViewInfo> of_tab = views_of(tab.id);
  return of_tab.size() > 1 ? fmt::format("tab.{}", tab.name)
                           : fmt::format("view.{}", of_tab.front().name);
}

std::string switch_title(const ViewInfo& view) {
  const std::string_view title = view.title;
  const std::string by = fmt::format("{} by ", info(view.tab).title);
  return title.starts_with(by) ? fmt::format("By {}", title.substr(by.size())) : std::string(title);
}

std::span<const ViewInfo> views() {
  return registry();
}

const ViewInfo& info(ViewId view) {
  return registry()[static_cast<std::size_t>(view)];
}

base::Result<ViewId> add_view(ViewInfo view) {
  const ViewInfo& last = registry().back();
  if (view.tab < last.tab) {
    return base::Error{
        "The views of a tab must stand together",
        fmt::format("\"{}\" comes after \"{}\", which is of a later tab", view.name, last.name),
        "Add it to its tab before views of later tabs"};
  }
  if (std::ranges::find(registry(), view.name, &ViewInfo::name) != registry().end()) {
    return base::Error{"Two views have the same name", std::string(view.name),
                       "Give the view another name"};
  }
  view.id = static_cast<ViewId>(registry().size());
  return registry().emplace_back(view).id;
}

}  // namespace dlview::ui
