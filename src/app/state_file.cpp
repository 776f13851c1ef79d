#include "app/state_file.h"

#include <utility>

#include "app/state_json.h"
#include "base/unfinished_file.h"

namespace dlview::app {

StateFile::StateFile(std::filesystem::path path) : path_(std::move(path)) {}

void StateFile::write(const Program& program) {
  std::string state = state_json(program);
  if (state == last_) return;
  last_ = std::move(state);
  auto file = base::UnfinishedFile::create(path_);
  if (!file) return;
  file->out() << last_;
  static_cast<void>(file->finish());
}

}  // namespace dlview::app
