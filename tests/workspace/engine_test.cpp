// Which engine answers, with devices and engines that only pretend.

#include "workspace/engine.h"

#include <chrono>
#include <stdexcept>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/fake_engine.h"
#include "support/random_profile.h"
#include "workspace/session_support.h"

namespace dlview::workspace {
namespace {

using aggregate::CudaDevice;
using aggregate::fake_engine;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

base::Result<CudaDevice> some_device() {
  return CudaDevice{.name = "GPU", .free_bytes = 1, .total_bytes = 1};
}
base::Result<CudaDevice> no_device() {
  return base::Error{"The CUDA engine cannot be used", "no driver", "Install one"};
}

class EngineTest : public ::testing::Test {
 protected:
  EngineTest() {
    engines_.cpu = fake_engine({.name = "cpu", .delay = milliseconds(10)});
    engines_.cuda = fake_engine({.name = "cuda"});
    engines_.find_device = some_device;
  }
  // Opens a profile and changes the range some times.
  RunModel open(EngineChoice choice) {
    OpenRequest request = random_request();
    request.make_engine = engine_factory(choice, engines_);
    session_.open(std::move(request));
    session_.settle();
    for (int64_t first = 1; first < 5; ++first) {
      session_.select({kStartCut, {first, 8}});
      session_.settle();
    }
    RunModel model;
    session_.describe(model);
    return model;
  }

  Engines engines_;
  base::Scheduler scheduler_;
  Session session_{scheduler_};
};

TEST_F(EngineTest, IsTheFasterOneOfALargeRun) {
  const RunModel cuda = open(EngineChoice::automatic);
  EXPECT_EQ(cuda.engine, "CUDA");
  EXPECT_THAT(cuda.engine_reason, HasSubstr("with the cpu engine"));
  engines_.cpu = fake_engine({.name = "cpu"});
  engines_.cuda = fake_engine({.name = "cuda", .delay = milliseconds(10)});
  const RunModel cpu = open(EngineChoice::automatic);
  EXPECT_EQ(cpu.engine, "CPU");
  EXPECT_THAT(cpu.engine_reason, HasSubstr("with the cuda engine"));
  EXPECT_EQ(session_.take_notice(), "");
}

TEST_F(EngineTest, IsTheCpuForASmallRunWithoutALookAtTheDriver) {
  engines_.small_run = 1'000'000;
  engines_.find_device = []() -> base::Result<CudaDevice> { throw std::runtime_error("asked"); };
  const RunModel model = open(EngineChoice::automatic);
  EXPECT_EQ(model.engine, "CPU");
  EXPECT_EQ(model.engine_reason, "Too few kernels for a GPU to be faster");
}

TEST_F(EngineTest, IsTheCpuWhereThereIsNoDevice) {
  engines_.find_device = no_device;
  const RunModel model = open(EngineChoice::automatic);
  EXPECT_EQ(model.engine, "CPU");
  EXPECT_EQ(model.engine_reason, "no driver");
  EXPECT_EQ(session_.take_notice(), "") << "nobody asked for another one";
}

TEST_F(EngineTest, IsTheCpuWithANoticeWhereCudaIsAskedForInVain) {
  engines_.find_device = no_device;
  const RunModel model = open(EngineChoice::cuda);
  EXPECT_EQ(model.engine, "CPU");
  EXPECT_EQ(model.engine_reason, "no driver");
  EXPECT_EQ(session_.take_notice(), "Aggregated on CPU: no driver");
  EXPECT_EQ(session_.take_notice(), "");
}

TEST_F(EngineTest, IsTheCpuWithANoticeWhenCudaFailsOnTheWay) {
  engines_.cuda = fake_engine({.name = "cuda", .questions = 8});
  const RunModel model = open(EngineChoice::cuda);
  EXPECT_EQ(model.engine, "CPU");
  EXPECT_EQ(session_.take_notice(), "Aggregated on CPU: out of memory");
  EXPECT_EQ(session_.aggregation()->selection, session_.selection()) << "no answer was lost";
}

TEST_F(EngineTest, IsTheOneThatIsAskedFor) {
  EXPECT_EQ(open(EngineChoice::cuda).engine, "CUDA");
  const RunModel cpu = open(EngineChoice::cpu);
  EXPECT_EQ(cpu.engine, "CPU");
  EXPECT_EQ(cpu.engine_reason, "");
}

TEST_F(EngineTest, TellsOfTheFileAndOfTheEngineAtOnce) {
  engines_.find_device = no_device;
  OpenRequest request = random_request();
  request.make_engine = engine_factory(EngineChoice::cuda, engines_);
  request.choose = [choose = request.choose](const aggregate::KeyRanking& ranking) {
    return base::Result<FirstSelection>(
        FirstSelection{choose(ranking)->selection, "The range does not fit"});
  };
  session_.open(std::move(request));
  session_.settle();
  EXPECT_EQ(session_.take_notice(), "The range does not fit · Aggregated on CPU: no driver");
}

}  // namespace
}  // namespace dlview::workspace
