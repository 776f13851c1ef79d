// Programs on a file: a generated training run of 40 steps on eight GPUs, with two stored
// aggregations.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "aggregate/aggregator.h"
#include "app/program_support.h"
#include "generate/dlprof.h"
#include "support/test_data.h"
#include "workspace/open_request.h"

namespace dlview::app {

inline constexpr int64_t kRunSteps = 40;
// Of the second stored aggregation, which cuts at the ends of the key op.
inline constexpr aggregate::IterationRange kSecondStored{12, 30};

inline void generate_run(const std::filesystem::path& path) {
  const generate::DemoOptions options{.iterations = kRunSteps, .kernels = 6000, .gpus = 8};
  base::Progress progress;
  auto made = generate::make_demo_profile(options, progress);
  ASSERT_TRUE(made.ok());
  const auto facts = std::make_shared<const profile::Profile>(std::move(*made));
  const std::string key_op = generate::demo_key_op(options.framework);
  const auto engine = aggregate::make_cpu_aggregator(facts);
  const auto all = engine->aggregate({{aggregate::CutKind::start, key_op, 0}, {0, kRunSteps}});
  const auto second = engine->aggregate({{aggregate::CutKind::end, key_op, 0}, kSecondStored});
  ASSERT_TRUE(generate::write_dlprof_database(*facts, {all, second}, path, progress,
                                              generate::IfExists::replace)
                  .ok());
}

// A copy of the one that all tests share.
inline void write_run(const std::filesystem::path& path) {
  static const testing::TemporaryFolder folder;
  const std::filesystem::path shared = folder.path() / "run.sqlite";
  if (!std::filesystem::exists(shared)) {
    ASSERT_NO_FATAL_FAILURE(generate_run(shared));
  }
  std::filesystem::copy_file(shared, path, std::filesystem::copy_options::overwrite_existing);
}

class RunTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (!offscreen_) return;
    path_ = (folder_.path() / "run.sqlite").string();
    write_run(path_);
    open(workspace::file_request(path_, {}, workspace::EngineChoice::automatic));
    ASSERT_EQ(state()["state"], "open");
  }

  Json range() { return state()["selection"]["range"]; }
  bool has_item(const std::string& name) { return state()["items"].contains(name); }
  bool has_value(const std::string& name) { return state()["values"].contains(name); }
  // Where an item is: left, top, right, bottom.
  Json item(const std::string& name) { return state()["items"][name]; }
  // Plays lines that must be carried out.
  void must(const std::string& script) {
    const base::Status played = play(script);
    ASSERT_TRUE(played.ok()) << base::to_text(played.error());
  }
  Json filters() { return state()["selection"]["only"]; }
  // From the menu of a right click.
  void choose(const std::string& item, const std::string& entry) {
    must("move-item " + item + "\ndown 1\nup 1\nclick-item copy/" + entry);
  }
  // The same in a cell of a table.
  void choose_in(const std::string& table, int row, const std::string& column,
                 const std::string& entry) {
    const Json head = item(fmt::format("{}/head/{}", table, column));
    const Json cells = item(fmt::format("{}/rows/{}", table, row));
    must(fmt::format("move {} {}\ndown 1\nup 1\nclick-item copy/{}",
                     (head[0].get<double>() + head[2].get<double>()) / 2,
                     (cells[1].get<double>() + cells[3].get<double>()) / 2, entry));
  }
  std::string cell(const std::string& table, int row, const std::string& column) {
    return state()["values"].value(fmt::format("{}/rows/{}/{}", table, row, column), "(none)");
  }
  std::string tooltip_at(const std::string& item) {
    must("move-item " + item);
    const Json values = state()["values"];
    return values.value("tooltip", "");
  }

  testing::TemporaryFolder folder_;
  std::string path_;
};

}  // namespace dlview::app
