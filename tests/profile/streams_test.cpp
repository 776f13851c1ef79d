#include "profile/streams.h"

#include <gmock/gmock.h>

#include "support/random_profile.h"
#include "support/sketch.h"
#include "support/thread_ids.h"

namespace dlview::profile {
namespace {

using ::testing::ElementsAre;

TEST(Streams, OfADlprofDatabaseAreItsDevices) {
  testing::Sketch sketch(3);
  const Row op = sketch.op("net/conv");
  const Row instance = sketch.instance(op, 0, 100);
  sketch.kernel(instance, 10, 20, 2);
  sketch.kernel(instance, 20, 30, 0);
  sketch.copy(instance, 30, 40, 2);
  const Streams streams = find_streams(*sketch.finish());
  EXPECT_THAT(streams.rows,
              ElementsAre(Stream{.device = DeviceIndex{0}}, Stream{.device = DeviceIndex{2}}));
  EXPECT_THAT(streams.of_kernel, ElementsAre(1, 0));
  EXPECT_THAT(streams.of_memory_op, ElementsAre(1));
}

// Work of two processes on one device: kernels, a whole graph, a copy and a memset, whose rows in
// the trace are not in the order of the profile.
class StreamsOfATrace : public ::testing::Test {
 protected:
  static constexpr ThreadId global(int64_t process) { return testing::thread_of(process); }

  StreamsOfATrace() {
    ProfileBuilder builder;
    builder.add_device({});
    const Row launch = builder.intern_launch({});
    const Row op = builder.add_op({});
    const Row instance = builder.add_instance({.op = op});
    const auto add_kernel = [&](int64_t start_ns, int64_t source_id) {
      builder.add_kernel({.instance = instance,
                          .gpu_start_ns = start_ns,
                          .gpu_stop_ns = start_ns + 1,
                          .launch = launch,
                          .source_id = source_id});
    };
    add_kernel(10, 2);
    add_kernel(20, 1);
    add_kernel(30, 3);  // behind the two kernels: the graph
    builder.add_memory_op({.instance = instance, .gpu_start_ns = 40, .source_id = 1});
    builder.add_memory_op(
        {.instance = instance, .kind = MemoryOpKind::memset, .gpu_start_ns = 50, .source_id = 1});
    profile_ = std::move(builder).finish();
    Trace& trace = profile_.trace.emplace();
    testing::add_threads(trace);
    fill(trace.kernels, {global(7), global(8)}, {1, 1}, {13, 13});
    fill(trace.graph_launches, {global(7)}, {1}, {13});
    fill(trace.memcpys, {global(7)}, {1}, {20});
    fill(trace.memsets, {global(7)}, {2}, {13});
  }
  static void fill(GpuWork& work, std::vector<ThreadId> processes, std::vector<int64_t> contexts,
                   std::vector<int64_t> streams) {
    work.start_ns = std::vector<int64_t>(processes.size());
    work.process = std::move(processes);
    work.context = std::move(contexts);
    work.stream = std::move(streams);
  }

  Profile profile_;
};

TEST_F(StreamsOfATrace, AreToldByProcessContextAndNumber) {
  const Streams streams = find_streams(profile_);
  EXPECT_THAT(streams.rows,
              ElementsAre(Stream{DeviceIndex{0}, 7, 1, 13}, Stream{DeviceIndex{0}, 7, 1, 20},
                          Stream{DeviceIndex{0}, 7, 2, 13}, Stream{DeviceIndex{0}, 8, 1, 13}));
  EXPECT_THAT(streams.of_kernel, ElementsAre(3, 0, 0));
  EXPECT_THAT(streams.of_memory_op, ElementsAre(1, 2));
}

TEST_F(StreamsOfATrace, AreNotToldWhereTheFileLacksTheColumns) {
  const auto forget = [](GpuWork& work) { work.context = work.process = {}; };
  forget(profile_.trace->kernels);
  forget(profile_.trace->graph_launches);
  const Streams streams = find_streams(profile_);
  EXPECT_EQ(streams.rows.front(), (Stream{.device = DeviceIndex{0}, .number = 13}));
  EXPECT_THAT(streams.of_kernel, ElementsAre(0, 0, 0));
}

TEST(Streams, EveryRowIsOnAStreamOfItsDevice) {
  const Profile profile = testing::random_profile({.seed = 4});
  const Streams streams = find_streams(profile);
  for (KernelIndex kernel{0}; kernel < profile.kernels.size(); ++kernel) {
    EXPECT_EQ(streams.rows[streams.of_kernel[kernel]].device, profile.device_of_kernel(kernel));
  }
  for (MemoryOpIndex memory_op{0}; memory_op < profile.memory_ops.size(); ++memory_op) {
    EXPECT_EQ(streams.rows[streams.of_memory_op[memory_op]].device,
              profile.memory_ops.device[memory_op]);
  }
}

}  // namespace
}  // namespace dlview::profile
