#include "ui/strip/rank_control.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "ui/widgets/controls.h"
#include "ui/widgets/menu.h"

namespace dlview::ui {
namespace {

constexpr std::size_t kListedAround = 8;  // ranks on either side of the active one

MenuItem rank_item(Frame& frame, const workspace::ReadRanks& read, std::size_t rank,
                   const std::string& id, const std::string& title) {
  MenuItem item{id, title};
  item.enabled = !read.paths[rank].empty();
  if (!item.enabled) item.tooltip = "Profile not found";
  item.run = [&host = frame.host, choice = workspace::RankChoice{
                                      read.paths[rank], read.figures->times.ranks[rank],
                                      frame.model.compared.iteration}] { host.show_rank(choice); };
  return item;
}

std::vector<MenuItem> rank_items(Frame& frame, const workspace::RankModel& model) {
  const workspace::ReadRanks& read = *model.read;
  const ranks::RunFigures& run = *read.figures;
  const auto number = [&run](std::size_t rank) { return run.times.ranks[rank]; };
  std::vector<MenuItem> items;
  const std::size_t typical = run.typical_rank(), slowest = run.slowest_rank();
  items.push_back(
      rank_item(frame, read, typical, "typical", fmt::format("Typical: rank {}", number(typical))));
  items.push_back(
      rank_item(frame, read, slowest, "slowest", fmt::format("Slowest: rank {}", number(slowest))));
  MenuItem all{"all", "All ranks"};
  all.tooltip = "Sums, means and extremes of all ranks, in the view Ranks";
  all.run = [&host = frame.host] { host.show_table(ViewId::ranks, {"ranks_table", {}, "ops"}); };
  items.push_back(std::move(all));
  const std::size_t first = *model.active - std::min(*model.active, kListedAround);
  const std::size_t last = std::min(run.rank_count(), *model.active + kListedAround + 1);
  for (std::size_t rank = first; rank < last; ++rank) {
    MenuItem item = rank_item(frame, read, rank, fmt::format("{}", number(rank)),
                              fmt::format("Rank {}", number(rank)));
    const ranks::RankHead& head = run.part_of(rank).head;
    item.hint = head.host;
    item.chosen = rank == *model.active;
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace

std::string rank_text(const workspace::RankModel& model) {
  if (!model.active || !model.read || !model.read->figures) return "";
  const ranks::RunFigures& run = *model.read->figures;
  const auto count = static_cast<int64_t>(run.all_ranks());
  return fmt::format("Rank {} of {}", run.times.ranks[*model.active],
                     std::max(count, run.summary.world_size().value_or(count)));
}

float rank_control_width(const Frame& frame) {
  const std::string text = frame.model.ranks ? rank_text(*frame.model.ranks) : "";
  if (text.empty()) return 0;
  return menu_button_width(frame, text) + button_width(frame, "[") + button_width(frame, "]") +
         frame.px(8);
}

void draw_rank_control(Frame& frame, float left, const Box& strip) {
  const workspace::RankModel& model = *frame.model.ranks;
  const std::string text = rank_text(model);
  const float top = std::round((strip.top + strip.bottom - frame.px(kControlHeight)) / 2);
  frame.inspector.record_value("strip/rank", text);
  if (draw_button(frame, "strip/rank/previous", left, top, "[")) {
    frame.host.run_command("ranks.previous");
  }
  left += button_width(frame, "[") + frame.px(4);
  const float right = left + menu_button_width(frame, text);
  draw_menu(frame, "strip/rank/list", text, right, top, rank_items(frame, model));
  if (draw_button(frame, "strip/rank/next", right + frame.px(4), top, "]")) {
    frame.host.run_command("ranks.next");
  }
}

}  // namespace dlview::ui
