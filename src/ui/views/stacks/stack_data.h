// The data of the view of Python stacks for a range: two tables, and the call tree for the chart.
// Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/python_frames.h"
#include "ui/chart/tree_chart.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

enum class StackStyle : uint8_t { icicle, sunburst, table };
enum class StackMeasure : uint8_t { cpu, gpu };

// The choices of the user.
struct StackChoice {
  StackStyle style = StackStyle::icicle;
  StackMeasure measure = StackMeasure::cpu;
  uint32_t levels = 0;     // 0 = all
  uint32_t per_mille = 1;  // nodes with a smaller share of the root are folded
  bool hides_internal = false;
  bool operator==(const StackChoice&) const = default;
};
// "sunburst gpu levels=10 cutoff=0 hide_internal": the choices that are not the default, for a
// state string.
std::string to_text(const StackChoice& choice);
// Unknown words are ignored.
StackChoice parse_stack_choice(std::string_view text);

// The package of a frame: "torch", "nn.Module", "built-in"; "other files" for files without a
// folder: those of the standard library and of the user.
std::string_view package_of(std::string_view frame);

// The function of a frame: "forward" of "model.py(12): forward", "Linear_3" of "nn.Module:
// Linear_3", "softmax" of "<built-in method softmax of Tensor object at 0x7f>".
std::string_view function_of(std::string_view frame);

struct StackData {
  std::shared_ptr<const TableData> functions, tree;  // "stacks", "stack_tree"
  // Nodes are rows of `tree`.
  std::shared_ptr<const TreeContent> by_cpu, by_gpu;

  struct Package {
    std::string name;
    std::optional<std::size_t> hue;  // of the palette; nullopt = the color of all others
  };
  std::vector<Package> packages;  // largest self time first
};

StackData make_stack_data(const std::shared_ptr<const profile::Profile>& profile,
                          const std::shared_ptr<const aggregate::Aggregation>& aggregation,
                          const std::shared_ptr<const profile::PythonFrames>& frames,
                          bool hides_internal);

Color package_color(const Palette& palette, const StackData::Package& package);

}  // namespace dlview::ui
