#include "ui/chart/tree_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/palette/search.h"
#include "ui/text.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/focus.h"

namespace dlview::ui {
namespace {

constexpr uint32_t kTop = ValueTree::kTop;

constexpr float kPathHeight = 24, kScrollBar = 10;
constexpr float kLeastLabelWidth = 26;  // of a box
constexpr std::string_view kPathSign = "›";

}  // namespace

Color tree_color(const Palette& palette, Color color) {
  return mix(color, palette.panel, 0.45f);
}

Color faded(const Palette& palette, Color color) {
  return mix(color, palette.panel, 0.75f);
}

uint32_t first_split(const ValueTree& tree) {
  constexpr double kNearlyAll = 0.98;
  const double least = kNearlyAll * static_cast<double>(tree.value(kTop));
  uint32_t node = kTop;
  for (auto children = tree.children(node); !children.empty(); children = tree.children(node)) {
    if (static_cast<double>(tree.value(children.front())) < least) break;
    node = children.front();
  }
  return node;
}

std::string tree_label(std::string_view name, float room, CutAt cut, const MeasureText& measure) {
  constexpr std::size_t kLeastLetters = 6, kEllipsisBytes = 3;
  std::string label = cut_text(name, room, cut, measure);
  return label != name && label.size() < kLeastLetters + kEllipsisBytes ? "" : label;
}

std::string TreeChart::name_of(uint32_t node) const {
  return node == kTop ? content_->whole : content_->name(node);
}

std::vector<std::string> TreeChart::names_of(uint32_t node) const {
  std::vector<std::string> names;
  for (const uint32_t each : content_->tree.path(node)) names.push_back(content_->name(each));
  return names;
}

// As far as the path is there; kTop = not even its first name.
uint32_t TreeChart::find_path(const std::vector<std::string>& names) const {
  uint32_t found = kTop;
  for (const std::string& name : names) {
    const auto children = content_->tree.children(found);
    const auto child =
        std::ranges::find_if(children, [&](uint32_t each) { return content_->name(each) == name; });
    if (child == children.end()) break;
    found = *child;
  }
  return found;
}

void TreeChart::show(const std::shared_ptr<const TreeContent>& content) {
  if (content_ == content) return;
  std::vector<std::string> root, selected;
  if (content_) {
    root = names_of(root_);
    if (selected_) selected = names_of(*selected_);
  }
  content_ = content;
  root_ = find_path(root);
  const uint32_t found = find_path(selected);
  selected_.reset();
  if (found != kTop && content_->tree.path(found).size() == selected.size()) selected_ = found;
  hovered_.reset();
  menu_node_ = kTop;
}

void TreeChart::zoom_to(uint32_t node) {
  root_ = node;
  selected_.reset();
  if (node != kTop) selected_ = node;
}

void TreeChart::begin_at(uint32_t node) {
  root_ = node;
  selected_.reset();
}

void TreeChart::select(uint32_t node) {
  if (selected_ == node) return;
  selected_ = node;
  reveals_ = true;
  if (!content_) return;
  const std::vector<uint32_t> path = content_->tree.path(node);
  while (root_ != kTop && std::ranges::find(path, root_) == path.end()) {
    root_ = content_->tree.parent(root_);
  }
}

void TreeChart::zoom_out() {
  const uint32_t from = root_;
  zoom_to(content_->tree.parent(root_));
  selected_ = from;
  chosen_ = from;
}

const TreePart* TreeChart::part_of(uint32_t node) const {
  const auto found = std::ranges::find_if(
      parts_, [node](const TreePart& part) { return part.node == node && part.folded == 0; });
  return found == parts_.end() ? nullptr : &*found;
}

std::string TreeChart::share_text(int64_t value, uint32_t of) const {
  const auto whole = static_cast<double>(content_->tree.value(of));
  return base::format_percent(100 * static_cast<double>(value) / whole);
}

void TreeChart::lay_out(const Frame& frame, float width, uint32_t levels) {
  const Shape shape{content_.get(),       root_, options_.style, levels,
                    options_.least_share, width, rings_.ring,    frame.look.scale};
  const bool is_same = shape_ == shape;
  if (!is_same) {
    if (shape_.content != shape.content) most_levels_ = 0;
    shape_ = shape;
    const double pixels = static_cast<double>(width) / static_cast<double>(frame.px(1));
    parts_ = lay_out_tree(content_->tree, root_,
                          {levels, options_.least_share, [&, this](uint32_t level) {
                             if (options_.style == TreeStyle::icicle) return pixels;
                             return static_cast<double>(rings_.inner(level) + rings_.ring / 2) * 2 *
                                    std::numbers::pi / static_cast<double>(frame.px(1));
                           }});
    // The path names the whole; it has no row.
    most_levels_ = std::max(most_levels_, level_count() - (root_ == kTop && !parts_.empty()));
    const ImFont* font = frame.fonts().mono;
    const auto measure = [font](std::string_view text) { return text_width(font, text); };
    labels_.assign(parts_.size(), "");
    for (std::size_t i = 0; options_.style == TreeStyle::icicle && i < parts_.size(); ++i) {
      const TreePart& part = parts_[i];
      const float room = static_cast<float>(part.last - part.first) * width;
      if (part.folded > 0 || room < frame.px(kLeastLabelWidth)) continue;
      const float inside = room - frame.px(11);
      const std::string name = name_of(part.node);
      const bool is_whole = part.node == kTop || !content_->short_name || measure(name) <= inside;
      labels_[i] = tree_label(is_whole ? name : content_->short_name(part.node), inside,
                              content_->cut, measure);
    }
  }
  if (is_same && searched_ == options_.search) return;
  searched_ = options_.search;
  hits_.clear();
  for (std::size_t i = 0; !searched_.empty() && i < parts_.size(); ++i) {
    const bool is_found =
        parts_[i].folded == 0 &&
        find_ignoring_case(name_of(parts_[i].node), searched_, 0) != std::string_view::npos;
    hits_.push_back(is_found ? 1 : 0);
  }
}

float TreeChart::icicle_height(const Frame& frame) const {
  if (most_levels_ == 0) return 0;
  return frame.px(kPathHeight) + static_cast<float>(most_levels_) * frame.px(kBoxHeight);
}

Color TreeChart::color_of(const Frame& frame, const TreePart& part) const {
  const Palette& colors = frame.palette();
  if (part.node == kTop || part.folded > 0) return colors.raised;
  return tree_color(colors, content_->color(colors, part.node));
}

std::optional<uint32_t> TreeChart::draw(Frame& frame, const Box& box,
                                        const std::shared_ptr<const TreeContent>& content,
                                        const TreeChartOptions& options) {
  show(content);
  options_ = options;
  chosen_.reset();
  const float top = draw_path(frame, box);
  const Box picture{box.left, top, box.right, box.bottom};
  if (options.style == TreeStyle::icicle) {
    draw_icicle(frame, picture);
  } else {
    draw_sunburst(frame, picture);
  }
  if (!hits_.empty()) {
    frame.inspector.record_value(name_ + "/found",
                                 fmt::to_string(std::ranges::count(hits_, uint8_t{1})));
  }
  return chosen_;
}

// From the whole to the root; where there is no room for all, those next to the whole give way.
float TreeChart::draw_path(Frame& frame, const Box& box) {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().mono;
  const float height = frame.px(kPathHeight), bottom = box.top + height;
  const float gap = frame.px(6), sign = text_width(font, kPathSign) + 2 * gap;
  const float most = box.width() * 0.4f;
  std::vector<uint32_t> path = content_->tree.path(root_);
  path.insert(path.begin(), kTop);
  const auto measure = [font](std::string_view text) { return text_width(font, text); };
  std::vector<std::string> texts;
  for (const uint32_t node : path) {
    texts.push_back(cut_text(name_of(node), most, content_->cut, measure));
  }
  const std::string value =
      fmt::format("{} · {}", content_->value_text(content_->tree.value(root_)),
                  share_text(content_->tree.value(root_), kTop));
  float room = box.width() - text_width(frame.fonts().text, value) - frame.px(16) -
               text_width(font, texts[0]);
  std::size_t first = path.size();  // of those shown behind the whole
  const float dots = sign + text_width(font, "…");
  while (first > 1) {
    const float wanted = sign + text_width(font, texts[first - 1]);
    if (room < wanted + (first > 2 ? dots : 0)) break;
    room -= wanted;
    --first;
  }
  float x = box.left;
  const auto put = [&](std::string_view text, Color color) {
    draw_text_in(font, {x, box.top, box.right, bottom}, color, text);
    x += text_width(font, text);
  };
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (i > 0 && i < first) continue;
    if (i > 0 && i == first) {
      if (first > 1) {
        x += gap;
        put(kPathSign, colors.faint);
        x += gap;
        put("…", colors.faint);
      }
    }
    if (i > 0) {
      x += gap;
      put(kPathSign, colors.faint);
      x += gap;
    }
    const bool is_root = i + 1 == path.size();
    const Box place{x, box.top + frame.px(2), x + text_width(font, texts[i]), bottom - frame.px(2)};
    if (is_root) {
      put(texts[i], colors.text);
      continue;
    }
    const Hit hit = hit_area(frame, fmt::format("{}/path_{}", name_, i), place);
    put(texts[i], colors.accent);
    if (hit.hovered) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      horizontal_line(place.left, place.right, place.bottom - frame.px(2), colors.accent);
      show_name_tooltip(frame, name_of(path[i]));
    }
    if (!hit.clicked) continue;
    zoom_to(path[i]);
    chosen_ = selected_;
  }
  frame.inspector.record_value(name_ + "/root", name_of(root_));
  frame.inspector.record_value(name_ + "/value", value);
  draw_text_right(frame.fonts().text, box.right,
                  box.top + (height - font_size(frame.fonts().text)) / 2, colors.dim, value);
  return bottom;
}

