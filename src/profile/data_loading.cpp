#include "profile/data_loading.h"

namespace dlview::profile {

bool is_data_loader_range(std::string_view name) {
  return name.find("DataLoader") != std::string_view::npos ||
         name.find("__next__") != std::string_view::npos ||
         name.starts_with("enumerate(DataPipe)#");
}

bool loads_data(const Profile& profile, OpIndex op) {
  if (profile.text(profile.ops.type[op]) == kDataLoaderOpType) return true;
  if (!profile.trace) return false;
  const std::string_view path = profile.text(profile.ops.name[op]);
  const std::string_view around = path.substr(0, path.rfind('/') + 1);
  const auto has = [around](std::string_view part) {
    return around.find(part) != std::string_view::npos;
  };
  return has("/enumerate(DataLoader)#") || has("/enumerate(DataPipe)#") || has("__next__/");
}

}  // namespace dlview::profile
