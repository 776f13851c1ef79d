#include "profile/data_loading.h"

namespace dlview::profile {

bool is_data_loader_range(std::string_view name) {
  return name.find("DataLoader") != std::string_view::npos ||
         name.find("__next__") != std::string_view::npos ||
         name.starts_with("enumerate(DataPipe)#");
}

}  // namespace dlview::profile
