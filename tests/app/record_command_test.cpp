// `dlview record` with a stand-in for nsys that runs the program and copies an export.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/findings.h"
#include "app/command_support.h"
#include "app/commands/commands.h"
#include "app/foreground_process.h"
#include "base/progress.h"
#include "generate/nsys.h"
#include "import/variable.h"
#include "support/file_contents.h"
#include "support/test_data.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::Variable;
using Words = std::vector<std::string>;

Words lines_of(const fs::path& path) {
  std::istringstream text(testing::contents_of(path));
  Words lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// An export of 12 steps, which all tests share.
fs::path shared_export() {
  static const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "export.sqlite";
  if (!fs::exists(path)) {
    base::Progress progress;
    EXPECT_TRUE(generate::generate_nsys(path, {.iterations = 12, .kernels = 600},
                                        generate::NsysSchema::v2026, progress)
                    .ok());
  }
  return path;
}

class RecordCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(path("bin"));
    install(R"(
"$@"; code=$?
printf '\001\002\003' > "$output.nsys-rep"
exit $code)");
    install_program(
        "show", "for word in \"$@\"; do echo \"<$word>\"; done > " + path("shown").string() + "\n");
  }

  fs::path path(const std::string& name) const { return folder_.path() / name; }
  fs::path output(const std::string& name = "") const { return path("out") / name; }

  void install_program(const std::string& name, const std::string& script) const {
    const fs::path program = path("bin") / name;
    std::ofstream(program) << "#!/bin/sh\n" << script;
    fs::permissions(program, fs::perms::owner_all);
  }
  // `profile` runs with the path to write in $output and the program as arguments; $7 of `export`
  // is the file to write.
  void install(const std::string& profile, const std::string& exporter = "") const {
    install_program("nsys", "for word in \"$@\"; do echo \"$word\"; done >> " +
                                path("calls").string() + R"(
if [ "$1" = export ]; then
)" + (exporter.empty() ? "cp " + shared_export().string() + " \"$7\"" : exporter) +
                                R"(
exit
fi
shift
while :; do
  case $1 in
    --output=*) output=$(printf '%s' "${1#--output=}" | sed 's/%%/%/g') ;;
    -[a-z]) shift ;;
    -*) ;;
    *) break ;;
  esac
  shift
done
)" + profile + "\n");
  }

  // Runs `dlview record ARGUMENTS`.
  static Outcome run(Words arguments) {
    CLI::App program{"dlview", "dlview"};
    ChosenCommand chosen;
    bind_record(program, chosen);
    bind_report(program, chosen);
    return run_command_line(program, chosen, join_recorded_program(program, std::move(arguments)));
  }
  // Runs it with the output folder "out".
  Outcome record(Words arguments) const {
    arguments.insert(arguments.begin(), {"record", "-o", output().string()});
    return run(std::move(arguments));
  }
  // The words of `nsys profile`.
  Words profile_call() const {
    Words words = lines_of(path("calls"));
    words.resize(static_cast<std::size_t>(
        std::distance(words.begin(), std::find(words.begin(), words.end(), "export"))));
    return words;
  }
  std::string output_option() const { return "--output=" + output("nsys_profile").string(); }

  testing::TemporaryFolder folder_;
  Variable path_{"PATH", (folder_.path() / "bin").string() + ":/usr/bin:/bin"};
  Variable cache_{"XDG_CACHE_HOME", (folder_.path() / "cache").string()};
};

TEST_F(RecordCommand, RunsNsysWithItsDefaults) {
  const Outcome recorded = record({"--reports=none", "--", "true"});
  EXPECT_EQ(recorded.code, 0) << recorded.err;
  EXPECT_THAT(recorded.out, IsEmpty());
  EXPECT_THAT(profile_call(), ElementsAre("profile", "--trace=cuda,nvtx,osrt", "--sample=none",
                                          output_option(), "true"));
}

