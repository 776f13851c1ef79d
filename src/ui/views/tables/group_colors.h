// Colors of groups and ops in the icicle: by category, use of Tensor Cores, time or GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/background.h"
#include "ui/table/table_data.h"
#include "ui/theme.h"
#include "ui/views/tables/kernel_columns.h"

namespace dlview::ui {

enum class GroupColoring : uint8_t { category, tensor_cores, time, device };
inline constexpr std::size_t kGroupColorings = 4;

// "category", "tensor_cores", "time", "device": for a state string.
std::string_view to_text(GroupColoring coloring);
// Unknown words are the category.
GroupColoring parse_group_coloring(std::string_view text);

// What the legend names: a class of time.
struct GroupColorClass {
  std::string name;  // "Eligible, not used"
  bool hatched = false;
};

// The GPU time of each row of "group_ops" by class. That of a group is the sum over the ops below
// it. Immutable.
struct GroupColors {
  static constexpr std::size_t kNone = SIZE_MAX;

  GroupColoring coloring = GroupColoring::category;
  std::vector<GroupColorClass> classes;  // in the order of the legend
  std::vector<double> ns;                // by row, then class

  double time(std::size_t row, std::size_t of) const { return ns[row * classes.size() + of]; }
  // The class with most of the row's time, the first of equal ones; kNone = no time.
  std::size_t main_class(std::size_t row) const;
  // What a tooltip says: "Tensor Cores: not eligible 71.0%, uses 29.0%", largest first; empty
  // without time.
  std::string text(std::size_t row) const;
};

// For all colorings but the device: O(rows). `unknown` may be null.
GroupColors group_colors(const TableData& data, GroupColoring coloring, const UnknownUse& unknown);
// By GPU: the kernels, copies and memsets that count in the selection, O(of the range). With more
// than kHueCount GPUs the last class is that of all others.
GroupColors group_colors_by_device(const TableData& data);

Color class_color(const Palette& palette, GroupColoring coloring, std::size_t of);

}  // namespace dlview::ui
