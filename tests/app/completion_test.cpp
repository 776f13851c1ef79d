#include "app/completion.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/command_tree.h"
#include "report/dlprof/reports.h"
#include "report/nsys/reports.h"
#include "report/writers/export.h"
#include "support/test_data.h"
#include "support/tools.h"
#include "workspace/engine.h"
#include "workspace/selection_request.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using Kind = Completion::Kind;

class CompletionOf : public ::testing::Test {
 protected:
  CompletionOf() { bind_program(program_, window_, chosen_); }

  Completion of(std::vector<std::string> words) {
    return complete(program_, std::move(words), [this](const std::string& path) {
      asked_ = path;
      return std::vector<CompletionCandidate>{{"train step", "257 instances"}, {"ns:epoch", ""}};
    });
  }
  std::vector<std::string> words(std::vector<std::string> typed) {
    std::vector<std::string> found;
    for (const CompletionCandidate& candidate : of(std::move(typed)).candidates) {
      found.push_back(candidate.word);
    }
    return found;
  }

  CLI::App program_{"dlview", "dlview"};
  WindowProgramOptions window_;
  ChosenCommand chosen_;
  std::string asked_;
};

TEST_F(CompletionOf, OffersCommandsAndFilesFirst) {
  EXPECT_EQ(of({""}).kind, Kind::words_and_files);
  EXPECT_THAT(words({""}), AllOf(IsSupersetOf({"info", "table", "stats", "completion"}),
                                 Not(Contains("commands")), Not(Contains("--help"))));
  EXPECT_THAT(words({"rep"}), ElementsAre("report"));
  EXPECT_EQ(of({"run."}).kind, Kind::files);
  EXPECT_EQ(of({"--", ""}).kind, Kind::files);
}

TEST_F(CompletionOf, OffersOptionsOfTheCommand) {
  EXPECT_THAT(words({"--th"}), ElementsAre("--theme"));
  EXPECT_THAT(words({"table", "run.sqlite", "--s"}),
              ::testing::UnorderedElementsAre("--search", "--sort", "--split-by", "--state"));
  EXPECT_THAT(words({"--state-f"}), IsEmpty());
}

