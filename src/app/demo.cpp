#include "app/demo.h"

#include <filesystem>

#include "generate/dlprof.h"
#include "import/open.h"
#include "workspace/own_files.h"

namespace dlview::app {
namespace {

std::filesystem::path demo_path() {
  return workspace::cache_folder() / "demo-" DLVIEW_VERSION ".sqlite";
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

}  // namespace

workspace::OpenRequest demo_request(const workspace::SelectionRequest& selection,
                                    workspace::EngineChoice engine,
                                    workspace::RangeBeyondEnd beyond) {
  workspace::OpenRequest demo =
      workspace::request_for(demo_path().string(), selection, engine, beyond);
  demo.load = load_demo;
  return demo;
}

}  // namespace dlview::app
