#include "app/state_file.h"

#include <fstream>
#include <utility>

#include "app/state_json.h"

namespace dlview::app {

StateFile::StateFile(std::filesystem::path path) : path_(std::move(path)) {}

void StateFile::write(const Program& program) {
  std::string state = state_json(program);
  if (state == last_) return;
  last_ = std::move(state);
  const std::filesystem::path temporary = path_.string() + ".new";
  std::ofstream(temporary) << last_;
  std::error_code ignored;
  std::filesystem::rename(temporary, path_, ignored);
}

}  // namespace dlview::app
