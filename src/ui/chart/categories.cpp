#include "ui/chart/categories.h"

#include <algorithm>

#include "base/units.h"

namespace dlview::ui {
namespace {

struct Name {
  std::string_view id, label;
};
constexpr std::array<Name, aggregate::kCategoryCount> kNames{
    {{"tensor_core_kernels", "Tensor Core kernels"},
     {"other_kernels", "Other kernels"},
     {"memory", "Memory"},
     {"data_loader", "Data loader"},
     {"io", "I/O"},
     {"cpu", "CPU"},
     {"other", "Other"}}};

const Name& name_of(aggregate::Category category) {
  return kNames[static_cast<std::size_t>(category)];
}

}  // namespace

std::string category_label(aggregate::Category category) {
  return std::string(name_of(category).label);
}

std::string category_id(aggregate::Category category) {
  return std::string(name_of(category).id);
}

Tone tone_of(aggregate::StackPart part) {
  using aggregate::StackPart;
  switch (part) {
    case StackPart::tensor_core_kernels:
      return Tone::tensor_core_kernels;
    case StackPart::other_kernels:
      return Tone::other_kernels;
    case StackPart::exposed_communication:
      return Tone::communication;
    case StackPart::memory:
      return Tone::memory;
    case StackPart::data_loader:
      return Tone::data_loader;
    case StackPart::io:
      return Tone::io;
    case StackPart::cpu:
      return Tone::cpu;
    case StackPart::other:
      break;
  }
  return Tone::other;
}

aggregate::Breakdown without_exposed(aggregate::Breakdown parts, int64_t exposed_ns) {
  using enum aggregate::Category;
  const int64_t of_other = std::min(exposed_ns, parts[other_kernels]);
  parts[other_kernels] -= of_other;
  parts[tensor_core_kernels] -= exposed_ns - of_other;
  return parts;
}

std::array<CommunicationPart, 2> communication_parts(const aggregate::CommunicationTime& time) {
  return {{{"Exposed communication", time.exposed_ns},
           {"Overlapped communication", time.overlapped_ns()}}};
}

std::array<Color, 2> communication_colors(const Palette& palette) {
  const Color tone = palette.tone(Tone::communication);
  return {tone, mix(palette.panel, tone, 0.45f)};
}

std::vector<TooltipRow> communication_rows(const aggregate::CommunicationTime& time,
                                           int64_t whole_ns, const Palette& palette) {
  const auto colors = communication_colors(palette);
  std::vector<TooltipRow> rows;
  for (const CommunicationPart& part : communication_parts(time)) {
    const double percent =
        whole_ns > 0 ? 100 * static_cast<double>(part.ns) / static_cast<double>(whole_ns) : 0;
    rows.push_back({std::string(part.label), base::format_duration(part.ns),
                    base::format_percent(percent), colors[rows.size()]});
  }
  return rows;
}

}  // namespace dlview::ui
