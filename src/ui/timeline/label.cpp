#include "ui/timeline/label.h"

namespace dlview::ui::timeline {
namespace {

// "aten::mul, op_id = 12" -> "aten::mul"
std::string_view without_arguments(std::string_view name) {
  const std::size_t comma = name.find(", ");
  const bool has_arguments = comma != name.npos && name.find(" = ", comma) != name.npos;
  return has_arguments ? name.substr(0, comma) : name;
}

}  // namespace

std::string label_of(std::string_view name, float room, const MeasureText& measure) {
  if (measure(name) <= room) return std::string(name);
  const std::string_view bare = without_arguments(name);
  const std::string marked = std::string(bare) + "…";
  if (bare.size() < name.size() && measure(marked) <= room) return marked;
  return cut_text(bare, room, CutAt::middle, measure);
}

}  // namespace dlview::ui::timeline
