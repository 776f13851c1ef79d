#include "app/text_list.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/command_tree.h"

namespace dlview::app {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

class TextList : public ::testing::Test {
 protected:
  TextList() {
    bind_program(program_, window_, chosen_);
    print_texts(program_, text_);
  }

  CLI::App program_{"dlview", "dlview"};
  WindowProgramOptions window_;
  ChosenCommand chosen_;
  std::stringstream text_;
};

TEST_F(TextList, HasEveryKind) {
  std::set<std::string> kinds;
  for (std::string line; std::getline(text_, line);) {
    kinds.insert(line.substr(0, line.find('\t')));
  }
  EXPECT_THAT(kinds,
              ElementsAre("column", "command", "command line", "examples", "finding", "format",
                          "metric", "nsys report", "option", "table", "threshold", "view"));
}

TEST_F(TextList, PrintsOneLinePerText) {
  std::set<std::string> lines;
  for (std::string line; std::getline(text_, line);) {
    EXPECT_EQ(std::count(line.begin(), line.end(), '\t'), 2) << line;
    lines.insert(line);
  }
  EXPECT_THAT(lines,
              Contains("metric\tgpu_idle\t100% minus GPU utilization. Memory operations count as "
                       "idle here, unlike in the finding GPU idle."));
  EXPECT_THAT(lines, Contains("table\top_nodes\tOne row per op of the range"));
  EXPECT_THAT(lines, Contains("threshold\tbusy\tGPU busy for less than 50% of a "
                              "time slice"));
  EXPECT_GT(lines.size(), 700U);
}

}  // namespace
}  // namespace dlview::app
