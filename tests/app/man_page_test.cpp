#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/about.h"
#include "app/command_tree.h"
#include "support/test_data.h"
#include "support/tools.h"

namespace dlview::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ManPage : public ::testing::Test {
 protected:
  ManPage() { bind_program(program_, window_, chosen_); }

  CLI::App program_{"dlview", "dlview"};
  WindowProgramOptions window_;
  ChosenCommand chosen_;
};

std::string roff(const std::string& name) {
  std::string out;
  for (const char c : name) out += c == '-' ? "\\-" : std::string(1, c);
  return out;
}

TEST_F(ManPage, NamesEveryCommandAndOption) {
  const std::string page = man_page(program_);
  std::vector<const CLI::App*> commands{&program_};
  for (const CLI::App* command : program_.get_subcommands({})) {
    if (command->get_group().empty()) continue;
    commands.push_back(command);
    EXPECT_THAT(page, HasSubstr(fmt::format("\n.SS {}\n", command->get_name())));
  }
  EXPECT_GE(commands.size(), 13U);
  for (const CLI::App* command : commands) {
    const std::size_t begin = command == &program_
                                  ? page.find("\n.SH OPTIONS\n")
                                  : page.find(fmt::format("\n.SS {}\n", command->get_name()));
    const std::size_t end = page.find("\n.S", begin + 4);
    const std::string section = page.substr(begin, end - begin);
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_group().empty()) continue;
      if (command != &program_ && option->check_name("--help")) continue;
      for (const std::string& name : option->get_lnames()) {
        EXPECT_THAT(section, HasSubstr(fmt::format("\\fB\\-\\-{}\\fR", roff(name))))
            << command->get_name();
      }
      if (option->get_positional()) {
        EXPECT_THAT(section, HasSubstr(fmt::format("\\fI{}\\fR", option->get_name(true))));
      }
    }
  }
}

TEST_F(ManPage, LeavesOutWhatIsHidden) {
  EXPECT_THAT(man_page(program_), Not(HasSubstr("state\\-file")));
  EXPECT_THAT(man_page(program_), Not(HasSubstr("\n.SS commands\n")));
}

TEST_F(ManPage, HasNoWarningsOfMan) {
  if (std::system("man --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "man is not installed";
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "dlview.1").string();
  std::ofstream(path) << man_page(program_);
  const std::string said = testing::output_of(fmt::format(
      "LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l '{}' 2>&1 >/dev/null", path));
  EXPECT_EQ(said, "");
}

}  // namespace
}  // namespace dlview::app
