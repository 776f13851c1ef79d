#include "app/random_input.h"

#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/program_commands.h"

namespace dlview::app {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

Scene scene() {
  Scene scene{1280, 800, workspace::Session::State::open, {}, {}};
  scene.items = {{"nav/view", {0, 0, 50, 20}}, {"op with blanks", {100, 100, 90, 300}}};
  for (const ProgramCommand& command : program_commands()) {
    scene.commands.push_back({command.id, command.title, command.shortcut, "", ""});
    scene.commands.back().enabled = true;
  }
  return scene;
}

RandomInput::Options options(uint64_t seed) {
  return {.seed = seed, .files = {"/a.sqlite", "/b.sqlite"}, .no_profiles = {"/etc"}};
}

std::vector<std::string> lines(RandomInput input, const Scene& seen, int count = 5000) {
  std::vector<std::string> made;
  for (int i = 0; i < count; ++i) made.push_back(input.next(seen));
  return made;
}

std::string verb_of(const std::string& line) {
  const std::string rest = line.starts_with("no-wait ") ? line.substr(8) : line;
  return rest.substr(0, rest.find(' '));
}

TEST(RandomInput, SameSeedGivesSameLines) {
  EXPECT_EQ(lines(RandomInput(options(7)), scene()), lines(RandomInput(options(7)), scene()));
  EXPECT_NE(lines(RandomInput(options(7)), scene()), lines(RandomInput(options(8)), scene()));
}

TEST(RandomInput, DoesWhatAUserCanDo) {
  RandomInput input(options(1));
  input.set_restarts(true);
  std::set<std::string> verbs;
  for (const std::string& line : lines(std::move(input), scene())) verbs.insert(verb_of(line));
  EXPECT_THAT(verbs, IsSupersetOf({"command",
                                   "move",
                                   "down",
                                   "up",
                                   "click",
                                   "double-click",
                                   "right-click",
                                   "drag",
                                   "wheel",
                                   "key",
                                   "hold",
                                   "release",
                                   "type",
                                   "drop",
                                   "drop-together",
                                   "size",
                                   "scale",
                                   "frames",
                                   "click-item",
                                   "double-click-item",
                                   "right-click-item",
                                   "move-item",
                                   "drag-item",
                                   "state",
                                   "screenshot",
                                   "restart"}));
}

TEST(RandomInput, NeverQuitsOrUsesUnscriptableNames) {
  EXPECT_THAT(lines(RandomInput(options(2)), scene()),
              Each(AllOf(Not(HasSubstr("file.quit")), Not(HasSubstr("Ctrl+Q")),
                         Not(HasSubstr("op with blanks")), Not(HasSubstr("no-wait no-wait")),
                         Not(HasSubstr("restart")))));
}

TEST(RandomInput, HurriesOnlyWhereItMay) {
  RandomInput::Options patient = options(3);
  EXPECT_THAT(lines(RandomInput(patient), scene()), Contains(StartsWith("no-wait click")));
  patient.hurries = false;
  EXPECT_THAT(lines(RandomInput(patient), scene()), Each(Not(StartsWith("no-wait click"))));
}

TEST(RandomInput, RowsDoNotHideOtherItems) {
  Scene seen = scene();
  seen.items.clear();
  for (int row = 0; row < 1000; ++row) {
    seen.items.emplace_back(fmt::format("ops/rows/{}", row), ui::ItemRect{0, 0, 9, 9});
  }
  seen.items.emplace_back("strip/plot", ui::ItemRect{0, 0, 9, 9});
  EXPECT_THAT(lines(RandomInput(options(6)), seen, 200), Contains(HasSubstr("strip/plot")));
}

TEST(RandomInput, CancelsLoading) {
  Scene loading = scene();
  loading.state = workspace::Session::State::loading;
  loading.items.emplace_back("loading/cancel", ui::ItemRect{10, 10, 20, 20});
  EXPECT_THAT(lines(RandomInput(options(4)), loading, 200),
              Contains(HasSubstr("click-item loading/cancel")));
}

TEST(RandomInput, ResetReleasesWhatIsHeld) {
  RandomInput input(options(5));
  const Scene seen = scene();
  std::string held;
  while (held.empty()) {
    const std::string line = input.next(seen);
    if (line.ends_with("hold Ctrl") || line.ends_with("hold Alt")) held = line;
  }
  const std::string key = held.substr(held.rfind(' ') + 1);
  const std::vector<std::string> reset = input.reset();
  EXPECT_THAT(reset, Contains("release " + key));
  EXPECT_THAT(reset, Contains("drop /a.sqlite"));
}

}  // namespace
}  // namespace dlview::app
