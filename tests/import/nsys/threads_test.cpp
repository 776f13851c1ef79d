#include "import/nsys/threads.h"

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlview::import::nsys {
namespace {

using profile::kNoValue;
using ::testing::ElementsAre;

constexpr int64_t id(int64_t host, int64_t process, int64_t thread = 0) {
  return host << 48 | process << 24 | thread;
}

// "host:process/thread name", of a process without the thread.
std::string text(const profile::Trace& trace, int64_t thread) {
  const profile::TraceProcess* const process = trace.process(thread);
  if (process == nullptr) return "none";
  std::string text = fmt::format("{}:{}", process->host, process->number);
  if (const profile::TraceThread* const known = trace.thread(thread)) {
    text += fmt::format("/{}{}", known->number, known->name.empty() ? "" : " " + known->name);
  }
  return text;
}

class Threads : public ::testing::Test {
 protected:
  std::vector<std::string> number(std::vector<int64_t> of_calls) {
    trace_.api_calls.thread = std::move(of_calls);
    number_threads(known_, constants_, trace_);
    std::vector<std::string> texts;
    for (const int64_t thread : trace_.api_calls.thread) texts.push_back(text(trace_, thread));
    return texts;
  }

  KnownThreads known_;
  ConstantColumns constants_;
  profile::Trace trace_;
};

TEST_F(Threads, KeepTheirNumbersAndOrder) {
  EXPECT_THAT(number({id(1, 9, 3), id(1, 7, 8), id(1, 7, 2), id(1, 9, 3)}),
              ElementsAre("1:9/3", "1:7/8", "1:7/2", "1:9/3"));
  EXPECT_EQ(trace_.processes.size(), 2U);
  EXPECT_EQ(trace_.threads.size(), 3U);
  const auto& ids = trace_.api_calls.thread;
  EXPECT_LT(ids[2], ids[1]);
  EXPECT_LT(ids[1], ids[0]);
  EXPECT_EQ(profile::process_of(ids[1]), profile::process_of(ids[2]));
}

TEST_F(Threads, OfTwoHostsMayHaveEqualNumbers) {
  EXPECT_THAT(number({id(1, 7, 8), id(2, 7, 8)}), ElementsAre("1:7/8", "2:7/8"));
  EXPECT_NE(trace_.api_calls.thread[0], trace_.api_calls.thread[1]);
  EXPECT_EQ(trace_.numbers_of(trace_.api_calls.thread[1]), (profile::Thread{7, 8}));
}

TEST_F(Threads, WithoutANumberStandForTheirProcess) {
  EXPECT_THAT(number({id(1, 7), kNoValue, id(1, 7, 1)}), ElementsAre("1:7", "none", "1:7/1"));
  EXPECT_EQ(trace_.api_calls.thread[0], profile::process_of(trace_.api_calls.thread[2]));
  EXPECT_EQ(trace_.numbers_of(kNoValue), profile::Thread{});
}

TEST_F(Threads, HaveTheNamesThatTheFileTells) {
  known_.processes[id(1, 7)] = "python";
  known_.threads[id(1, 7, 8)] = {"main", 20};
  known_.threads[id(1, 8, 1)] = {"idle"};
  EXPECT_THAT(number({id(1, 7, 8)}), ElementsAre("1:7/8 main"));
  EXPECT_EQ(trace_.processes[0].name, "python");
  EXPECT_EQ(trace_.threads[0].priority, 20);
  ASSERT_EQ(trace_.threads.size(), 2U) << "one without events";
  EXPECT_EQ(trace_.threads[1].name, "idle");
  EXPECT_EQ(trace_.processes[1].name, "");
}

TEST_F(Threads, OfDamagedFilesHaveIdsToo) {
  EXPECT_THAT(number({int64_t{-1}, INT64_MAX, INT64_MIN + 1}),
              ElementsAre("-1:16777215/16777215", "32767:16777215/16777215", "-32768:0/1"));
}

TEST_F(Threads, ShareTheColumnsThatHaveOneValue) {
  trace_.kernels.process = constants_.of(id(1, 7), 1000);
  trace_.memcpys.process = constants_.of(id(1, 7), 10);
  trace_.nvtx_domains.push_back({id(1, 7), 3, "NCCL"});
  number({id(1, 7, 8)});
  EXPECT_EQ(text(trace_, trace_.kernels.process[999]), "1:7");
  EXPECT_EQ(trace_.kernels.process.span().data(), trace_.memcpys.process.span().data());
  EXPECT_EQ(trace_.nvtx_domains[0].process, trace_.kernels.process[0]);
}

}  // namespace
}  // namespace dlview::import::nsys
