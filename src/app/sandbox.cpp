#include "app/sandbox.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "workspace/open_request.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;

fs::path absolute_path(const fs::path& path) {
  std::error_code ignored;
  const fs::path normal = fs::absolute(path, ignored).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

workspace::OpenRequest refused_request(const std::string& path) {
  workspace::OpenRequest request;
  request.name = path;
  request.load = [path](base::Progress&) -> base::Result<profile::Profile> {
    return base::Error{"This file is outside the sandbox", path,
                       "Add it to the command line of dlview drive"};
  };
  return request;
}

}  // namespace

base::Result<std::unique_ptr<Sandbox>> Sandbox::create(const std::vector<std::string>& files) {
  std::error_code ignored;
  std::string folder = fs::temp_directory_path(ignored) / "dlview-sandbox-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    return base::Error{"The sandbox folder cannot be created", folder + ": " + std::strerror(errno),
                       "Set TMPDIR to a writable folder"};
  }
  return std::unique_ptr<Sandbox>(new Sandbox(folder, files));
}

Sandbox::Sandbox(fs::path folder, const std::vector<std::string>& files)
    : folder_(std::move(folder)) {
  for (const std::string& file : files) files_.push_back(absolute_path(file));
  const fs::path home = folder_ / "home", work = folder_ / "work", temporary = folder_ / "tmp";
  for (const fs::path& path : {home, work, temporary}) fs::create_directory(path);
  set_variable("HOME", home);
  set_variable("TMPDIR", temporary);
  set_variable("XDG_CONFIG_HOME", home / "config");
  set_variable("XDG_CACHE_HOME", home / "cache");
  set_variable("XDG_STATE_HOME", home / "state");
  set_variable("MESA_SHADER_CACHE_DISABLE", "true");  // its folder would outlive the sandbox
  folder_before_ = fs::current_path();
  fs::current_path(work);
  memory_.emplace(workspace::file_memory_file());
  bookmarks_.emplace(workspace::bookmark_file());
}

Sandbox::~Sandbox() {
  std::error_code ignored;
  fs::current_path(folder_before_, ignored);
  for (const auto& [name, value] : variables_before_) {
    if (value) {
      setenv(name.c_str(), value->c_str(), 1);
    } else {
      unsetenv(name.c_str());
    }
  }
  fs::remove_all(folder_, ignored);
}

void Sandbox::set_variable(const char* name, const fs::path& value) {
  const char* before = std::getenv(name);
  variables_before_.emplace_back(name, before == nullptr ? std::optional<std::string>() : before);
  setenv(name, value.c_str(), 1);
}

ProgramHooks Sandbox::hooks(const Display& display) {
  ProgramHooks hooks = offscreen_hooks(display, {});
  hooks.memory = &*memory_;
  hooks.bookmarks = &*bookmarks_;
  hooks.file = [this, engine = display.engine](const std::string& path) {
    return may_open(path) ? workspace::request_as_left(path, *memory_, true, engine)
                          : refused_request(path);
  };
  hooks.other_file = hooks.file;
  // The demo takes long to generate under a sanitizer.
  if (!files_.empty()) {
    hooks.demo = [this, open = hooks.file] { return open(files_.front().string()); };
  }
  return hooks;
}

bool Sandbox::may_open(const fs::path& path) const {
  std::error_code ignored;
  const fs::path absolute = absolute_path(path);
  if (!fs::exists(absolute, ignored)) return true;
  const auto holds = [&absolute](const fs::path& given) {
    return !given.empty() && std::ranges::mismatch(given, absolute).in1 == given.end();
  };
  if (std::ranges::any_of(files_, holds)) return true;
  if (std::ranges::find(no_profiles(), absolute.string()) != no_profiles().end()) return true;
  return holds(folder_);
}

const std::vector<std::string>& Sandbox::no_profiles() {
  static const std::vector<std::string> all{"/no/such/profile.sqlite", "/", "/dev/null",
                                            "/etc/passwd", "/proc/self/exe"};
  return all;
}

}  // namespace dlview::app