void TreeChart::take_keys(const Frame& frame, const Hit& hit) {
  const bool is_free = frame.model.overlay == Overlay::none && !ImGui::GetIO().WantTextInput &&
                       !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  if (!is_free) return;
  if (root_ != kTop) {
    if (hit.has_ring && frame.focus != nullptr) frame.focus->keep_escape();
    if (pressed(ImGuiKey_Backspace) || pressed(ImGuiKey_Escape)) return zoom_out();
  }
  if (!hit.has_ring || hit.has_arrived) return;
  for (const ImGuiKey key :
       {ImGuiKey_UpArrow, ImGuiKey_DownArrow, ImGuiKey_LeftArrow, ImGuiKey_RightArrow}) {
    if (pressed(key)) walk(key);
  }
  if (is_key_pressed(ImGuiKey_Home, false) && root_ != kTop) {
    zoom_to(kTop);
  } else if (is_key_pressed(ImGuiKey_Enter, false) && selected_) {
    if (selected_ == root_) return zoom_out();
    zoom_to(*selected_);
    chosen_ = selected_;
  }
}

// Up to the parent, down to the largest child, and to the neighbors of the level.
void TreeChart::walk(ImGuiKey key) {
  const TreePart* const at = selected_ ? part_of(*selected_) : nullptr;
  const TreePart* next = nullptr;
  if (at == nullptr) {
    if (parts_.size() > 1) next = &parts_[root_ == kTop ? 1 : 0];
  } else if (key == ImGuiKey_UpArrow || key == ImGuiKey_DownArrow) {
    const uint32_t level = key == ImGuiKey_UpArrow ? at->level - 1 : at->level + 1;
    const double middle = (at->first + at->last) / 2;
    if (key == ImGuiKey_DownArrow) {
      const auto children = content_->tree.children(at->node);
      if (!children.empty()) next = part_of(children.front());
    } else if (at->level > 0) {
      next = part_at(parts_, level, middle);
    }
  } else {
    const int step = key == ImGuiKey_LeftArrow ? -1 : 1;
    const auto count = static_cast<std::ptrdiff_t>(parts_.size());
    for (std::ptrdiff_t place = at - parts_.data() + step; place >= 0 && place < count;
         place += step) {
      const TreePart& part = parts_[static_cast<std::size_t>(place)];
      if (part.level != at->level) break;
      if (part.folded > 0) continue;
      next = &part;
      break;
    }
  }
  if (next == nullptr || next->node == kTop || next->folded > 0) return;
  selected_ = next->node;
  chosen_ = selected_;
  reveals_ = true;
}

