// Generated PyTorch traces: strict JSON in the layout of each writer, the same bytes for the same
// seed, and a truth that a program apart from dlview computes from the file alone.
#include "generate/pytorch.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generate/pytorch_settings.h"
#include "support/file_contents.h"
#include "support/test_data.h"
#include "support/tools.h"

namespace dlview::generate {
namespace {

using testing::any_trace_options;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::kTraceSchemas;
using testing::kTraceWriters;
using ::testing::StartsWith;

// Follows RFC 8259 to the letter. Returns the place of the first error, or npos.
class StrictJson {
 public:
  explicit StrictJson(std::string_view text) : text_(text) {}

  std::size_t first_error() {
    const bool is_good = value() && (skip_space(), at_ == text_.size());
    return is_good ? std::string_view::npos : at_;
  }

 private:
  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) { return here() == c && ++at_ > 0; }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \n\r\t").find(text_[at_]) != text_.npos) ++at_;
  }
  bool digits() {
    const std::size_t before = at_;
    while (std::isdigit(static_cast<unsigned char>(here()))) ++at_;
    return at_ > before;
  }
  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (here() != 'e' && here() != 'E') return true;
    ++at_;
    if (!take('+')) take('-');
    return digits();
  }
  bool string() {
    if (!take('"')) return false;
    while (at_ < text_.size() && here() != '"') {
      if (static_cast<unsigned char>(here()) < 0x20) return false;
      if (take('\\') && std::string_view("\"\\/bfnrt").find(here()) == text_.npos) return false;
      ++at_;
    }
    return take('"');
  }
  template <typename Part>
  bool list(char open, char close, Part part) {
    if (!take(open)) return false;
    skip_space();
    if (take(close)) return true;
    do {
      skip_space();
      if (!part()) return false;
      skip_space();
    } while (take(','));
    return take(close);
  }
  bool word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    return true;
  }
  bool value() {
    skip_space();
    switch (here()) {
      case '{':
        return list('{', '}', [&] { return string() && (skip_space(), take(':')) && value(); });
      case '[':
        return list('[', ']', [&] { return value(); });
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Everything that a trace can have, in a small file.
PytorchOptions everything() {
  PytorchOptions options;
  options.iterations = 2;
  options.kernels = 300;
  options.gpus = 2;
  options.rank = 1;
  options.record_shapes = options.with_stack = options.profile_memory = true;
  options.checkpointing = options.compiled = options.counters = true;
  return options;
}

class GeneratedTrace : public ::testing::Test {
 protected:
  PytorchTruth generate(const PytorchOptions& options, const char* name = "trace.json") {
    base::Progress progress;
    base::Result<PytorchTruth> truth =
        generate_pytorch(path(name), options, progress, IfExists::replace);
    EXPECT_TRUE(truth.ok()) << base::to_text(truth.error());
    return truth ? std::move(*truth) : PytorchTruth();
  }
  std::filesystem::path path(const char* name = "trace.json") const {
    return folder_.path() / name;
  }
  std::string text(const char* name = "trace.json") const {
    return testing::contents_of(path(name));
  }
  std::string error(const PytorchOptions& options) const {
    base::Progress progress;
    const auto truth = generate_pytorch(path(), options, progress, IfExists::replace);
    return truth ? "" : base::to_text(truth.error());
  }

  testing::TemporaryFolder folder_;
};

int64_t count_of(std::string_view part, std::string_view text) {
  int64_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) ++count;
  return count;
}

TEST(StrictJson, FindsErrors) {
  for (const char* good : {"{}", "[1, -2.5e-3, \"a\\\"b\", null, true]", "{\"a\": [[], {}]}"}) {
    EXPECT_EQ(StrictJson(good).first_error(), std::string_view::npos) << good;
  }
  for (const char* bad : {"", "{", "[1,]", "[01]", "[.5]", "[1.]", "[inf]", "{\"a\" 1}", "[\"\n\"]",
                          "[\"\\x\"]", "[1] 2", "{\"a\": 1,}"}) {
    EXPECT_NE(StrictJson(bad).first_error(), std::string_view::npos) << bad;
  }
}

TEST_F(GeneratedTrace, IsStrictJsonByAllWriters) {
  for (const PytorchWriter writer : kTraceWriters) {
    for (const PytorchSchema schema : kTraceSchemas) {
      if (writer == PytorchWriter::python_exporter && schema != PytorchSchema::v2026) continue;
      PytorchOptions options = everything();
      options.writer = writer;
      options.schema = schema;
      options.indent = schema == PytorchSchema::v2023 ? 2 : 0;
      const PytorchTruth truth = generate(options);
      const std::string json = text();
      EXPECT_EQ(static_cast<int64_t>(json.size()), truth.raw_bytes);
      const std::size_t at = StrictJson(json).first_error();
      ASSERT_EQ(at, std::string_view::npos)
          << static_cast<int>(writer) << ", " << static_cast<int>(schema) << ": "
          << json.substr(at < 200 ? 0 : at - 200, 400);
      const std::string truth_json = to_json(truth);
      EXPECT_EQ(StrictJson(truth_json).first_error(), std::string_view::npos) << truth_json;
      EXPECT_EQ(count_of("\"ph\":", json), truth.events);
    }
  }
}

TEST_F(GeneratedTrace, HasTheLayoutOfItsWriter) {
  PytorchOptions options = everything();
  const int64_t kineto_events = generate(options).events;
  EXPECT_EQ(count_of("\n  {\n", text()), kineto_events);
  options.writer = PytorchWriter::python_exporter;
  const int64_t exported_events = generate(options).events;
  EXPECT_EQ(count_of("\n{\"", text()), exported_events);
  EXPECT_EQ(count_of("\n", text()), exported_events + 1);
  options.writer = PytorchWriter::python_json;
  generate(options);
  EXPECT_EQ(count_of("\n", text()), 0);
  EXPECT_THAT(text(), StartsWith("{\"traceEvents\": ["));
  EXPECT_EQ(count_of("00, \"dur\"", text()), 0);  // 5.100 is 5.1
  options.indent = 4;
  const int64_t indented_events = generate(options).events;
  EXPECT_EQ(count_of("\n        {\n", text()), indented_events + 8);  // and GPUs
  options.writer = PytorchWriter::autograd;
  generate(options);
  EXPECT_THAT(text(), StartsWith("[{\"name\": \""));
  EXPECT_THAT(text(), EndsWith("}]"));
  EXPECT_THAT(text(), Not(HasSubstr("\"cat\": \"cpu_op\"")));
}

TEST_F(GeneratedTrace, HasTheVocabularyOfItsYear) {
  PytorchOptions options = everything();
  options.schema = PytorchSchema::v2021;
  generate(options);
  EXPECT_THAT(text(), HasSubstr("\"cat\": \"Operator\", \"name\": \"aten::addmm\""));
  EXPECT_THAT(text(), HasSubstr("\"tid\": \"stream 7\""));
  EXPECT_THAT(text(), Not(HasSubstr("evaluate_function")));
  EXPECT_THAT(text(), Not(::testing::ContainsRegex("\"ts\": [0-9]+\\.")));
  options.schema = PytorchSchema::v2026;
  options.sync_events = true;
  generate(options);
  for (const char* part :
       {"\"cat\": \"cuda_sync\", \"name\": \"Stream Wait Event\"", "\"wait_on_stream\": 7",
        "\"ph\": \"C\", \"name\": \"Queue Length\", \"pid\": 1", "\"cat\": \"cpu_op\"",
        "\"cat\": \"kernel\"", "\"baseTimeNanoseconds\": 1775001600000000000",
        "\"cat\": \"fwdbwd\"", "\"cat\": \"cuda_driver\"", "nn.Module: Linear_3", "[memory]",
        "\"Collective name\": \"allreduce\"", "10159970886766084423", "\"cat\": \"overhead\""}) {
    EXPECT_THAT(text(), HasSubstr(part));
  }
}

TEST_F(GeneratedTrace, RepeatsASeed) {
  PytorchOptions options = everything();
  const std::string first_truth = to_json(generate(options));
  const std::string first = text();
  EXPECT_EQ(to_json(generate(options)), first_truth);
  EXPECT_EQ(text(), first);
  options.seed = 2;
  generate(options);
  EXPECT_NE(text(), first);
}

TEST_F(GeneratedTrace, HasExactlyTheKernelsAskedFor) {
  for (const int64_t kernels : {300, 1'001, 4'000}) {
    PytorchOptions options;
    options.iterations = 3;
    options.kernels = kernels;
    options.cuda_graphs = kernels == 1'001;
    const PytorchTruth truth = generate(options);
    int64_t count = 0;
    for (const auto& [name, row] : truth.kernels) count += row.count;
    EXPECT_EQ(count, kernels);
    EXPECT_EQ(count_of("\"cat\": \"kernel\"", text()), kernels);
    EXPECT_EQ(std::ssize(truth.steps), 3);
  }
}

TEST_F(GeneratedTrace, HasAboutTheSizeAskedFor) {
  for (const int64_t bytes : {5'000'000, 20'000'000}) {
    PytorchOptions options;
    options.bytes = bytes;
    options.kernels = 1'000;
    const PytorchTruth truth = generate(options);
    EXPECT_NEAR(static_cast<double>(truth.raw_bytes), static_cast<double>(bytes), 300'000);
    EXPECT_EQ(static_cast<int64_t>(text().size()), truth.raw_bytes);
  }
}

// Kineto's layout: an event begins with a line "  {".
std::map<std::string, double> shares_of_bytes(std::string_view json) {
  std::map<std::string, int64_t> bytes;
  int64_t all = 0;
  constexpr std::string_view kBegin = "\n  {\n", kCategory = "\"cat\": \"";
  for (std::size_t at = json.find(kBegin); at != std::string_view::npos;) {
    const std::size_t next = json.find(kBegin, at + 1);
    const std::string_view event = json.substr(at, next == json.npos ? next : next - at);
    const std::size_t begin = event.find(kCategory);
    const std::string_view rest = begin == json.npos ? "" : event.substr(begin + kCategory.size());
    bytes[std::string(rest.substr(0, rest.find('"')))] += std::ssize(event);
    all += std::ssize(event);
    at = next;
  }
  std::map<std::string, double> percent;
  for (const auto& [category, count] : bytes) {
    percent[category] = 100.0 * static_cast<double>(count) / static_cast<double>(all);
  }
  return percent;
}

// The shares of real traces of trainings.
TEST_F(GeneratedTrace, HasTheMixOfRealTraces) {
  constexpr double kMostOff = 4;
  PytorchOptions options;  // iterations of default settings
  options.iterations = 2;
  options.kernels = 2'000;
  generate(options);
  std::map<std::string, double> percent = shares_of_bytes(text());
  EXPECT_NEAR(percent["cpu_op"], 36, kMostOff);
  EXPECT_NEAR(percent["cuda_runtime"] + percent["cuda_driver"], 21, kMostOff);
  EXPECT_NEAR(percent["kernel"], 20, kMostOff);
  EXPECT_NEAR(percent["ac2g"] + percent["fwdbwd"], 17, kMostOff);
  options.with_stack = true;
  generate(options);
  EXPECT_NEAR(shares_of_bytes(text())["python_function"], 53, kMostOff);
}

TEST_F(GeneratedTrace, OfAmdHasHipCallsAndDispatches) {
  PytorchOptions options = everything();
  options.gpu = PytorchGpu::amd;
  generate(options);
  for (const char* part :
       {"hipLaunchKernel", "hipExtModuleLaunchKernel", "\"kind\": \"Dispatch Kernel\"",
        "\"hip_runtime_version\": 60443483", "__amd_rocclr_copyBuffer", "\"Device Type\": 6"}) {
    EXPECT_THAT(text(), HasSubstr(part));
  }
  EXPECT_THAT(text(), Not(HasSubstr("cuda_driver")));
  EXPECT_THAT(text(), Not(HasSubstr("registers per thread")));
}

TEST_F(GeneratedTrace, RefusesWhatItCannotWrite) {
  PytorchOptions options;
  options.kernels = 20;
  EXPECT_THAT(error(options), HasSubstr("Too few kernels"));
  options = {};
  options.rank = 1;
  EXPECT_THAT(error(options), HasSubstr("Invalid --rank: 1"));
  EXPECT_THAT(error(options), HasSubstr("Valid values: 0 to 0"));
  options = {};
  options.indent = 9;
  EXPECT_THAT(error(options), HasSubstr("Invalid --indent: 9"));
  options = {};
  options.writer = PytorchWriter::python_exporter;
  options.schema = PytorchSchema::v2023;
  EXPECT_THAT(error(options), HasSubstr("--schema 2026"));
  options = {};
  options.gpu = PytorchGpu::amd;
  options.schema = PytorchSchema::v2023;
  EXPECT_THAT(error(options), HasSubstr("--schema 2024 or later"));
  options = {};
  options.sync_events = true;
  options.gpu = PytorchGpu::amd;
  EXPECT_THAT(error(options), HasSubstr("--sync-events"));
  options.gpu = PytorchGpu::nvidia;
  options.schema = PytorchSchema::v2021;
  EXPECT_THAT(error(options), HasSubstr("--schema 2023 or later"));
  options = {};
  options.bytes = -1;
  EXPECT_THAT(error(options), HasSubstr("--size"));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

// Twenty settings have each value of each option, and each table of the truth has rows.
TEST_F(GeneratedTrace, VariesAllSettings) {
  for (const uint64_t first : {testing::kTruthSeed, testing::kImportSeed}) {
    std::map<std::string, std::set<int64_t>> values;
    std::map<std::string, std::set<PytorchWriter>> writers;  // that have rows, by table
    for (uint64_t seed = first; seed < first + testing::kTraceSettings; ++seed) {
      const PytorchOptions options = any_trace_options(seed);
      const PytorchTruth truth = generate(options);
      values["iterations"].insert(std::min<int64_t>(options.iterations, 3));
      values["GPUs"].insert(std::min(options.gpus, 2));
      values["writer"].insert(static_cast<int64_t>(options.writer));
      values["schema"].insert(static_cast<int64_t>(options.schema));
      values["GPU"].insert(static_cast<int64_t>(options.gpu));
      values["shapes"].insert(options.record_shapes ? 1 : 0);
      values["stack"].insert(options.with_stack ? 1 : 0);
      values["memory"].insert(options.profile_memory ? 1 : 0);
      values["graphs"].insert(options.cuda_graphs ? 1 : 0);
      values["checkpointing"].insert(options.checkpointing ? 1 : 0);
      values["compiled"].insert(options.compiled ? 1 : 0);
      values["sync"].insert(options.sync_events ? 1 : 0);
      values["counters"].insert(options.counters ? 1 : 0);
      const auto add = [&](const char* table, const auto& rows) {
        if (!rows.empty()) writers[table].insert(options.writer);
      };
      add("ops", truth.ops);
      add("outer ops", truth.outer_ops);
      add("steps", truth.steps);
      add("kernels", truth.kernels);
      add("memcpys", truth.memcpys);
      add("memsets", truth.memsets);
      add("modules", truth.modules);
      add("memory", truth.memory);
      add("collectives", truth.collectives);
      add("links", truth.links);
      add("syncs", truth.syncs);
      add("overheads", truth.overheads);
      add("counters", truth.counters);
    }
    const std::map<std::string, std::size_t> counts{
        {"iterations", 4}, {"writer", 4}, {"schema", 4}};
    for (const auto& [option, found] : values) {
      const auto count = counts.find(option);
      EXPECT_EQ(found.size(), count == counts.end() ? 2U : count->second) << option << " " << first;
    }
    // The old autograd profiler writes host ops alone.
    for (const auto& [table, found] : writers) {
      const bool is_of_all = table == "ops" || table == "outer ops" || table == "steps";
      EXPECT_EQ(found.size(), is_of_all ? 4U : 3U) << table << " " << first;
    }
    EXPECT_EQ(writers.size(), 13U);
  }
}

// The script of the test data reads the file alone. All of its figures must be the truth's. It has
// none of synchronization, overhead and counters: these are added up beside it.
TEST_F(GeneratedTrace, HasTheTruthThatAnotherProgramFinds) {
  DLVIEW_REQUIRE_TEST_DATA();
  const std::filesystem::path script = *testing::test_data_folder() / "pytorch" / "expect.py";
  if (!std::filesystem::exists(script)) GTEST_SKIP() << script << " is missing";
  constexpr auto kSettings = static_cast<int>(testing::kTraceSettings);
  std::string commands = "set -e; ";
  for (int i = 0; i < kSettings; ++i) {
    const std::string name = fmt::format("trace{}.json{}", i, i % 5 == 3 ? ".gz" : "");
    const PytorchTruth truth =
        generate(any_trace_options(testing::kTruthSeed + static_cast<uint64_t>(i)), name.c_str());
    std::ofstream(path(fmt::format("truth{}.json", i).c_str())) << to_json(truth);
    commands += fmt::format("\"{}\" \"{}\" \"{}\" -o \"{}\" >/dev/null; ", DLVIEW_TEST_PYTHON,
                            script.string(), path(name.c_str()).string(),
                            path(fmt::format("found{}.json", i).c_str()).string());
  }
  std::ofstream(path("compare.py")) << R"(import collections, decimal, gzip, json, os, sys

def figures_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        trace = json.load(file, parse_float=decimal.Decimal)
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    waits = {"cuda_sync": {}, "overhead": {}}
    values = collections.defaultdict(list)
    for event in events:
        args = event.get("args", {})
        if event.get("ph") == "X" and event.get("cat") in waits:
            key = event["name"]
            if event["cat"] == "cuda_sync":
                key += "|%s|%s|%s" % (args["device"], args["stream"], args.get("wait_on_stream", 0))
            row = waits[event["cat"]].setdefault(key, {"count": 0, "total_ns": 0})
            row["count"] += 1
            row["total_ns"] += int(event["dur"] * 1000)
        if event.get("ph") == "C":
            for name, value in args.items():
                key = "%s|%s|%s" % (event["name"], name, event["pid"])
                values[key].append((int(event["ts"] * 1000), value))
    counters = {
        key: {"values": len(rows), "most": max(value for _, value in rows),
              "sum_ns": sum(value * (after - at) for (at, value), (after, _) in zip(rows, rows[1:]))}
        for key, rows in values.items()}
    return {"syncs": waits["cuda_sync"], "overheads": waits["overhead"], "counters": counters}

for i in range(int(sys.argv[2])):
    truth, found = (json.load(open("%s/%s%d.json" % (sys.argv[1], name, i))) for name in ("truth", "found"))
    path = "%s/trace%d.json" % (sys.argv[1], i)
    found.update(figures_of(path if os.path.exists(path) else path + ".gz"))
    for key in sorted(set(truth) | set(found)):
        if truth.get(key) != found.get(key):
            print("setting %d, %s: %.600s instead of %.600s" % (i, key, truth.get(key), found.get(key)))
)";
  commands += fmt::format("\"{}\" \"{}\" \"{}\" {}", DLVIEW_TEST_PYTHON,
                          path("compare.py").string(), folder_.path().string(), kSettings);
  EXPECT_EQ(testing::output_of(commands), "");
}

}  // namespace
}  // namespace dlview::generate
