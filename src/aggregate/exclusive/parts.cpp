#include "aggregate/exclusive/parts.h"

#include <algorithm>

namespace dlview::aggregate {
namespace {

struct PartText {
  std::string_view id, title;
};
constexpr std::array<PartText, kStackPartCount> kPartTexts{{
    {"tensor_core_kernels", "Tensor Core kernels"},
    {"other_kernels", "Other kernels"},
    {"exposed_communication", "Exposed communication"},
    {"memory", "Memory"},
    {"data_loader", "Data loader"},
    {"io", "I/O"},
    {"cpu", "CPU"},
    {"other", "Other"},
}};

}  // namespace

std::string_view to_text(StackPart part) {
  return kPartTexts[static_cast<std::size_t>(part)].id;
}

std::string_view title_of(StackPart part) {
  return kPartTexts[static_cast<std::size_t>(part)].title;
}

std::optional<StackPart> part_named(std::string_view id) {
  const auto* const found = std::find_if(kStackParts.begin(), kStackParts.end(),
                                         [&](StackPart part) { return to_text(part) == id; });
  if (found == kStackParts.end()) return std::nullopt;
  return *found;
}

}  // namespace dlview::aggregate
