// The real program without a window, driven by input events and command ids.
#pragma once

#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/driver.h"
#include "app/offscreen_program.h"
#include "app/state_json.h"
#include "render/gl.h"
#include "workspace/open_request.h"
#include "workspace/session_support.h"

namespace dlview::app {

class ProgramTest : public ::testing::Test {
 protected:
  using Json = nlohmann::json;

  void SetUp() override {
    ProgramHooks hooks;
    hooks.demo = workspace::random_request;
    hooks.file = [this](const std::string& path) {
      opened_paths_.push_back(path);
      if (opens_files_) {
        return workspace::file_request(path, {}, workspace::EngineChoice::automatic);
      }
      return workspace::random_request();
    };
    hooks.open_link = [this](const std::string& url) { links_.push_back(url); };
    hooks.quit = [this] { ++quits_; };
    hooks.failed = [this](const base::Error& error) { failures_.push_back(error.title); };
    hooks.memory = memory_;
    hooks.bookmarks = bookmarks_;
    ProgramOptions options;
    options.show_timings = false;
    auto created = OffscreenProgram::create(1280, 800, options, hooks, before_each_job_);
    if (!created) GTEST_SKIP() << base::to_text(created.error());
    offscreen_ = std::move(*created);
    glEnable(GL_RASTERIZER_DISCARD);  // filling pixels takes long, and only picture() looks at them
  }

  Program& program() { return offscreen_->program(); }

  void open(workspace::OpenRequest request) {
    program().open(std::move(request));
    offscreen_->draw_until_settled();
  }
  base::Status play(const std::string& script) {
    std::istringstream lines(script);
    return Driver(*offscreen_, output_).run(lines);
  }
  Json state() { return Json::parse(state_json(program())); }
  render::Image picture() {
    glDisable(GL_RASTERIZER_DISCARD);
    offscreen_->draw();
    glEnable(GL_RASTERIZER_DISCARD);
    return offscreen_->picture();
  }
  std::string value(const char* name) { return state()["values"][name]; }

  std::function<void()> before_each_job_ = [] {};
  workspace::FileMemory* memory_ = nullptr;
  const workspace::BookmarkFile* bookmarks_ = nullptr;
  bool opens_files_ = false;  // else random_request() for any path
  std::vector<std::string> opened_paths_, links_, failures_;
  int quits_ = 0;
  std::ostringstream output_;
  std::unique_ptr<OffscreenProgram> offscreen_;
};

}  // namespace dlview::app
