// TreeChart: a tree of values as an icicle (boxes below their parent, as wide as their value) or as
// a sunburst (the same in rings), with the path to its root above it.
//
// A click on a node, or Enter, makes it the root; a click on the root or on a part of the path,
// Backspace and Escape go back. The arrow keys walk through the tree while the keyboard is on the
// chart. What is too small to be seen stands folded together. tree_chart_sunburst.cpp draws the
// rings.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/chart/value_tree.h"
#include "ui/widgets/canvas.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {

enum class TreeStyle : uint8_t { icicle, sunburst };

// What a chart shows. Another one takes its place when the numbers change; nodes are then found
// again by their names and those of the nodes around them.
struct TreeContent {
  ValueTree tree;
  std::string whole;  // name of what contains the outermost nodes: "All frames"
  std::string noun;   // of several nodes: "frames"
  std::function<std::string(uint32_t node)> name;
  // What stands on a box that has no room for the name; not set = the name, cut.
  std::function<std::string(uint32_t node)> short_name = {};
  CutAt cut = CutAt::front;                              // where names have no room
  std::function<Color(const Palette&, uint32_t)> color;  // of a node
  std::function<std::string(int64_t)> value_text;        // "1.28 ms"
  std::function<std::string(int64_t)> full_text;         // "1,284,305 ns"
  // What the tooltip of a node says below its value.
  std::function<std::vector<TooltipText>(uint32_t node)> details = {};
  // What can be done with a node beside copying its name.
  std::function<void(CopyMenu&, uint32_t node)> menu = {};
};

struct TreeChartOptions {
  TreeStyle style = TreeStyle::icicle;
  uint32_t levels = 0;           // below each other at most; 0 = all
  double least_share = 0;        // of the root, 0..1; what is smaller is folded
  std::string_view search = {};  // names with this text stand out; case does not count
};

// How a chart shows a color: quiet, so that names can be read and what is selected stands out.
Color tree_color(const Palette& palette, Color color);
// Of what a search did not find.
Color faded(const Palette& palette, Color color);

// The innermost node that nearly all of the whole passes through: where it begins to split. kTop =
// at its top.
uint32_t first_split(const ValueTree& tree);

// The name cut to the room; empty where less than six letters of it would stay.
std::string tree_label(std::string_view name, float room, CutAt cut, const MeasureText& measure);

class TreeChart {
 public:
  // `name` is unique in the window and begins the inspector's names.
  explicit TreeChart(std::string name) : name_(std::move(name)) {}

  // Fills the box. Returns the node that was clicked or that a key came to.
  std::optional<uint32_t> draw(Frame& frame, const Box& box,
                               const std::shared_ptr<const TreeContent>& content,
                               const TreeChartOptions& options);

  // Pixels of an icicle with all levels drawn since its content changed; 0 before the first
  // drawing.
  float icicle_height(const Frame& frame) const;

  // What draw() is about to be given, so that root and selection are those of its nodes.
  void show(const std::shared_ptr<const TreeContent>& content);

  // Of the last content; kTop = the whole.
  uint32_t root() const { return root_; }
  void zoom_to(uint32_t node);  // and selects it
  // As the chart begins: nothing is selected.
  void begin_at(uint32_t node);
  // Marks the node, and goes back as far as it takes for the node to lie below the root.
  void select(uint32_t node);
  std::optional<uint32_t> selected() const { return selected_; }

 private:
  // Pixels of the design: of a row; narrower parts that touch are drawn as one.
  static constexpr float kBoxHeight = 20, kHairline = 3;

  // What a layout was made from.
  struct Shape {
    const TreeContent* content = nullptr;
    uint32_t root = 0;
    TreeStyle style = {};
    uint32_t levels = 0;
    double least_share = 0;
    float width = 0, ring = 0, scale = 0;
    bool operator==(const Shape&) const = default;
  };
  // Pixels of the rings of a sunburst.
  struct Rings {
    float x = 0, y = 0, center = 0, ring = 0;
    uint32_t levels = 0;  // that there is room for, the center included
    float inner(uint32_t level) const { return center + ring * static_cast<float>(level - 1); }
  };

  uint32_t find_path(const std::vector<std::string>& names) const;
  std::vector<std::string> names_of(uint32_t node) const;
  void lay_out(const Frame& frame, float width, uint32_t levels);
  void lay_out_rings(const Frame& frame, const Box& box);
  uint32_t level_count() const { return parts_.empty() ? 0 : parts_.back().level + 1; }

  void take_keys(const Frame& frame, const Hit& hit);
  void walk(ImGuiKey key);
  void zoom_out();
  void take_mouse(Frame& frame, const Hit& hit, const TreePart* pointed, const Box& menu_box);

  float draw_path(Frame& frame, const Box& box);
  void draw_icicle(Frame& frame, const Box& box);
  void draw_icicle_level(const Frame& frame, const Box& row, std::size_t first, std::size_t end);
  void draw_sunburst(Frame& frame, const Box& box);
  void draw_rings(const Frame& frame) const;
  void fill_arc(uint32_t level, double first, double last, Color color) const;
  void draw_ring_part(const Frame& frame, std::size_t index) const;
  void draw_path_list(Frame& frame, const Box& box, uint32_t node) const;
  void draw_list_row(Frame& frame, const Box& row, uint32_t node, bool is_node) const;
  void explain(Frame& frame, const TreePart& part) const;
  void draw_menu(Frame& frame, const Box& box, bool opens);

  Color color_of(const Frame& frame, const TreePart& part) const;
  std::string name_of(uint32_t node) const;
  bool is_hit(std::size_t part) const { return hits_.empty() || hits_[part] != 0; }
  const TreePart* part_of(uint32_t node) const;
  std::string share_text(int64_t value, uint32_t of) const;

  std::string name_;
  std::shared_ptr<const TreeContent> content_;
  TreeChartOptions options_;
  uint32_t root_ = ValueTree::kTop;
  std::optional<uint32_t> selected_, chosen_, hovered_;
  uint32_t menu_node_ = ValueTree::kTop;
  bool reveals_ = false;  // scrolls to the selected node

  Shape shape_;
  std::vector<TreePart> parts_;
  uint32_t most_levels_ = 0;         // in rows of an icicle
  std::vector<std::string> labels_;  // of parts, in an icicle
  std::string searched_;
  std::vector<uint8_t> hits_;  // by part; empty = nothing is searched for
  Rings rings_;
};

}  // namespace dlview::ui