TEST_F(RecordCommand, PassesOptionsToNsys) {
  fs::create_directories(output());
  const Outcome recorded = record({"--mode", "pytorch", "-y", "60", "--duration=20", "-f", "true",
                                   "--reports=none", "--", "true"});
  EXPECT_EQ(recorded.code, 0) << recorded.err;
  EXPECT_THAT(profile_call(),
              ElementsAre("profile", "--trace=cuda,nvtx,osrt", "--sample=none",
                          "--pytorch=autograd-shapes-nvtx", "--delay=60", "--duration=20",
                          "--force-overwrite=true", output_option(), "true"));
}

TEST_F(RecordCommand, AsksTensorFlowForItsRanges) {
  ASSERT_EQ(record({"-m", "tensorflow2", "--reports=none", "true"}).code, 0);
  EXPECT_THAT(profile_call(), Contains("--env-var=TF_ENABLE_NVTX_RANGES=1"));
}

TEST_F(RecordCommand, ReplacesDefaultsByNsysOpts) {
  for (const std::string options : {"-t cuda,nvtx --name='a b'", "\"-t cuda,nvtx --name='a b'\""}) {
    fs::remove(path("calls"));
    const Outcome recorded =
        record({"--force", "--reports=none", "--nsys_opts", options, "--", "true"});
    EXPECT_EQ(recorded.code, 0) << recorded.err;
    EXPECT_THAT(profile_call(), ElementsAre("profile", "-t", "cuda,nvtx", "--name=a b",
                                            "--force-overwrite=true", output_option(), "true"));
  }
}

TEST_F(RecordCommand, RefusesNsysOptsItCannotUse) {
  EXPECT_THAT(record({"--nsys_opts=-o x", "--", "true"}).err, HasSubstr("--nsys_base_name"));
  const Outcome unclosed = record({"--nsys_opts=-t 'cuda", "--", "true"});
  EXPECT_EQ(unclosed.code, kExitUnusable);
  EXPECT_THAT(unclosed.err, HasSubstr("Close the quotes"));
  EXPECT_FALSE(fs::exists(path("calls")));
}

// CLI11 splits "[a,b]" of lists, and dlview has options of the same names.
TEST_F(RecordCommand, LeavesTheProgramsArgumentsUntouched) {
  const Words arguments{"show", "--delay", "3", "[a,b]", "", "--", "x  y", "-f", "--help", "$HOME"};
  for (const Words& before : {Words{"--force", "--"}, Words{"--force=true", "-y", "1"}}) {
    Words line{"--reports=none"};
    line.insert(line.end(), before.begin(), before.end());
    line.insert(line.end(), arguments.begin(), arguments.end());
    EXPECT_EQ(record(line).code, 0);
    EXPECT_EQ(testing::contents_of(path("shown")),
              "<--delay>\n<3>\n<[a,b]>\n<>\n<-->\n<x  y>\n<-f>\n<--help>\n<$HOME>\n");
  }
}

TEST_F(RecordCommand, PassesExitCodeAndOutputOn) {
  const Outcome recorded =
      record({"--reports=none", "--", "sh", "-c", "printf out; echo err >&2; exit 3"});
  EXPECT_EQ(recorded.code, 3);
  EXPECT_EQ(recorded.out, "out");
  EXPECT_THAT(recorded.err, AllOf(HasSubstr("err\n"), HasSubstr("exit code 3"),
                                  HasSubstr("Open it: dlview " + output().string())));
  EXPECT_TRUE(fs::exists(output("nsys_profile.nsys-rep")));
  EXPECT_EQ(testing::contents_of(output("nsys_profile.sqlite")),
            testing::contents_of(shared_export()));
}

TEST_F(RecordCommand, ReturnsTheSignalOfTheProgram) {
  EXPECT_EQ(record({"--reports=none", "--", "sh", "-c", "kill -TERM $$"}).code, 128 + 15);
  install("printf x > \"$output.nsys-rep\"; kill -KILL $$");
  EXPECT_EQ(record({"--reports=none", "--force", "--", "true"}).code, 128 + 9);
}

