// System in the real program, on a PyTorch trace.
#include <gmock/gmock.h>

#include "app/trace_support.h"

namespace dlview::app {
namespace {

using ::testing::HasSubstr;

class SystemProgram : public TraceProgramTest {};

TEST_F(SystemProgram, SaysHowTensorBoardFiguresDiffer) {
  open_trace(false);
  ASSERT_TRUE(play("command view.system").ok());
  EXPECT_EQ(value("system/tensorboard/steps"), "2");
  EXPECT_THAT(value("system/tensorboard/note"), HasSubstr("not dlview's"));
}

}  // namespace
}  // namespace dlview::app
