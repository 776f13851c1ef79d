// Which marker a run is split at, against the labeled set: what a person would choose.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aggregate/iterations.h"
#include "aggregate/key_ops.h"
#include "generate/capture.h"
#include "generate/programs/labeled.h"
#include "import/open.h"
#include "support/seeds.h"
#include "support/test_data.h"

namespace dlview::aggregate {
namespace {

using generate::programs::Label;
using generate::programs::Program;

struct Choice {
  std::string key;
  int64_t iterations = 0;
  std::string best;  // of the ranking, whether it was chosen or not
};

class Chooser {
 public:
  Choice choose(const Program& program) {
    base::Progress progress;
    const std::filesystem::path path = folder_.path() / fmt::format("{}.sqlite", ++files_);
    EXPECT_TRUE(
        generate::write_capture(program.capture, generate::NsysSchema::v2026, path, progress).ok());
    return choose(path);
  }

  static Choice choose(const std::filesystem::path& path) {
    base::Progress progress;
    const base::Result<profile::Profile> profile = import::open_profile(path, progress);
    if (!profile) return {profile.error().title, -1, ""};
    const KeyRanking ranking(*profile);
    const Cut cut = default_cut(ranking);
    std::string best;
    for (const KeyOpCandidate& candidate : ranking.candidates()) {
      best = fmt::format("{} {:.2f} ({})", candidate.key, candidate.score, candidate.reason);
      break;
    }
    return {cut.key_op, cut_iterations(*profile, cut).key_instances, best};
  }

