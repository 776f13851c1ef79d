#include "ui/views/timeline/iteration_menu.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "aggregate/compare.h"
#include "base/units.h"
#include "ui/widgets/menu.h"

namespace dlview::ui {
namespace {

struct Other {
  std::string id, what;  // "before", "the one before"
  int64_t iteration = 0;
};

// That differ from the iteration and from each other.
std::vector<Other> others_of(const Model& model, int64_t iteration) {
  const aggregate::IterationTable& table = *model.aggregation->whole().iteration_table;
  const auto last = static_cast<int64_t>(table.iterations.rows.size()) - 1;
  std::vector<Other> others;
  const auto add = [&](const char* id, const char* what, std::optional<int64_t> other) {
    if (!other || *other < 0 || *other > last || *other == iteration) return;
    for (const Other& present : others) {
      if (present.iteration == *other) return;
    }
    others.push_back({id, what, *other});
  };
  add("chosen", "the one compared with", model.compared.baseline);
  if (model.outliers) add("typical", "the typical one", model.outliers->typical);
  add("before", "the one before", iteration - 1);
  add("after", "the one after", iteration + 1);
  add("slowest", "the slowest",
      aggregate::slowest_iteration(table, model.aggregation->selection.range));
  return others;
}

}  // namespace

std::optional<IterationPair> IterationMenu::draw(Frame& frame, const Box& box,
                                                 std::optional<int64_t> pointed) {
  std::optional<IterationPair> chosen;
  if (pointed) of_ = pointed;
  if (!pointed && !is_open_) of_.reset();
  if (!of_) return chosen;
  const std::vector<Other> others = others_of(frame.model, *of_);
  if (others.empty()) return chosen;
  CopyMenu menu(frame, "timeline/iteration_menu", box);
  is_open_ = menu.is_open();
  if (!is_open_) return chosen;
  for (const Other& other : others) {
    menu.action("beside_" + other.id,
                fmt::format("Iteration {} side by side with {}, {}", base::format_count(*of_),
                            other.what, base::format_count(other.iteration)),
                [&] {
                  chosen = IterationPair{*of_, other.iteration};
                });
  }
  return chosen;
}

}  // namespace dlview::ui
