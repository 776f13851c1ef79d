#include "app/open_requests.h"

#include <filesystem>
#include <utility>

#include "app/xdg.h"
#include "generate/dlprof.h"
#include "import/open.h"

namespace dlview::app {
namespace {

std::filesystem::path demo_path() {
  return cache_folder() / "demo-" DLVIEW_VERSION ".sqlite";
}

base::Result<profile::Profile> load_demo(base::Progress& progress) {
  const std::filesystem::path path = demo_path();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    std::filesystem::create_directories(path.parent_path(), ignored);
    const base::Status generated =
        generate::generate_dlprof(path, {}, progress, generate::IfExists::replace);
    if (!generated) return generated.error();
  }
  return import::open_profile(path, progress);
}

OpenRequest request(std::string name, const SelectionRequest& selection, EngineChoice engine) {
  OpenRequest request;
  request.name = std::move(name);
  request.choose = [selection](const profile::Profile& profile) {
    return choose_selection(profile, selection);
  };
  request.make_engine = engine_factory(engine);
  return request;
}

}  // namespace

OpenRequest file_request(const std::string& path, const SelectionRequest& selection,
                         EngineChoice engine) {
  OpenRequest file = request(path, selection, engine);
  file.load = [path](base::Progress& progress) { return import::open_profile(path, progress); };
  return file;
}

OpenRequest demo_request(const SelectionRequest& selection, EngineChoice engine) {
  OpenRequest demo = request(demo_path().string(), selection, engine);
  demo.load = load_demo;
  return demo;
}

}  // namespace dlview::app
