// The views of the program, declared once: the navigation bar, the commands, the command line and
// the state string read this list.
#pragma once

#include <array>
#include <string_view>

#include "ui/model.h"

namespace dlview::ui {

struct ViewInfo {
  ViewId id;
  std::string_view name;   // "op_types": in commands, on the command line, in inspector names
  std::string_view title;  // "Op types"
};

inline constexpr std::array<ViewInfo, 11> kViews{{
    {ViewId::dashboard, "dashboard", "Dashboard"},
    {ViewId::iterations, "iterations", "Iterations"},
    {ViewId::timeline, "timeline", "Timeline"},
    {ViewId::op_types, "op_types", "Op types"},
    {ViewId::groups, "groups", "Groups"},
    {ViewId::ops, "ops", "Ops & kernels"},
    {ViewId::by_iteration, "by_iteration", "By iteration"},
    {ViewId::by_op, "by_op", "By op"},
    {ViewId::gpus, "gpus", "GPUs"},
    {ViewId::cuda_summary, "cuda_summary", "CUDA summary"},
    {ViewId::system, "system", "System"},
}};

constexpr const ViewInfo& info(ViewId view) {
  return kViews[static_cast<std::size_t>(view)];
}

}  // namespace dlview::ui