TEST_F(RecordCommand, NeedsAProgram) {
  for (const Words& arguments : {Words{}, Words{"--"}, Words{"--force", "true"}}) {
    const Outcome refused = record(arguments);
    EXPECT_EQ(refused.code, kExitUnusable);
    EXPECT_THAT(refused.err, HasSubstr("PROGRAM is required"));
  }
}

TEST_F(RecordCommand, RefusesUnknownOptions) {
  const Outcome refused = record({"--dely", "3", "--", "show"});
  EXPECT_EQ(refused.code, kExitUnusable);
  EXPECT_THAT(refused.err, HasSubstr("--dely"));
  EXPECT_FALSE(fs::exists(path("shown")));
}

TEST_F(RecordCommand, SaysThatNsysIsMissing) {
  const Variable empty("PATH", path("nothing").string());
  const Outcome refused = record({"--", "/bin/true"});
  EXPECT_EQ(refused.code, kExitUnusable);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("nsys is not on the PATH"), HasSubstr("Install")));
  EXPECT_FALSE(fs::exists(output()));
}

TEST_F(RecordCommand, SaysThatTheProgramIsMissing) {
  std::ofstream(path("script.py")) << "not executable";
  for (const std::string& name :
       {std::string("no-such"), path("script.py").string(), path("bin").string()}) {
    const Outcome refused = record({"--", name});
    EXPECT_EQ(refused.code, kExitUnusable);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("Program not found"), HasSubstr(name)));
  }
  EXPECT_FALSE(fs::exists(output()));
  EXPECT_FALSE(fs::exists(path("calls")));
}

// An older report is none of this run.
TEST_F(RecordCommand, SaysThatNsysWroteNoReport) {
  ASSERT_EQ(record({"--reports=none", "--", "true"}).code, 0);
  install("echo 'unrecognised option' >&2; exit 1");
  const Outcome failed = record({"--reports=none", "--force", "--mode=pytorch", "--", "true"});
  EXPECT_EQ(failed.code, kExitUnusable);
  EXPECT_THAT(failed.err, AllOf(HasSubstr("unrecognised option\n"),
                                HasSubstr("nsys wrote no report\n  nsys exited with 1"),
                                HasSubstr("omit --mode"), Not(HasSubstr("Open it"))));
}

TEST_F(RecordCommand, KeepsTheReportIfExportFails) {
  install("\"$@\"; printf x > \"$output.nsys-rep\"", "echo 'too new'; exit 4");
  const Outcome failed = record({"--", "true"});
  EXPECT_EQ(failed.code, kExitUnusable);
  EXPECT_THAT(failed.err, AllOf(HasSubstr("nsys exited with 4: too new"),
                                HasSubstr("Wrote " + output("nsys_profile.nsys-rep").string())));
  EXPECT_EQ(std::distance(fs::directory_iterator(output()), fs::directory_iterator()), 1);
}

TEST_F(RecordCommand, ReplacesFilesOnlyWithForce) {
  for (const char* name : {"nsys_profile.nsys-rep", "nsys_profile.2.nsys-rep", "nsys_profile.qdrep",
                           "nsys_profile.sqlite", "dlprof_kernel.csv"}) {
    fs::remove_all(output());
    fs::create_directories(output());
    std::ofstream(output(name)) << "old";
    const Outcome refused = record({"--reports=kernel", "--", "show"});
    EXPECT_EQ(refused.code, kExitUnusable) << name;
    EXPECT_THAT(refused.err, AllOf(HasSubstr(output(name).string()), HasSubstr("--force")));
    EXPECT_EQ(testing::contents_of(output(name)), "old");
    EXPECT_FALSE(fs::exists(path("shown")));
  }
  EXPECT_EQ(record({"--reports=kernel", "--force", "--", "true"}).code, 0);
  EXPECT_THAT(testing::contents_of(output("dlprof_kernel.csv")), Not(HasSubstr("old")));
}