void TreeChart::explain(Frame& frame, const TreePart& part) const {
  const int64_t value = part.value;
  std::vector<TooltipText> lines;
  if (part.folded > 0) {
    lines.push_back({TooltipStyle::heading, base::counted(part.folded, content_->noun)});
  } else {
    lines.push_back({TooltipStyle::name, name_of(part.node)});
  }
  lines.push_back({TooltipStyle::value, fmt::format("{} · {} of {}", content_->full_text(value),
                                                    share_text(value, kTop), content_->whole)});
  if (root_ != kTop && part.node != root_) {
    lines.push_back(
        {TooltipStyle::note, fmt::format("{} of {}", share_text(value, root_), name_of(root_))});
  }
  if (part.folded > 0) {
    lines.push_back({TooltipStyle::note, "Each is too small to be shown"});
  } else if (part.node != kTop && content_->details) {
    for (TooltipText& line : content_->details(part.node)) lines.push_back(std::move(line));
  }
  if (part.folded == 0 && (part.node != root_ || root_ != kTop)) {
    lines.push_back(
        {TooltipStyle::note, part.node == root_ ? "Click to zoom out" : "Click to zoom in"});
  }
  show_text_tooltip(frame, lines);
}

void TreeChart::take_mouse(Frame& frame, const Hit& hit, const TreePart* pointed,
                           const Box& menu_box) {
  hovered_.reset();
  bool opens = false;
  if (hit.has_ring && frame.focus != nullptr && selected_ && frame.focus->takes_menu(menu_box)) {
    menu_node_ = *selected_;
    opens = true;
  }
  if (pointed != nullptr && hit.hovered) {
    if (pointed->folded == 0) hovered_ = pointed->node;
    explain(frame, *pointed);
    if (ImGui::IsMouseReleased(ImGuiMouseButton_Right)) {
      menu_node_ = pointed->folded == 0 ? pointed->node : kTop;
    }
    if (hit.clicked && pointed->folded == 0) {
      if (pointed->node != root_) {
        zoom_to(pointed->node);
        chosen_ = selected_;
      } else if (root_ != kTop) {
        zoom_out();
      }
    }
  }
  draw_menu(frame, hit.hovered || opens ? menu_box : Box{}, opens);
}

