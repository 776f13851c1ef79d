#include "app/open_requests.h"

#include <filesystem>
#include <utility>

#include "aggregate/iterations.h"
#include "app/view_state.h"
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

base::Result<FirstSelection> choose(const aggregate::KeyRanking& ranking, SelectionRequest wanted,
                                    RangeBeyondEnd beyond) {
  base::Result<aggregate::Selection> chosen = choose_selection(ranking, wanted);
  if (chosen) return FirstSelection{*chosen, ""};
  if (beyond == RangeBeyondEnd::is_error || !wanted.iterations) return chosen.error();
  const base::Error error = chosen.error();
  wanted.iterations.reset();
  chosen = choose_selection(ranking, wanted);
  if (!chosen) return chosen.error();
  return FirstSelection{*chosen, error.title + ": " + error.detail};
}

// All but what is chosen of it.
void ask_for(const SelectionRequest& selection, OpenRequest& request) {
  request.view = selection.view;
  request.tables = selection.tables;
  request.compared = selection.compared;
  request.timeline = selection.timeline;
  request.present_rules = selection.present_rules;
  request.question = selection;
}

OpenRequest request(std::string name, const SelectionRequest& selection, EngineChoice engine,
                    RangeBeyondEnd beyond) {
  OpenRequest request;
  request.name = std::move(name);
  ask_for(selection, request);
  request.choose = [selection, beyond](const aggregate::KeyRanking& ranking) {
    return choose(ranking, selection, beyond);
  };
  request.make_engine = engine_factory(engine);
  return request;
}

}  // namespace

OpenRequest file_request(const std::string& path, const SelectionRequest& selection,
                         EngineChoice engine, RangeBeyondEnd beyond) {
  OpenRequest file = request(path, selection, engine, beyond);
  if (const base::Status is_meant = check_state_file(selection, path); !is_meant) {
    file.load = [error = is_meant.error()](base::Progress&) -> base::Result<profile::Profile> {
      return error;
    };
    return file;
  }
  std::error_code ignored;
  file.path = std::filesystem::absolute(path, ignored).lexically_normal().string();
  if (selection.use_cache) {
    file.cached = std::make_shared<import::CachedFile>(path);
    file.load = [cached = file.cached](base::Progress& progress) { return cached->open(progress); };
  } else {
    file.load = [path](base::Progress& progress) { return import::open_profile(path, progress); };
  }
  return file;
}

void look_as_left(const SelectionRequest& left, OpenRequest& request) {
  ask_for(left, request);
  request.choose = [left](const aggregate::KeyRanking& ranking) -> base::Result<FirstSelection> {
    const base::Result<aggregate::Selection> as_left = choose_selection(ranking, left);
    return FirstSelection{as_left ? *as_left : aggregate::default_selection(ranking), ""};
  };
}

OpenRequest remembered_request(const std::string& path, const SelectionRequest& remembered,
                               EngineChoice engine) {
  OpenRequest file = file_request(path, remembered, engine);
  look_as_left(remembered, file);
  return file;
}

OpenRequest request_as_left(const std::string& path, const FileMemory& memory, bool use_cache,
                            EngineChoice engine) {
  std::error_code ignored;
  const auto absolute = std::filesystem::absolute(path, ignored).lexically_normal();
  const base::Result<SelectionRequest> state = parse_state(memory.recall(absolute.string()));
  SelectionRequest as_left = state ? *state : SelectionRequest{};
  as_left.use_cache = use_cache;
  return remembered_request(path, as_left, engine);
}

OpenRequest demo_request(const SelectionRequest& selection, EngineChoice engine,
                         RangeBeyondEnd beyond) {
  OpenRequest demo = request(demo_path().string(), selection, engine, beyond);
  demo.load = load_demo;
  return demo;
}

}  // namespace dlview::app