TEST_F(CompletionOf, OffersValuesOfOptions) {
  EXPECT_THAT(words({"--theme", ""}), ElementsAre("dark", "light"));
  EXPECT_THAT(words({"--palette", ""}), ElementsAre("default", "colorblind"));
  EXPECT_THAT(words({"--theme=d"}), ElementsAre("--theme=dark"));
  EXPECT_THAT(words({"--theme", "=", "d"}), ElementsAre("--theme=dark"));
  EXPECT_THAT(words({"screenshot", "run.sqlite", "--view", "time"}), ElementsAre("timeline"));
  EXPECT_THAT(words({"table", "run.sqlite", "--table", "op_n"}), ElementsAre("op_nodes"));
  EXPECT_THAT(words({"stats", "run.sqlite", "--report", "cuda_gpu_kern_sum,nvtx_s"}),
              Contains("cuda_gpu_kern_sum,nvtx_sum"));
  EXPECT_THAT(words({"report", "run.sqlite", "--reports", "it"}), ElementsAre("iteration"));
  EXPECT_THAT(words({"stats", "--format", ""}),
              ElementsAre("csv", "tsv", "column", "table", "json", "hdoc", "htable"));
  EXPECT_THAT(words({"stats", "--timeunit", ""}), ElementsAre("ns", "us", "ms", "s"));
  EXPECT_THAT(words({"table", "--format", "x"}), ElementsAre("xlsx"));
  EXPECT_THAT(words({"--only", "op"}), ElementsAre("op=", "op_type="));
  EXPECT_THAT(words({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(words({"--scale", ""}), IsEmpty());
}

TEST_F(CompletionOf, OffersFilesAndFoldersWhereTheyAreTaken) {
  EXPECT_EQ(of({"info", ""}).kind, Kind::files);
  EXPECT_EQ(of({"table", "run.sqlite", "-o", ""}).kind, Kind::files);
  EXPECT_EQ(of({"report", "run.sqlite", "--output-dir", ""}).kind, Kind::folders);
  EXPECT_EQ(of({"report", "run.sqlite", "-o", ""}).kind, Kind::folders);
  EXPECT_EQ(of({"verify", "run.sqlite", "--against", ""}).kind, Kind::files);
  EXPECT_EQ(of({"compare", "run.sqlite", "--against", ""}).kind, Kind::words);
  EXPECT_EQ(of({"info", "run.sqlite", ""}).kind, Kind::words);
}

TEST_F(CompletionOf, LeavesTheRecordedProgramAlone) {
  EXPECT_THAT(words({"record", "--mode", "tensorf"}), ElementsAre("tensorflow1", "tensorflow2"));
  EXPECT_EQ(of({"record", "-o", ""}).kind, Kind::folders);
  for (const std::vector<std::string>& typed : {std::vector<std::string>{"record", "--", ""},
                                                {"record", "python", ""},
                                                {"record", "--", "python", "train.py", ""},
                                                {"record", "python", "--mo"}}) {
    const Completion offered = of(typed);
    EXPECT_EQ(offered.kind, Kind::files);
    EXPECT_THAT(offered.candidates, IsEmpty());
  }
}

TEST_F(CompletionOf, OffersIterationMarkersOfTheFile) {
  EXPECT_THAT(words({"info", "run.sqlite", "--key-op", ""}), ElementsAre("train step", "ns:epoch"));
  EXPECT_EQ(asked_, "run.sqlite");
  EXPECT_THAT(words({"--theme", "dark", "other.sqlite", "--key-op=ns:"}),
              ElementsAre("--key-op=ns:epoch"));
  EXPECT_EQ(asked_, "other.sqlite");
  EXPECT_THAT(words({"--key-op", ""}), IsEmpty());
}

TEST_F(CompletionOf, KnowsNoMarkersOfUncachedFiles) {
  EXPECT_THAT(cached_iteration_markers("/no/such/file"), IsEmpty());
}

// What completes is accepted.
TEST_F(CompletionOf, OffersOnlyWordsThatAreAccepted) {
  for (const auto& value : option_values("", "--engine"))
    EXPECT_TRUE(workspace::parse_engine(value).ok());
  for (const auto& value : option_values("", "--view")) EXPECT_TRUE(ui::parse_view(value).ok());
  for (const auto& value : option_values("", "--cut"))
    EXPECT_TRUE(workspace::parse_cut(value).ok());
  for (const auto& value : option_values("", "--tensor-cores")) {
    EXPECT_TRUE(workspace::parse_tensor_cores(value).ok());
  }
  for (const auto& value : option_values("table", "--format")) {
    EXPECT_TRUE(report::parse_export_format(value).ok());
  }
  for (const auto& value : option_values("stats", "--report")) {
    EXPECT_TRUE(report::nsys::parse_report_list(value).ok());
  }
}

// Plain bash, without the helpers of the package bash-completion.
class BashCompletion : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("bash -c 'compgen -W x x' >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "bash is not installed";
    }
  }
  // What the function leaves in COMPREPLY where dlview prints `printed`.
  static std::string replies(const std::string& printed, const std::string& words) {
    return testing::output_of("bash --norc -c 'dlview() { printf \"" + printed +
                              "\"; }; source " DLVIEW_SOURCE_DIR
                              "/assets/packaging/completion.bash; COMP_WORDS=(" +
                              words +
                              "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _dlview; "
                              "printf \"%s|\" \"${COMPREPLY[@]}\"' 2>&1");
  }
};

TEST_F(BashCompletion, OffersPrintedWords) {
  EXPECT_EQ(replies(R"(:words\ndark\tthe theme\nlight\n)", "dlview --theme \"\""), "dark|light|");
  EXPECT_EQ(replies(R"(:words\ntrain step\n)", "dlview run.sqlite --key-op t"), "train\\ step|");
}

TEST_F(BashCompletion, LeavesFilesToReadline) {
  EXPECT_EQ(replies(R"(:files\n)", "dlview info \"\""), "|");
}

TEST_F(BashCompletion, OffersNothingWhenDlviewFails) {
  EXPECT_EQ(replies("", "dlview info \"\""), "|");
}

}  // namespace
}  // namespace dlview::app