void TreeChart::draw_menu(Frame& frame, const Box& box, bool opens) {
  CopyMenu menu(frame, name_, box, opens);
  if (!menu.is_open()) return;
  if (menu_node_ != kTop) {
    menu.item("name", "Copy name", [this] { return name_of(menu_node_); });
    if (content_->menu) content_->menu(menu, menu_node_);
    if (menu_node_ != root_) {
      menu.action("zoom_in", "Zoom in", [this] { zoom_to(menu_node_); });
    }
  }
  if (root_ != kTop) menu.action("zoom_out", "Zoom out", [this] { zoom_out(); });
}

void TreeChart::draw_icicle(Frame& frame, const Box& box) {
  const float bar = frame.px(kScrollBar);  // room for the scroll bar
  const float width = box.width() - bar, height = frame.px(kBoxHeight);
  lay_out(frame, width, options_.levels);
  ImGui::SetCursorScreenPos({box.left, box.top});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, bar);
  ImGui::BeginChild(name_.c_str(), {box.width(), box.height()}, false, ImGuiWindowFlags_None);
  ImGui::PopStyleVar(2);
  const Hit hit =
      hit_area(frame, name_, {box.left, box.top, box.left + width, box.bottom}, Reach::chart);
  // The whole has no box: it stands in the path.
  const auto top_of = [&] { return box.top - ImGui::GetScrollY() - (root_ == kTop ? height : 0); };
  float top = top_of();
  const TreePart* pointed = nullptr;
  if (hit.hovered) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const float level = std::floor((mouse.y - top) / height);
    const double place = static_cast<double>((mouse.x - box.left) / width);
    if (level >= 0) pointed = part_at(parts_, static_cast<uint32_t>(level), place);
  }
  take_mouse(frame, hit, pointed, {box.left, box.top, box.left + width, box.bottom});
  take_keys(frame, hit);
  lay_out(frame, width, options_.levels);  // of another root
  top = top_of();
  for (std::size_t first = 0; first < parts_.size();) {
    const uint32_t level = parts_[first].level;
    std::size_t end = first;
    while (end < parts_.size() && parts_[end].level == level) ++end;
    const float row = top + static_cast<float>(level) * height;
    if (row < box.bottom && row + height > box.top) {
      draw_icicle_level(frame, {box.left, row, box.left + width, row + height - 1}, first, end);
    }
    first = end;
  }
  const float bottom = top + static_cast<float>(level_count()) * height;
  ImGui::SetCursorScreenPos({box.left, bottom});
  ImGui::Dummy({0, 0});
  if (std::exchange(reveals_, false) && selected_) {
    if (const TreePart* part = part_of(*selected_)) {
      const float row = top + static_cast<float>(part->level) * height;
      if (row < box.top || row + height > box.bottom) {
        ImGui::SetScrollFromPosY(row - box.top, 0.5f);
      }
    }
  }
  ImGui::EndChild();
}

