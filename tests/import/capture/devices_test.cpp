// Which GPUs the profile has, and which one a process means.
#include "import/capture/devices.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/capture/trace_sketch.h"

namespace dlview::import::capture {
namespace {

using profile::ThreadId;
using profile::Trace;
using profile::TraceGpu;
using ::testing::ElementsAre;

constexpr ThreadId kFirst = testing::thread_of(70), kSecond = testing::thread_of(71);

TraceGpu gpu(int64_t id, const char* name, std::optional<int64_t> cuda_device = std::nullopt) {
  TraceGpu gpu;
  gpu.id = id;
  gpu.name = name;
  gpu.cuda_device = cuda_device;
  gpu.vendor = profile::Vendor::nvidia;
  return gpu;
}

class Devices : public ::testing::Test {
 protected:
  // Work of the first process on ordinals 0 and 1, of the second on ordinal 0.
  Devices() {
    testing::add_threads(trace_, 72);
    trace_.kernels.start_ns = trace_.kernels.end_ns = std::vector<int64_t>{0, 0};
    trace_.kernels.process = std::vector<ThreadId>{kFirst, kSecond};
    trace_.kernels.device_id = std::vector<int32_t>{0, 0};
    trace_.memsets.start_ns = trace_.memsets.end_ns = std::vector<int64_t>{0};
    trace_.memsets.process = std::vector<ThreadId>{kFirst};
    trace_.memsets.device_id = std::vector<int32_t>{1};
  }

  // Names of all devices, in order, and of the one that a process means.
  void add() {
    profile::ProfileBuilder builder;
    rows_ = add_devices(trace_, builder, {testing::kTables, LeftOutRows(), quality_});
    machine_count_ = builder.system.gpu_count;
    devices_ = std::move(builder).finish().devices;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const profile::Device& device : devices_) names.push_back(device.name);
    return names;
  }
  std::vector<int64_t> ordinals() const {
    std::vector<int64_t> ordinals;
    for (const profile::Device& device : devices_) ordinals.push_back(device.device_id);
    return ordinals;
  }
  std::string meant(ThreadId process, int32_t cuda_device) const {
    const std::optional<profile::Row> row = rows_.find(process, cuda_device);
    return row ? devices_[*row].name : "none";
  }

  Trace trace_;
  QualityLog quality_;
  DeviceRows rows_;
  std::vector<profile::Device> devices_;
  std::string machine_count_;
};

TEST_F(Devices, OrdinalsOfTheSystemGoBeforeItsIndices) {
  trace_.gpus = {gpu(0, "A", 1), gpu(1, "B", 0), gpu(2, "C", 2)};
  add();
  EXPECT_THAT(names(), ElementsAre("B", "A"));
  EXPECT_THAT(ordinals(), ElementsAre(0, 1));
  EXPECT_EQ(meant(kFirst, 0), "B");
  EXPECT_EQ(meant(kFirst, 1), "A");
}

TEST_F(Devices, ThatDidNothingAreTheMachinesOnly) {
  trace_.gpus = {gpu(0, "A", 0), gpu(1, "B", 1), gpu(2, "C", 2)};
  add();
  EXPECT_THAT(names(), ElementsAre("A", "B"));
  EXPECT_EQ(machine_count_, "3");
}

TEST_F(Devices, AreAllThereWhereNoneDidAnything) {
  trace_ = {};
  trace_.gpus = {gpu(0, "A", 0), gpu(1, "B", 1)};
  add();
  EXPECT_THAT(names(), ElementsAre("A", "B"));
}

TEST_F(Devices, WithoutThemThePlaceInOrderOfTheIndicesCounts) {
  trace_.gpus = {gpu(7, "B"), gpu(4, "A")};
  add();
  EXPECT_THAT(names(), ElementsAre("A", "B"));
  EXPECT_EQ(meant(kFirst, 1), "B");
}

TEST_F(Devices, OneOrdinalOfTwoProcessesMayBeTwoGpus) {
  trace_.gpus = {gpu(0, "A", 0), gpu(1, "B", 1)};
  trace_.cuda_devices = {{0, 1, 70}, {1, 0, 70}, {0, 0, 71}};
  add();
  EXPECT_EQ(meant(kFirst, 0), "B");
  EXPECT_EQ(meant(kFirst, 1), "A");
  EXPECT_EQ(meant(kSecond, 0), "A");
}

TEST_F(Devices, AdaptersOfOtherMakersAreNoted) {
  trace_.gpus = {gpu(0, "Intel Iris", 0), gpu(1, "NVIDIA A", 0), gpu(2, "Microsoft", 0)};
  trace_.gpus[0].vendor = profile::Vendor::intel;
  trace_.gpus[2].vendor = profile::Vendor::unknown;
  trace_.memsets = {};
  add();
  EXPECT_THAT(names(), ElementsAre("NVIDIA A"));
  EXPECT_EQ(meant(kSecond, 0), "NVIDIA A");
  EXPECT_EQ(std::move(quality_).finish()[0].rows, 2);
}

TEST_F(Devices, AnOrdinalThatNoGpuHasIsADeviceWithoutName) {
  trace_.gpus = {gpu(0, "A", 0)};
  add();
  EXPECT_THAT(names(), ElementsAre("A", ""));
  EXPECT_EQ(meant(kFirst, 1), "");
  EXPECT_EQ(meant(kSecond, 1), "none");  // it did nothing there
}

TEST_F(Devices, AFileThatTellsNoProcessHasOneForAll) {
  trace_.gpus = {gpu(0, "A", 0)};
  trace_.kernels.process = {};
  trace_.memsets = {};
  add();
  EXPECT_EQ(meant(profile::kNoValue, 0), "A");
}

}  // namespace
}  // namespace dlview::import::capture
