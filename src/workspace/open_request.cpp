#include "workspace/open_request.h"

#include <filesystem>
#include <utility>

#include "aggregate/iterations.h"
#include "workspace/state_string.h"

namespace dlview::workspace {
namespace {

base::Result<FirstSelection> choose(const aggregate::KeyRanking& ranking, SelectionRequest wanted,
                                    RangeBeyondEnd beyond) {
  base::Result<aggregate::Selection> chosen = choose_selection(ranking, wanted);
  if (chosen) return FirstSelection{*chosen, ""};
  if (beyond == RangeBeyondEnd::is_error || !wanted.iterations) return chosen.error();
  const base::Error error = chosen.error();
  wanted.iterations.reset();
  chosen = choose_selection(ranking, wanted);
  if (!chosen) return chosen.error();
  return FirstSelection{*chosen, base::without_advice(error)};
}

// All but what is chosen of the file.
void ask_for(const SelectionRequest& selection, OpenRequest& request) {
  request.view = selection.view;
  request.tables = selection.tables;
  request.compared = selection.compared;
  request.with = selection.with;
  request.shared = selection.shared;
  request.timeline = selection.timeline;
  request.present_rules = selection.present_rules;
  request.counter_files = selection.counter_files;
  request.limit_options = selection.limit_options;
  request.question = selection;
}

}  // namespace

OpenRequest request_for(std::string name, const SelectionRequest& selection, EngineChoice engine,
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

void look_as_left(const SelectionRequest& left, OpenRequest& request) {
  ask_for(left, request);
  request.with.reset();
  request.shared = {};
  for (const std::string_view of_others : {kCompareView, kBudgetsView, kTrendView}) {
    if (left.view == of_others) request.view.reset();
  }
  request.choose = [left](const aggregate::KeyRanking& ranking) -> base::Result<FirstSelection> {
    const base::Result<aggregate::Selection> as_left = choose_selection(ranking, left);
    return FirstSelection{as_left ? *as_left : aggregate::default_selection(ranking), ""};
  };
}

OpenRequest file_request(const std::string& path, const SelectionRequest& selection,
                         EngineChoice engine, RangeBeyondEnd beyond) {
  OpenRequest file = request_for(path, selection, engine, beyond);
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

}  // namespace dlview::workspace