// Boxes of less than a few pixels that touch become one of mixed color.
void TreeChart::draw_icicle_level(const Frame& frame, const Box& row, std::size_t first,
                                  std::size_t end) {
  const Palette& colors = frame.palette();
  const float thin = frame.px(kHairline), gap = frame.px(1);
  const auto x = [&](double place) {
    return row.left + std::floor(static_cast<float>(place) * row.width());
  };
  Box hairlines{0, row.top, -1, row.bottom};
  bool has_hit = false;
  const auto end_hairlines = [&] {
    if (hairlines.right > hairlines.left) {
      fill(hairlines, has_hit ? colors.dim : faded(colors, colors.dim));
    }
    hairlines.right = hairlines.left - 1;
    has_hit = false;
  };
  for (std::size_t i = first; i < end; ++i) {
    const TreePart& part = parts_[i];
    const Box box{x(part.first), row.top, std::max(x(part.last), x(part.first) + 1), row.bottom};
    if (box.width() < thin) {
      if (hairlines.right < box.left) {
        end_hairlines();
        hairlines.left = box.left;
      }
      hairlines.right = std::max(hairlines.right, box.right);
      has_hit = has_hit || (!hits_.empty() && is_hit(i));
      continue;
    }
    end_hairlines();
    const Color color = color_of(frame, part);
    const Color shown = is_hit(i) ? color : faded(colors, color);
    const Box inner{box.left, box.top, box.right - gap, box.bottom};
    fill(inner, hovered_ == part.node && part.folded == 0 ? mix(shown, colors.text, 0.2f) : shown);
    if (part.folded > 0) hatch(frame, inner, hatch_color(shown));
    if (!hits_.empty() && is_hit(i)) outline(inner, colors.accent);
    if (part.folded == 0 && selected_ == part.node) {
      outline(inner, colors.bound);
      outline({inner.left + 1, inner.top + 1, inner.right - 1, inner.bottom - 1}, colors.bound);
    }
    if (labels_[i].empty()) continue;
    const Color ground = hovered_ == part.node ? mix(shown, colors.text, 0.2f) : shown;
    draw_text_in(frame.fonts().mono,
                 {inner.left + frame.px(5), inner.top, inner.right, inner.bottom}, text_on(ground),
                 labels_[i]);
    frame.inspector.record_item(fmt::format("{}/{}", name_, name_of(part.node)), item_rect(inner));
  }
  end_hairlines();
}

}  // namespace dlview::ui
