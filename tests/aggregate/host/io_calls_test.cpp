// Which OS runtime calls are I/O, and of which threads.
#include "aggregate/host/io_calls.h"

#include <memory>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "generate/programs/machine.h"
#include "support/opened_capture.h"

namespace dlview::aggregate {
namespace {

using generate::programs::Host;
using generate::programs::Machine;
using generate::programs::Stream;
using profile::Profile;

constexpr int64_t kMillisecond = 1'000'000, kProcessId = 100;

TEST(IoCalls, ReadWriteOrFlush) {
  for (const char* name :
       {"read", "pread64", "readv", "fread", "fread_unlocked", "__read_chk", "fgets", "write",
        "pwritev2", "fwrite", "fsync", "fdatasync", "sendfile64", "msync", "fflush"}) {
    EXPECT_TRUE(reads_or_writes(name)) << name;
  }
}

TEST(IoCalls, AreNotCallsThatOnlyWaitOpenOrLookSo) {
  for (const char* name :
       {"poll", "futex", "sem_timedwait", "pthread_rwlock_rdlock", "pthread_create", "readlink",
        "readdir64", "open64", "fopen", "close", "mmap", "ioctl", "recv", "sched_yield",
        "nanosleep", "thread_spread", "", "_", "64"}) {
    EXPECT_FALSE(reads_or_writes(name)) << name;
  }
}

// Two kernels, and between them what a test does on the thread that launches them, or on another.
class IoOfRun : public ::testing::Test {
 protected:
  IoOfRun() {
    stream_.device = machine_.add_device();
    main_.launch({"first", "first", kMillisecond}, stream_);
  }
  Host other_thread() { return {machine_, kProcessId, kProcessId + 1, "loader", main_.now_ns()}; }
  // The length of its n-th OS call.
  int64_t length(std::size_t call) {
    const auto& os_call = machine_.capture().os_calls.at(call);
    return os_call.end_ns - os_call.start_ns;
  }
  std::shared_ptr<const Profile> run() {
    main_.launch({"second", "second", kMillisecond}, stream_);
    return testing::opened_capture(machine_.capture());
  }
  static Aggregation aggregated(const std::shared_ptr<const Profile>& profile) {
    return make_cpu_aggregator(profile)->aggregate({});
  }

  Machine machine_{1};
  Host main_{machine_, kProcessId, kProcessId, "python", kMillisecond};
  Stream stream_;
};

TEST_F(IoOfRun, IsTheTimeInReadsAndWritesOfTheLaunchingThread) {
  main_.run(2 * kMillisecond);  // until the first kernel ended
  main_.sleep(10 * kMillisecond, "read");
  main_.sleep(10 * kMillisecond, "futex");
  main_.sleep(10 * kMillisecond, "fwrite");
  const Aggregation aggregation = aggregated(run());
  EXPECT_TRUE(aggregation.io_recorded);
  EXPECT_EQ(aggregation.breakdown[Category::io], length(0) + length(2));
}

TEST_F(IoOfRun, LeavesOutWhatRunsBesideKernels) {
  main_.sleep(kMillisecond / 2, "read");
  const std::shared_ptr<const Profile> profile = run();
  const int64_t io_ns = aggregated(profile).breakdown[Category::io];
  EXPECT_EQ(io_intervals(*profile).total_ns(), length(0));
  EXPECT_LT(io_ns, length(0));
}

TEST_F(IoOfRun, LeavesOutThreadsThatLaunchNothing) {
  Host loader = other_thread();
  loader.sleep(10 * kMillisecond, "read");
  main_.run(20 * kMillisecond);
  const Aggregation aggregation = aggregated(run());
  EXPECT_TRUE(aggregation.io_recorded);
  EXPECT_EQ(aggregation.breakdown[Category::io], 0);
}

TEST_F(IoOfRun, IsNotRecordedWithoutOsCalls) {
  const std::shared_ptr<const Profile> profile = run();
  EXPECT_FALSE(tells_io(*profile));
  EXPECT_FALSE(aggregated(profile).io_recorded);
}

}  // namespace
}  // namespace dlview::aggregate