TEST_F(RecordCommand, LeavesOtherFilesAlone) {
  fs::create_directories(output());
  for (const char* name : {"nsys_profile.x.nsys-rep", "nsys_profile2.nsys-rep", "notes.txt"}) {
    std::ofstream(output(name)) << "old";
  }
  EXPECT_EQ(record({"--reports=none", "--", "true"}).code, 0);
  EXPECT_EQ(testing::contents_of(output("nsys_profile.x.nsys-rep")), "old");
}

TEST_F(RecordCommand, TakesPathsWithSpacesAndPercents) {
  const fs::path folder = path("my runs/100%p");
  const Outcome recorded = run({"record", "--output-path", folder.string(), "--nsys_base_name",
                                "run 1", "--reports=summary", "--", "true"});
  EXPECT_EQ(recorded.code, 0) << recorded.err;
  EXPECT_THAT(recorded.err,
              HasSubstr("Open it: dlview '" + (folder / "run 1.sqlite").string() + "'"));
  for (const char* name : {"run 1.nsys-rep", "run 1.sqlite", "dlprof_summary.csv"}) {
    EXPECT_TRUE(fs::exists(folder / name)) << name;
  }
}

TEST_F(RecordCommand, ReplacesVariablesInPaths) {
  const Variable rank("TEST_RANK", "7");
  EXPECT_EQ(run({"record", "-o", path("%q{TEST_RANK}").string(), "--nsys_base_name",
                 "rank%q{TEST_RANK}", "--reports=none", "true"})
                .code,
            0);
  EXPECT_TRUE(fs::exists(path("7/rank7.sqlite")));
  const Outcome unset = run({"record", "-o", "%q{NO_SUCH_RANK}", "true"});
  EXPECT_EQ(unset.code, kExitUnusable);
  EXPECT_THAT(unset.err, HasSubstr("Environment variable not set"));
}

// As the older command writes them for the export.
TEST_F(RecordCommand, WritesReportsOfTheRange) {
  const Outcome recorded =
      record({"--reports", "iteration,kernel", "--formats=csv,json", "--iter_start", "3",
              "--iter-stop=5", "--nsys_base_name=export", "true"});
  EXPECT_EQ(recorded.code, 0) << recorded.err;
  const Outcome reported =
      run({"report", shared_export().string(), "--output-dir", path("twin").string(), "--reports",
           "iteration,kernel", "--formats=csv,json", "--iterations", "3:5"});
  ASSERT_EQ(reported.code, 0) << reported.err;
  for (const char* name : {"dlprof_iteration.csv", "dlprof_iteration.json", "dlprof_kernel.csv"}) {
    EXPECT_THAT(recorded.err, HasSubstr("Wrote " + output(name).string() + '\n'));
    EXPECT_FALSE(testing::contents_of(output(name)).empty()) << name;
    EXPECT_TRUE(testing::contents_of(output(name)) == testing::contents_of(path("twin") / name))
        << name;
  }
}

TEST_F(RecordCommand, EndsTheRangeWithTheRun) {
  const Outcome beyond = record({"--reports=summary", "--iter_stop=1000", "--", "true"});
  EXPECT_EQ(beyond.code, 0);
  EXPECT_THAT(beyond.err, HasSubstr("--iter_stop 1000: the last iteration is 1"));
  const Outcome after = record({"--force", "--iter_start=1000", "--", "true"});
  EXPECT_EQ(after.code, kExitUnusable);
  EXPECT_THAT(after.err, AllOf(HasSubstr("after the last iteration"),
                               HasSubstr("dlview report " + output().string())));
  EXPECT_EQ(record({"--iter_start=5", "--iter_stop=4", "--", "true"}).code, kExitUnusable);
}

TEST_F(RecordCommand, KeepsTheProfileOfUnknownMarkers) {
  const Outcome failed = record({"--key_op", "no such op", "--", "true"});
  EXPECT_EQ(failed.code, kExitUnusable);
  EXPECT_THAT(failed.err, HasSubstr("Iteration marker not found"));
  EXPECT_TRUE(fs::exists(output("nsys_profile.sqlite")));
  EXPECT_EQ(record({"-f", "--key_node=no such op", "--", "sh", "-c", "exit 5"}).code, 5);
}

