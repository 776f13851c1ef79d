#include "ui/cross_filter.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dlview::ui {
namespace {

using aggregate::Filter;

bool has_filter(const aggregate::Selection& selection, const Filter& filter) {
  return std::ranges::find(selection.filters, filter) != selection.filters.end();
}

}  // namespace

aggregate::Selection toggled(aggregate::Selection selection, const Filter& filter) {
  if (std::erase(selection.filters, filter) == 0) selection.filters.push_back(filter);
  selection.filters = aggregate::canonical(std::move(selection.filters));
  return selection;
}

void toggle_filter(Frame& frame, const Filter& filter) {
  frame.host.select(toggled(frame.model.selection, filter));
}

void add_filter(Frame& frame, const Filter& filter) {
  if (!has_filter(frame.model.selection, filter)) toggle_filter(frame, filter);
}

std::string click_hint(const Model& model, const Filter& filter) {
  return has_filter(model.selection, filter) ? "Click takes this filter off"
                                             : "Click filters everything to this";
}

void offer_filter(Frame& frame, const CopyMenu& menu, const Filter& filter) {
  const bool is_on = has_filter(frame.model.selection, filter);
  menu.action("everything", is_on ? "Take this filter off" : "Filter everything",
              [&] { toggle_filter(frame, filter); });
}

void word_menu(Frame& frame, std::string_view name, const Box& box, std::string_view word,
               const std::optional<Filter>& filter) {
  if (word.empty()) return;
  frame.inspector.record_item(name, item_rect(box));
  const CopyMenu menu(frame, name, box);
  if (!menu.is_open()) return;
  menu.item("name", "Copy name", [&] { return std::string(word); });
  if (filter) offer_filter(frame, menu, *filter);
}

}  // namespace dlview::ui
