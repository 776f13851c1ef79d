// Generated PyTorch traces in the real program.
#pragma once

#include <filesystem>

#include <gtest/gtest.h>

#include "app/program_support.h"
#include "generate/pytorch.h"
#include "support/test_data.h"
#include "workspace/open_request.h"

namespace dlview::app {

// Writes a small trace and returns the request that opens it; `with_stack`: with Python frames.
inline workspace::OpenRequest generated_trace(const std::filesystem::path& path, bool with_stack) {
  generate::PytorchOptions options;
  options.kernels = 200;
  options.iterations = 2;
  options.with_stack = with_stack;
  base::Progress progress;
  const auto written = generate::generate_pytorch(path, options, progress);
  EXPECT_TRUE(written) << (written ? "" : base::to_text(written.error()));
  return workspace::file_request(path.string(), {}, workspace::EngineChoice::cpu);
}

class TraceProgramTest : public ProgramTest {
 protected:
  void open_trace(bool with_stack) { open(generated_trace(trace_, with_stack)); }
  workspace::RunModel described() {
    workspace::RunModel model;
    program().session().describe(model);
    return model;
  }
  bool has_frames() { return described().python_frames != nullptr; }

  testing::TemporaryFolder folder_;
  std::filesystem::path trace_ = folder_.path() / "trace.json";
};

}  // namespace dlview::app
