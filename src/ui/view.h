// View: what fills the window below the strip, for one run. A view is a class derived from View and
// an entry in views/registry.cpp; navigation bar, commands, --view and state string follow from it.
// Views of one tab are chosen by a switch above them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"
#include "timeline/request.h"
#include "ui/model.h"

namespace dlview::ui {

class BarLayer;
struct Box;
class DataTable;
struct Frame;
struct Tables;

// What views of all runs share.
struct ViewTools {
  BarLayer& bars;
  Tables& tables;
};

class View {
 public:
  virtual ~View() = default;

  // Needs an open profile and its aggregation.
  virtual void draw(Frame& frame, const Box& box, const ViewTools& tools) = 0;

  // The tables on screen, in the order in which F6 hands on the keyboard.
  virtual std::vector<DataTable*> tables() { return {}; }
  // Unknown tables are ignored.
  virtual void set_table(const workspace::TableState& state);
  // States of the tables that differ from the default.
  virtual std::vector<workspace::TableState> table_states();

  // Whether it shows the Python frames of the run, which are read from the file then.
  virtual bool wants_python_frames() const { return false; }

  // Whether Escape closes something that is open within the view: it gets TableCommand::deselect.
  virtual bool keeps_escape() const { return false; }

  // Whether it shows limits, which need an index of the whole profile.
  virtual bool wants_limits() const { return false; }

  // What the last draw() was told to show in the Timeline; cleared by the call.
  virtual std::optional<timeline::Request> take_timeline_request() { return std::nullopt; }
};

// A tab of the navigation bar. The seven stay in their places; a tab whose data not every run has
// (limits, a comparison, ranks) stands behind them while it exists.
struct TabInfo {
  TabId id = {};
  std::string_view name;  // "ops": in inspector names and in the id of its command
  // "Ops", also of its command.
  const char *title, *shortcut, *help;
  // Whether the run has the data; null = always.
  bool (*exists)(const profile::Profile& profile) = nullptr;
  // Whether it is there only with a run of several ranks: Model::ranks.
  bool is_of_ranks = false;
};

struct ViewInfo {
  ViewId id = {};
  TabId tab = {};
  std::string_view name;  // "op_types": on the command line, in inspector names and commands
  // "Ops by type", also of its command view.NAME, which the View menu has where the view is alone
  // in its tab.
  const char *title, *shortcut, *help;
  std::unique_ptr<View> (*make)(const profile::Profile& profile);
  bool has_tables = false;  // the commands of the Table menu act on it
  bool has_strip = true;    // of iterations, above the view
  // Whether the run has the data; null = wherever its tab exists. Not of the first view of a tab.
  bool (*exists)(const profile::Profile& profile) = nullptr;
};

// The registry, in the order of the navigation bar; the views of a tab in the order of its switch.
std::span<const TabInfo> tabs();
const TabInfo& info(TabId tab);
std::span<const ViewInfo> views();
const ViewInfo& info(ViewId view);
// The title in the switch of its tab: "By type" of "Ops by type" in the tab Ops.
std::string switch_title(const ViewInfo& view);
// Consecutive in the registry, one at least.
std::span<const ViewInfo> views_of(TabId tab);
// Those that the profile has the data of. `has_ranks`: it is one of a run of several ranks.
std::vector<const TabInfo*> tabs_of(const profile::Profile& profile, bool has_ranks = false);
std::vector<const ViewInfo*> views_of(TabId tab, const profile::Profile& profile,
                                      bool has_ranks = false);
bool is_view_of(const profile::Profile& profile, ViewId view, bool has_ranks = false);
// The view itself, else the first one of its tab, else the Dashboard.
ViewId nearest_view(const profile::Profile& profile, ViewId wanted, bool has_ranks = false);
// "view.dashboard", or "tab.ops" where the tab has several views.
std::string command_of(const TabInfo& tab);

// "dashboard, iterations, ...": all that exist, or of a profile those that it has the data of.
std::string view_names(const profile::Profile* profile = nullptr);
// "cuda_summary", or with dashes.
base::Result<ViewId> parse_view(std::string_view text);

// Add a tab or a view under a new id, which they return. Call them before creating the program:
// they invalidate what the functions above returned. Refused are a view of an earlier tab than that
// of the last view, and a name that another view has.
TabId add_tab(TabInfo tab);
base::Result<ViewId> add_view(ViewInfo view);

}  // namespace dlview::ui