TEST_F(RecordCommand, ChecksReportsBeforeTheProgramRuns) {
  EXPECT_EQ(record({"--reports=kernels", "--", "show"}).code, kExitUnusable);
  EXPECT_EQ(record({"--formats=xml", "--", "show"}).code, kExitUnusable);
  EXPECT_FALSE(fs::exists(path("shown")));
}

TEST_F(RecordCommand, PrintsFindingsLikeDlprof) {
  const Outcome recorded = record({"--reports=none", "--", "true"});
  workspace::SelectionRequest request;
  request.split_by = aggregate::SplitBy::host;
  const auto opened = open_with_selection(shared_export(), request);
  ASSERT_TRUE(opened.ok());
  const aggregate::Aggregation aggregation =
      aggregate::make_cpu_aggregator(opened->profile)->aggregate(opened->selection);
  const aggregate::RuleIndex rules(*opened->profile);
  const aggregate::LimitIndex limits(*opened->profile);
  const auto findings =
      aggregate::find_findings(*opened->profile, aggregation, {}, &rules, 0, &limits).findings;
  ASSERT_FALSE(findings.empty());
  EXPECT_THAT(recorded.err,
              HasSubstr("\nProblem detected:\n    " + findings[0].advice.problem +
                        "\nRecommended change:\n    " + findings[0].advice.recommendation + '\n'));
}

TEST_F(RecordCommand, ExportsTheFirstOfSeveralReports) {
  install("printf x > \"$output.10.nsys-rep\"; printf x > \"$output.2.nsys-rep\"");
  const Outcome recorded = record({"--reports=none", "--", "true"});
  EXPECT_EQ(recorded.code, 0);
  EXPECT_THAT(recorded.err, HasSubstr("nsys wrote 2 reports"));
  EXPECT_THAT(lines_of(path("calls")), Contains(output("nsys_profile.2.nsys-rep").string()));
}

TEST_F(RecordCommand, FindsReportsOfOldVersions) {
  install("printf x > \"$output.qdrep\"");
  EXPECT_EQ(record({"--reports=none", "--", "true"}).code, 0);
  EXPECT_TRUE(fs::exists(output("nsys_profile.sqlite")));
}

TEST(ForegroundProcess, FindsProgramsLikeAShell) {
  EXPECT_TRUE(is_program("sh"));
  EXPECT_TRUE(is_program("/bin/sh"));
  for (const char* none : {"", "no-such-program", "/bin", "/etc/passwd", "./no-such"}) {
    EXPECT_FALSE(is_program(none)) << none;
  }
}

TEST(ForegroundProcess, SaysWhyItDoesNotStart) {
  EXPECT_EQ(run_in_foreground({"/no/such/program"}).error, ENOENT);
  const ForegroundEnd end = run_in_foreground({"sh", "-c", "exit 9"});
  EXPECT_EQ(end.error, 0);
  EXPECT_EQ(end.exit_code, 9);
}

TEST(ForegroundProcess, PassesASignalOnAndWaits) {
  std::signal(SIGTERM, SIG_DFL);
  const std::string dlview = std::to_string(getpid());
  const ForegroundEnd end = run_in_foreground(
      {"sh", "-c",
       "trap 'sleep 0.1; exit 4' TERM; kill -TERM " + dlview + "; while :; do sleep 0.02; done"});
  EXPECT_EQ(end.signal, SIGTERM);
  EXPECT_EQ(end.exit_code, 4);
}

TEST(ForegroundProcess, EndsTheProgramTheSecondTime) {
  std::signal(SIGINT, SIG_DFL);  // a shell starts what runs beside it with one that is ignored
  const std::string kill = "kill -INT " + std::to_string(getpid());
  const ForegroundEnd end = run_in_foreground(
      {"sh", "-c", "trap '' INT; " + kill + "; " + kill + "; sleep 0.7; " + kill + "; sleep 60"});
  EXPECT_EQ(end.signal, SIGINT);
  EXPECT_EQ(end.exit_code, 128 + SIGKILL);
}

}  // namespace
}  // namespace dlview::app
