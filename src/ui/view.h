// View: what fills the window below the strip, for one run. A view is a class derived from View and
// an entry in views/registry.cpp; navigation bar, commands, --view and state string follow from it.
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

  // What the last draw() was told to show in the Timeline; cleared by the call.
  virtual std::optional<timeline::Request> take_timeline_request() { return std::nullopt; }
};

struct ViewInfo {
  ViewId id = {};
  std::string_view name;   // "op_types": on the command line, in inspector names and commands
  std::string_view title;  // "Op types", in the navigation bar
  // Of its command, view.NAME in the View menu.
  const char *command_title, *shortcut, *help;
  std::unique_ptr<View> (*make)(const profile::Profile& profile);
  bool has_tables = false;  // the commands of the Table menu act on it
  bool has_strip = true;    // of iterations, above the view
};

// The registry, in the order of the navigation bar.
std::span<const ViewInfo> views();
const ViewInfo& info(ViewId view);
std::string view_names();  // "dashboard, iterations, ..."
// "cuda_summary", or with dashes.
base::Result<ViewId> parse_view(std::string_view text);
// Adds a view under a new id, which it returns. Call it before creating the program:
// it invalidates what views() and info() returned.
ViewId add_view(ViewInfo view);

}  // namespace dlview::ui
