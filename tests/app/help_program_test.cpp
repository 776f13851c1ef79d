// Help, menus by keyboard, and words that explain themselves.

#include <sstream>

#include <gmock/gmock.h>

#include "aggregate/finding_pages.h"
#include "aggregate/metrics.h"
#include "app/about.h"
#include "app/run_support.h"
#include "support/file_contents.h"

namespace dlview::app {
namespace {

using ::testing::HasSubstr;

std::string page_text(const std::string& path) {
  return testing::contents_of(std::string(DLVIEW_SOURCE_DIR) + "/" + path);
}

class HelpOfProgram : public RunTest {
 protected:
  std::size_t definitions_shown() {
    std::size_t count = 0;
    const Json values = state()["values"];
    for (const auto& [name, text] : values.items()) {
      count += name.starts_with("definitions/") && name != "definitions/search" ? 1 : 0;
    }
    return count;
  }
};

TEST_F(HelpOfProgram, ListsAndSearchesDefinitions) {
  must("key Shift+F1");
  EXPECT_EQ(state()["overlay"], "definitions");
  EXPECT_EQ(definitions_shown(),
            aggregate::all_metrics().size() + aggregate::finding_pages().size());
  must("type gpu utilization");
  EXPECT_TRUE(has_value("definitions/gpu_utilization"));
  EXPECT_FALSE(has_value("definitions/op_calls"));
  must("key Escape\ncommand help.definitions");
  EXPECT_EQ(definitions_shown(),
            aggregate::all_metrics().size() + aggregate::finding_pages().size());
}

TEST_F(HelpOfProgram, ArrowsAndEnterWorkInMenus) {
  must("command view.ops\nclick-item ops/columns\nkey Down\nkey Down\nkey Enter\nkey Escape");
  const Json items = state()["items"];
  EXPECT_TRUE(items.contains("ops/head/op_node_name"));
  EXPECT_FALSE(items.contains("ops/head/gpu_time"));
}

TEST_F(HelpOfProgram, AMenuPassesOverWhatIsDisabled) {
  must("click-item nav/help\nkey End\nkey Up\nkey Home\nkey Down\nkey Enter");
  EXPECT_EQ(state()["overlay"], "keys");  // behind "Find a command…"
}

TEST_F(HelpOfProgram, UndoesTypedStartAndStopInOneStep) {
  must("command view.iterations");
  const Json before = range();
  must("click-item iterations/start_field\ntype 5\nkey Enter");
  must("click-item iterations/stop_field\ntype 9\nkey Enter");
  EXPECT_EQ(range(), Json::array({5, 9}));
  must("key Alt+Left");
  EXPECT_EQ(range(), before);
}

TEST_F(HelpOfProgram, ARangeTypedAfterACommandIsAStepOfItsOwn) {
  must("command view.iterations\nclick-item iterations/start_field\ntype 5\nkey Enter");
  must("command view.dashboard\ncommand view.iterations");
  must("click-item iterations/stop_field\ntype 9\nkey Enter\nkey Alt+Left");
  EXPECT_EQ(range()[0], 5);
  EXPECT_NE(range()[1], 9);
}

TEST_F(HelpOfProgram, TheGaugesNameTheirParts) {
  EXPECT_THAT(value("dashboard/tensor_core_efficiency/bar/not_using"),
              HasSubstr("Not using Tensor Cores "));
}

TEST(DefinitionsPage, IsWhatTheCommandPrints) {
  EXPECT_EQ(page_text("docs/definitions.md"), definitions_as_markdown())
      << "put the output of `dlview definitions` into docs/definitions.md";
}

TEST(DrivingPage, NamesEveryCommandOfAScript) {
  const std::string page = page_text("docs/dev/driving.md");
  std::istringstream help(Driver::script_help());
  int commands = 0;
  for (std::string line; std::getline(help, line);) {
    if (!line.starts_with("  ")) continue;
    EXPECT_THAT(page, HasSubstr("`" + line.substr(2) + "`"));
    ++commands;
  }
  EXPECT_GT(commands, 10);
}

}  // namespace
}  // namespace dlview::app
