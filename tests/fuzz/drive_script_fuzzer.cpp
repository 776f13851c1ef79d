// Drive scripts: whatever a user does, the program comes to rest, tells its state as JSON and can
// read its own state string. Each input meets a new program with a small generated profile. Lines
// that write to any path or ask for thousands of frames are left out.
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "aggregate/iterations.h"
#include "app/driver.h"
#include "app/offscreen_program.h"
#include "app/state_json.h"
#include "fuzz/fuzz.h"
#include "generate/demo.h"
#include "render/gl.h"
#include "workspace/engine.h"
#include "workspace/state_string.h"

namespace dlview::fuzz {
namespace {

using namespace app;

constexpr int kWidth = 800, kHeight = 500, kMostLines = 12;

const profile::Profile& demo_profile() {
  static const profile::Profile made = [] {
    base::Progress progress;
    return generate::make_demo_profile({.iterations = 4, .kernels = 250, .gpus = 2}, progress)
        .value();
  }();
  return made;
}

workspace::OpenRequest demo() {
  workspace::OpenRequest request;
  request.name = "demo.sqlite";
  // A copy shares its columns.
  request.load = [](base::Progress&) -> base::Result<profile::Profile> { return demo_profile(); };
  request.choose =
      [](const aggregate::KeyRanking& ranking) -> base::Result<workspace::FirstSelection> {
    return workspace::FirstSelection{aggregate::default_selection(ranking), ""};
  };
  request.make_engine = workspace::engine_factory(workspace::EngineChoice::cpu);
  return request;
}

std::unique_ptr<OffscreenProgram> new_program() {
  ProgramHooks hooks;
  hooks.demo = demo;
  hooks.file = [](const std::string&) { return demo(); };
  hooks.open_link = [](const std::string&) {};
  hooks.quit = [] {};
  ProgramOptions options;
  options.show_timings = false;
  auto created = OffscreenProgram::create(kWidth, kHeight, options, hooks);
  require(created.ok(), "no OpenGL", created ? "" : base::to_text(created.error()));
  glEnable(GL_RASTERIZER_DISCARD);  // nobody looks at the pixels
  (*created)->program().open_demo();
  (*created)->draw_until_settled();
  return std::move(*created);
}

// Writes to a path of the line's own, draws as many frames as it likes, or does not wait.
bool is_left_out(const std::string& line) {
  std::istringstream words(line);
  std::string verb, argument;
  words >> verb >> argument;
  return verb == "screenshot" || verb == "frames" || verb == "drag" || verb == "no-wait" ||
         (verb == "state" && !argument.empty());
}

void play(const std::string& script) {
  const std::unique_ptr<OffscreenProgram> offscreen = new_program();
  std::ostringstream output;
  Driver driver(*offscreen, output);
  std::istringstream lines(script);
  int left = kMostLines;
  for (std::string line; left > 0 && std::getline(lines, line); --left) {
    if (is_left_out(line)) continue;
    const base::Status done = driver.run_line(line);
    require(done || !done.error().advice.empty(), "an Error gives no advice", line);
    require(!offscreen->program().wants_frame(), "the program does not come to rest", line);
  }
  const Program& program = offscreen->program();
  const auto state = nlohmann::json::parse(state_json(program), nullptr, false);
  require(!state.is_discarded(), "the state is no JSON");
  if (program.session().state() != workspace::Session::State::open) return;
  require(workspace::parse_state(program.state_string()).ok(), "the state string is none",
          program.state_string());
}

}  // namespace
}  // namespace dlview::fuzz

int LLVMFuzzerInitialize(int*, char***) {
  // Whatever asks for a folder gets one of the fuzzer's own.
  const std::string home = dlview::fuzz::folder().string();
  for (const char* name : {"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"}) {
    setenv(name, home.c_str(), 1);
  }
  std::filesystem::current_path(home);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  dlview::fuzz::play({reinterpret_cast<const char*>(data), size});
  return 0;
}
