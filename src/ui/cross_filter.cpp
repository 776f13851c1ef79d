#include "ui/cross_filter.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "ui/chart/iteration_marker.h"
#include "ui/text.h"

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

namespace {

// The part of the run that the filter keeps: "op type conv2d", "GPU 1", "other kernels".
std::string filter_words(const Frame& frame, const Filter& filter) {
  constexpr float kWidest = 240;
  switch (filter.kind) {
    case aggregate::FilterKind::device:
      return fmt::format("GPU {}", filter.number);
    case aggregate::FilterKind::tensor_core:
      return filter.number != 0 ? "Tensor Core kernels" : "other kernels";
    case aggregate::FilterKind::eligible:
      return filter.number != 0 ? "TC eligible ops" : "ops that are not TC eligible";
    default:
      break;
  }
  std::string kind(aggregate::to_text(filter.kind));
  std::ranges::replace(kind, '_', ' ');
  const std::string value = filter.kind == aggregate::FilterKind::op
                                ? key_op_label(*frame.model.profile, filter.text)
                                : aggregate::value_text(filter);
  const auto measure = [font = frame.fonts().text](std::string_view part) {
    return text_width(font, part);
  };
  return fmt::format("{} {}", kind, cut_text(value, frame.px(kWidest), CutAt::middle, measure));
}

}  // namespace

void offer_filter(Frame& frame, CopyMenu& menu, const Filter& filter, std::string_view id) {
  const bool is_on = has_filter(frame.model.selection, filter);
  menu.action(id,
              fmt::format("{} {}", is_on ? "Take off the filter on" : "Filter everything to",
                          filter_words(frame, filter)),
              [&] { toggle_filter(frame, filter); });
}

void word_menu(Frame& frame, std::string_view name, const Box& box, std::string_view word,
               const std::optional<Filter>& filter) {
  if (word.empty()) return;
  frame.inspector.record_item(name, item_rect(box));
  CopyMenu menu(frame, name, box);
  if (!menu.is_open()) return;
  menu.item("name", "Copy name", [&] { return std::string(word); });
  if (filter) offer_filter(frame, menu, *filter);
}

}  // namespace dlview::ui
