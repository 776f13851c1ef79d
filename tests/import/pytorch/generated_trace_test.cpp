// Synthetic PyTorch traces against the truth of their generator, which a test of the generator
// compares with expect.py.

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "generate/pytorch_settings.h"
#include "import/pytorch/trace_figures.h"
#include "support/test_data.h"

namespace dlview::import::pytorch {
namespace {

using profile::Profile;
using profile::Row;

// What the names of writer D tell, which has no categories: expect.py has no ops there.
void add_figures_of_names(const generate::PytorchTruth& truth, Json& expected) {
  for (const auto& [name, row] : truth.ops) {
    expected["ops"][name] = {{"calls", row.calls},
                             {"host_total_ns", row.host_total_ns},
                             {"host_self_ns", row.host_self_ns}};
  }
  for (const auto& [key, row] : truth.outer_ops) {
    expected["outer_ops"][key]["calls"] = row.calls;
    expected["outer_ops"][key]["host_ns"] = row.host_ns;
  }
  for (std::size_t i = 0; i < truth.steps.size(); ++i) {
    const generate::PytorchTruth::Step& step = truth.steps[i];
    if (!step.name) continue;
    expected["steps"][i] = {{"name", *step.name},         {"start_ns", step.start_ns},
                            {"range_ns", *step.range_ns}, {"window_ns", step.window_ns},
                            {"launched", Json::object()}, {"devices", Json::object()}};
  }
}

using generate::PytorchTruth;

std::map<std::string, PytorchTruth::Wait> syncs_of(const Profile& profile) {
  std::map<std::string, PytorchTruth::Wait> rows;
  const profile::TraceSyncEvents& syncs = profile.trace->sync_events;
  for (Row i = 0; i < syncs.size(); ++i) {
    const int64_t waits_for = syncs.waits_for_stream[i];
    PytorchTruth::Wait& row =
        rows[fmt::format("{}|{}|{}|{}", profile.text(syncs.name[i]), syncs.device_id[i],
                         syncs.stream[i], waits_for == kNoValue ? 0 : waits_for)];
    ++row.count;
    row.total_ns += syncs.end_ns[i] - syncs.start_ns[i];
  }
  return rows;
}

std::map<std::string, PytorchTruth::Wait> overheads_of(const Profile& profile) {
  std::map<std::string, PytorchTruth::Wait> rows;
  const profile::TraceOverheads& overheads = profile.trace->overheads;
  for (Row i = 0; i < overheads.size(); ++i) {
    PytorchTruth::Wait& row = rows[std::string(profile.text(overheads.name[i]))];
    ++row.count;
    row.total_ns += overheads.end_ns[i] - overheads.start_ns[i];
  }
  return rows;
}

std::map<std::string, PytorchTruth::Counter> counters_of(const Profile& profile) {
  std::map<std::string, PytorchTruth::Counter> rows;
  const profile::TraceCounters& counters = profile.trace->counters;
  for (std::size_t i = 0; i < counters.series.size(); ++i) {
    const profile::TraceCounters::Series& series = counters.series[i];
    const std::size_t end =
        i + 1 < counters.series.size() ? counters.series[i + 1].first : counters.size();
    PytorchTruth::Counter& row =
        rows[fmt::format("{}|{}|{}", series.counter, series.value, series.process)];
    EXPECT_EQ(series.device, std::stoll(series.process));
    for (std::size_t at = series.first; at < end; ++at) {
      const auto value = static_cast<int64_t>(counters.value[at]);
      ++row.values;
      row.most = std::max(row.most, value);
      if (at + 1 < end) row.sum_ns += value * (counters.time_ns[at + 1] - counters.time_ns[at]);
    }
  }
  return rows;
}

// Settings by their seeds.
class GeneratedPytorchTrace : public TraceFigures, public ::testing::WithParamInterface<uint64_t> {
 protected:
  testing::TemporaryFolder folder_;
};

TEST_P(GeneratedPytorchTrace, HasTheFiguresOfItsTruth) {
  const generate::PytorchOptions options = testing::any_trace_options(GetParam());
  const std::filesystem::path path =
      folder_.path() / (GetParam() % 5 == 3 ? "trace.json.gz" : "trace.json");
  base::Progress progress;
  const auto truth = generate::generate_pytorch(path, options, progress);
  ASSERT_TRUE(truth) << base::to_text(truth.error());
  Json expected = Json::parse(generate::to_json(*truth));
  if (!truth->has_categories) add_figures_of_names(*truth, expected);
  ASSERT_NO_FATAL_FAILURE(open(path, std::move(expected)));
  recomputes_ = options.checkpointing;
  has_categories_ = truth->has_categories;
  check();
  // AMD's launches have what its kernels lack, and count blocks or threads.
  std::map<std::string, int64_t> blocks, blocks_of_truth;
  const profile::TraceKernels& kernels = profile_.trace->kernels;
  for (Row i = 0; i < kernels.size() && !kernels.grid.empty(); ++i) {
    blocks[std::string(profile_.text(kernels.demangled_name[i]))] += kernels.grid[i].x;
  }
  for (const auto& [name, row] : truth->kernels) blocks_of_truth[name] = row.blocks;
  EXPECT_EQ(blocks, blocks_of_truth);
  EXPECT_TRUE(syncs_of(profile_) == truth->syncs);
  EXPECT_TRUE(overheads_of(profile_) == truth->overheads);
  EXPECT_TRUE(counters_of(profile_) == truth->counters);
}

INSTANTIATE_TEST_SUITE_P(, GeneratedPytorchTrace,
                         ::testing::Range(testing::kImportSeed,
                                          testing::kImportSeed + testing::kTraceSettings));

}  // namespace

}  // namespace dlview::import::pytorch
