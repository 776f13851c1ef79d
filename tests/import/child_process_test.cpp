#include "import/child_process.h"

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "support/test_data.h"

namespace dlview::import {
namespace {

using std::chrono::steady_clock;

// A process that nobody has waited for yet counts as ended.
bool is_running(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  if (!std::getline(stat, line)) return false;
  return line[line.rfind(')') + 2] != 'Z';
}

template <typename Condition>
bool becomes_true(Condition condition) {
  const auto latest = steady_clock::now() + std::chrono::seconds(20);
  while (!condition() && steady_clock::now() < latest) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return condition();
}

class ChildProcessTest : public ::testing::Test {
 protected:
  std::filesystem::path file(const char* name) const { return folder_.path() / name; }

  // Writes its own process and that of a grandchild into a file, and goes on for longer than a
  // test.
  std::vector<std::string> long_command() const {
    return {"sh", "-c",
            "sleep 300 & echo $$ $! > '" + file("started").string() + "'; mv '" +
                file("started").string() + "' '" + file("processes").string() + "'; wait"};
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ChildProcessTest, TellsTheExitStatus) {
  base::Progress progress;
  EXPECT_EQ(ChildProcess({"sh", "-c", "exit 7"}, file("output")).wait(progress), 7);
}

TEST_F(ChildProcessTest, EndsWithItsChildrenWhenTheParentIsKilled) {
  const pid_t parent = fork();
  if (parent == 0) {
    const ChildProcess child(long_command(), file("output"));
    pause();
    _exit(0);
  }
  const bool has_started = becomes_true([&] { return std::filesystem::exists(file("processes")); });
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  ASSERT_TRUE(has_started);
  pid_t child = 0, grandchild = 0;
  std::ifstream(file("processes")) >> child >> grandchild;
  ASSERT_GT(grandchild, 0);
  EXPECT_TRUE(becomes_true([&] { return !is_running(child) && !is_running(grandchild); }));
}

TEST_F(ChildProcessTest, EndsWithItsChildrenWhenCanceled) {
  base::Progress progress;
  const ChildProcess child(long_command(), file("output"));
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(file("processes")); }));
  progress.cancel();
  EXPECT_EQ(child.wait(progress), std::nullopt);
  pid_t process = 0, grandchild = 0;
  std::ifstream(file("processes")) >> process >> grandchild;
  EXPECT_TRUE(becomes_true([&] { return !is_running(grandchild); }));
}

}  // namespace
}  // namespace dlview::import
