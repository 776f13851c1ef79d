// Real PyTorch traces against what expect.py, a program of its own, computes from them. For six
// sets of traces it is stored; for the others the test runs the program.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "import/pytorch/trace_figures.h"
#include "support/test_data.h"
#include "support/tools.h"

namespace dlview::import::pytorch {
namespace {

namespace fs = std::filesystem;

fs::path traces_folder() {
  return *testing::test_data_folder() / "pytorch";
}

struct RealTrace {
  std::string file;
  std::string stored = {};  // name of a file of expected/; empty = the test runs expect.py
  int rank = -1;            // in a stored file of several ranks
};

std::ostream& operator<<(std::ostream& out, const RealTrace& trace) {
  return out << trace.file;
}

std::vector<RealTrace> traces_with_figures() {
  const std::map<std::string, RealTrace> stored{
      {"hta_with_gpu_user_annotation.json.gz", {"", "hta_with_gpu_user_annotation"}},
      {"kineto_resnet50_workers0_2021-06.pt.trace.json.gz",
       {"", "kineto_resnet50_workers0_2021-06"}},
      {"param_dlrm_rank0.pt.trace.json.gz", {"", "param_dlrm_ranks_0_1", 0}},
      {"param_dlrm_rank1.pt.trace.json.gz", {"", "param_dlrm_ranks_0_1", 1}},
      {"tracelens_h100_bert-small.json.gz", {"", "tracelens_h100_bert-small"}},
      {"tracelens_mi300_ddp_resnet18.json.gz", {"", "tracelens_mi300_ddp_resnet18"}},
      {"tracelens_vllm_decode_graph.json.gz", {"", "tracelens_vllm_decode_graph"}},
  };
  if (!testing::test_data_folder()) return {{"no test data"}};
  std::vector<RealTrace> traces;
  for (const fs::directory_entry& entry : fs::directory_iterator(traces_folder())) {
    const std::string file = entry.path().filename().string();
    if (!entry.is_regular_file() || file.find(".json") == std::string::npos) continue;
    const auto known = stored.find(file);
    traces.push_back(known == stored.end() ? RealTrace{} : known->second);
    traces.back().file = file;
  }
  std::ranges::sort(traces, {}, &RealTrace::file);
  return traces;
}

Json expected_of(const RealTrace& trace) {
  testing::TemporaryFolder folder;
  fs::path file = folder.path() / "expected.json";
  if (!trace.stored.empty()) {
    file = traces_folder() / "expected" / (trace.stored + ".json");
  } else {
    const std::string python = std::string(DLVIEW_TEST_PYTHON) + " ";
    fs::path read = traces_folder() / trace.file;
    if (trace.file.find("mtia") != std::string::npos) {
      const fs::path rewritten = folder.path() / "trace.json";
      testing::output_of(python + DLVIEW_SOURCE_DIR + "/tests/import/pytorch/mtia_words.py " +
                         read.string() + " " + rewritten.string());
      read = rewritten;
    }
    testing::output_of(python + (traces_folder() / "expect.py").string() + " " + read.string() +
                       " -o " + file.string());
  }
  std::ifstream in(file);
  Json found = Json::parse(in);
  return trace.rank < 0 ? found : found["ranks"][static_cast<std::size_t>(trace.rank)];
}

class RealPytorchTrace : public TraceFigures, public ::testing::WithParamInterface<RealTrace> {};

TEST_P(RealPytorchTrace, HasTheExpectedFigures) {
  DLVIEW_REQUIRE_TEST_DATA();
  ASSERT_NO_FATAL_FAILURE(open(traces_folder() / GetParam().file, expected_of(GetParam())));
  check();
}

INSTANTIATE_TEST_SUITE_P(, RealPytorchTrace, ::testing::ValuesIn(traces_with_figures()),
                         [](const auto& trace) {
                           std::string name = testing::test_name_of(trace.param.file);
                           std::ranges::replace_if(
                               name, [](char c) { return std::isalnum(c) == 0 && c != '_'; }, '_');
                           return name;
                         });

}  // namespace

}  // namespace dlview::import::pytorch
