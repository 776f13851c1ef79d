#include "ui/chart/category_names.h"

#include <array>
#include <string_view>

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

}  // namespace dlview::ui