 private:
  testing::TemporaryFolder folder_;
  int files_ = 0;
};

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_right(const Choice& choice, const Label& label) {
  if (choice.iterations != label.iterations) return false;
  if (label.iterations == 0 || label.markers.empty()) return true;
  return std::ranges::any_of(label.markers, [&](const std::string& marker) {
    return marker == choice.key || marker == last_part(choice.key);
  });
}

std::string told(const Label& label) {
  if (label.iterations == 0) return "none";
  return fmt::format("{} x {}", label.markers.empty() ? "any" : label.markers.front(),
                     label.iterations);
}
std::string told(const Choice& choice) {
  return choice.key.empty() ? "none" : fmt::format("{} x {}", choice.key, choice.iterations);
}

struct Score {
  int right = 0, all = 0;
  void add(const std::string& name, const Choice& choice, const Label& label) {
    ++all;
    if (is_right(choice, label)) {
      ++right;
    } else {
      fmt::print("  {}: {}, should be {}; best: {}\n", name, told(choice), told(label),
                 choice.best);
    }
  }
  double percent() const { return 100.0 * right / all; }
};

constexpr double kEnough = 95;

TEST(IterationMarker, MatchesLabelsOfSyntheticPrograms) {
  Chooser chooser;
  Score score;
  for (const auto& program : generate::programs::labeled_programs()) {
    for (uint64_t seed = 1; seed <= testing::seeds(3); ++seed) {
      const Program made = program.make(seed);
      score.add(fmt::format("{} {}", program.name, seed), chooser.choose(made), made.label);
    }
  }
  fmt::print("{} of {} right\n", score.right, score.all);
  EXPECT_EQ(score.right, score.all);
}

// New in each run, so that no rule is tuned to the programs. About 2% of programs are split
// wrongly. With 600 programs, chance exceeds 5% once in 100,000 runs. Sanitizer builds use fewer.
uint64_t first_seed() {
  if (const char* const given = std::getenv("DLVIEW_SEED")) {
    return std::strtoull(given, nullptr, 10);
  }
  if (testing::kIsSanitized) return 1;
  return static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

TEST(IterationMarker, MatchesLabelsOfRandomPrograms) {
  const uint64_t seed = first_seed();
  fmt::print("DLVIEW_SEED={}\n", seed);
  Chooser chooser;
  Score score;
  for (uint64_t i = 0; i < testing::seeds(600); ++i) {
    const Program made = generate::programs::random_program(seed + i);
    score.add(fmt::format("{}", seed + i), chooser.choose(made), made.label);
  }
  fmt::print("{} of {} right\n", score.right, score.all);
  EXPECT_GE(score.percent(), kEnough);
}

// Without ranges only kernels and calls are left to split a run at. Better whole than wrong; but
// warm-up steps launch the same kernels as others, so that a few splits count them, too.
TEST(IterationMarker, SplitsAtStepsOrNotWithoutRanges) {
  Chooser chooser;
  int split = 0, wrong = 0, all = 0;
  const auto look_at = [&](const std::string& name, Program program) {
    program.capture.ranges.clear();
    const Choice choice = chooser.choose(program);
    ++all;
    split += choice.iterations > 0 ? 1 : 0;
    if (choice.iterations == 0 || choice.iterations == program.label.iterations) return;
    ++wrong;
    fmt::print("  {}: {}, should be none or {}; best: {}\n", name, told(choice),
               told(program.label), choice.best);
  };
  for (const auto& program : generate::programs::labeled_programs()) {
    look_at(std::string(program.name), program.make(1));
  }
  for (uint64_t seed = 1; seed <= testing::seeds(100); ++seed) {
    look_at(fmt::format("{}", seed), generate::programs::random_program(seed));
  }
  fmt::print("{} of {} split, {} of them not at steps\n", split, all, wrong);
  EXPECT_GT(split, all / 4);
  EXPECT_LE(10 * wrong, split);
}

struct LabeledFile {
  std::string name;
  Label label;
  const char* reason;
};

// What a person chose who looked at their ranges, kernels and calls.
const LabeledFile kFiles[] = {
    {"2021.2_raw_cuda", {}, "twelve kernels of two kinds, without a pattern"},
    {"2022.2_mpi_rank0_empty_tables", {{"saxpy"}, 5}, "the one range with the kernels, five times"},
    {"2022.4_nvtx_only_304_frames", {{"reader"}, 304}, "a frame begins with reading"},
    {"2022.4_raw_cuda_8190_kernels", {{}, 4095}, "two kernels take turns, 4095 times"},
    {"2022.4_tensorrt_nvtx_layers", {{"reader"}, 188}, "a frame begins with reading"},
    {"2023.4_dataloader_bound_59_steps", {{"step"}, 59}, "step 0 to step 58, in pairs"},
    {"2023.4_ddp_rank0_of_4xa100_59_steps", {{"step"}, 59}, "step 0 to step 58"},
    {"2024.6_cuda_graphs_only", {}, "all but 0.1% of the run is inside ten graphs"},
    {"2024.6_nvfuser_8xh100", {}, "a compiler at work, then a kernel"},
    {"2024.6_pytorch_attention_nvtx", {}, "ranges in each of 32 layers, none around a pass"},
    {"2025.1_pytorch_transformer_warmup_steps",
     {{"Forward"}, 10},
     "the benchmark's forward passes; what warms up comes before"},
    {"2025.3_cupy_44_steps", {{"Step"}, 44}, "Step 0 to 10 and so on"},
    {"2026.2_ddp_2xh100_after", {}, "a slice of 0.3 s with ranges of ops only"},
    {"2026.2_ddp_2xh100_before", {}, "a slice of 0.3 s with ranges of ops only"},
    {"2026.2_pytorch_2xh100_emit_nvtx", {}, "ranges of ops only, of a pass and a half"},
    {"2026.2_windows_attention", {}, "ranges in each layer, none around a pass"},
    {"edge_minimal_schema", {{}, 200}, "two kernels take turns, 200 times"},
    {"edge_two_kernels", {}, "two kernels"},
};

// These hold nothing to show.
const char* const kEmptyFiles[] = {"edge_invalid_utf8_no_cuda", "edge_no_cuda_no_nvtx",
                                   "edge_no_events"};

TEST(IterationMarker, RealFilesHaveLabels) {
  DLVIEW_REQUIRE_TEST_DATA();
  for (const auto& file :
       std::filesystem::directory_iterator(*testing::test_data_folder() / "nsys")) {
    const std::string name = file.path().stem().string();
    const bool is_labeled =
        std::ranges::find(kFiles, name, &LabeledFile::name) != std::ranges::end(kFiles);
    const bool is_empty = std::ranges::find(kEmptyFiles, name) != std::ranges::end(kEmptyFiles);
    EXPECT_TRUE(is_labeled != is_empty) << name;
  }
}

TEST(IterationMarker, MatchesLabelsOfRealFiles) {
  DLVIEW_REQUIRE_TEST_DATA();
  for (const LabeledFile& file : kFiles) {
    const auto path = *testing::test_data_folder() / "nsys" / (file.name + ".sqlite");
    const Choice choice = Chooser::choose(path);
    EXPECT_TRUE(is_right(choice, file.label))
        << file.name << ": " << told(choice) << ", should be " << told(file.label) << " ("
        << file.reason << "); best: " << choice.best;
  }
}

}  // namespace
}  // namespace dlview::aggregate
