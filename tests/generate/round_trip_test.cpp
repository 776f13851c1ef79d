// What is written is read back: the columns of a profile survive a DLProf database.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/reference/reference.h"
#include "generate/dlprof.h"
#include "import/open.h"
#include "support/random_profile.h"
#include "support/test_data.h"

namespace dlview::generate {
namespace {

using profile::Column;
using profile::Profile;
using profile::Row;

// A column of references, each replaced by what it stands for; row numbers and string ids may
// differ between two profiles that say the same.
std::vector<std::string_view> column_texts(const Profile& profile,
                                           const Column<profile::StringId>& ids) {
  std::vector<std::string_view> result;
  for (const auto id : ids) result.push_back(profile.text(id));
  return result;
}
std::vector<profile::Thread> threads(const Profile& profile, const Column<Row>& rows) {
  std::vector<profile::Thread> result;
  for (const Row row : rows) result.push_back(profile.threads[row]);
  return result;
}
template <typename T>
std::vector<T> values(const Column<T>& column) {
  return {column.begin(), column.end()};
}

#define EXPECT_SAME_TEXTS(column) \
  EXPECT_EQ(column_texts(a, a.column), column_texts(b, b.column)) << #column
#define EXPECT_SAME_VALUES(column) EXPECT_EQ(values(a.column), values(b.column)) << #column
#define EXPECT_SAME_THREADS(column) EXPECT_EQ(threads(a, a.column), threads(b, b.column)) << #column

void expect_equal_ops(const Profile& a, const Profile& b) {
  EXPECT_SAME_TEXTS(ops.id);
  EXPECT_SAME_TEXTS(ops.name);
  EXPECT_SAME_TEXTS(ops.type);
  EXPECT_SAME_TEXTS(ops.direction);
  EXPECT_SAME_TEXTS(ops.data_type);
  EXPECT_SAME_TEXTS(ops.data_format);
  EXPECT_SAME_TEXTS(ops.output_format);
  EXPECT_SAME_TEXTS(ops.parameters_format);
  EXPECT_SAME_TEXTS(ops.stack_trace);
  EXPECT_SAME_VALUES(ops.tensor_core_support);
  EXPECT_SAME_VALUES(ops.source_id);
  EXPECT_SAME_VALUES(instances.op);
  EXPECT_SAME_VALUES(instances.cpu_start_ns);
  EXPECT_SAME_VALUES(instances.cpu_stop_ns);
  EXPECT_SAME_THREADS(instances.thread);
  EXPECT_SAME_TEXTS(instances.input_names);
  EXPECT_SAME_TEXTS(instances.input_shapes);
  EXPECT_SAME_TEXTS(instances.output_names);
  EXPECT_SAME_TEXTS(instances.output_shapes);
  EXPECT_SAME_TEXTS(instances.parameters);
  EXPECT_SAME_VALUES(instances.source_id);
  EXPECT_SAME_VALUES(instances.first_kernel);
  EXPECT_SAME_VALUES(instances.first_memory_op);
  EXPECT_SAME_VALUES(instances.first_sync);
  EXPECT_SAME_VALUES(instances.first_api_call);
}

void expect_same_kernels(const Profile& a, const Profile& b) {
  EXPECT_SAME_VALUES(kernels.instance);
  EXPECT_SAME_TEXTS(kernels.name);
  EXPECT_SAME_TEXTS(kernels.long_name);
  EXPECT_SAME_VALUES(kernels.uses_tensor_cores);
  EXPECT_SAME_VALUES(kernels.api_start_ns);
  EXPECT_SAME_VALUES(kernels.api_stop_ns);
  EXPECT_SAME_VALUES(kernels.gpu_start_ns);
  EXPECT_SAME_VALUES(kernels.gpu_stop_ns);
  EXPECT_SAME_VALUES(kernels.source_id);
  ASSERT_EQ(a.kernels.size(), b.kernels.size());
  for (Row i = 0; i < a.kernels.size(); ++i) {
    const Row x = a.kernels.launch[i], y = b.kernels.launch[i];
    ASSERT_EQ(a.launches.grid[x], b.launches.grid[y]) << i;
    ASSERT_EQ(a.launches.block[x], b.launches.block[y]) << i;
    ASSERT_EQ(a.launches.device[x], b.launches.device[y]) << i;
    ASSERT_EQ(a.threads[a.launches.thread[x]], b.threads[b.launches.thread[y]]) << i;
  }
}

void expect_same_other_events(const Profile& a, const Profile& b) {
  EXPECT_SAME_VALUES(memory_ops.instance);
  EXPECT_SAME_VALUES(memory_ops.kind);
  EXPECT_SAME_TEXTS(memory_ops.name);
  EXPECT_SAME_VALUES(memory_ops.copy_kind);
  EXPECT_SAME_VALUES(memory_ops.bytes);
  EXPECT_SAME_VALUES(memory_ops.api_start_ns);
  EXPECT_SAME_VALUES(memory_ops.api_stop_ns);
  EXPECT_SAME_VALUES(memory_ops.gpu_start_ns);
  EXPECT_SAME_VALUES(memory_ops.gpu_stop_ns);
  EXPECT_SAME_VALUES(memory_ops.device);
  EXPECT_SAME_THREADS(memory_ops.thread);
  EXPECT_SAME_VALUES(memory_ops.source_id);
  EXPECT_SAME_VALUES(syncs.instance);
  EXPECT_SAME_TEXTS(syncs.name);
  EXPECT_SAME_VALUES(syncs.api_start_ns);
  EXPECT_SAME_VALUES(syncs.api_stop_ns);
  EXPECT_SAME_VALUES(syncs.sync_type);
  EXPECT_SAME_VALUES(syncs.event_id);
  EXPECT_SAME_VALUES(syncs.source_id);
  EXPECT_SAME_VALUES(api_calls.instance);
  EXPECT_SAME_TEXTS(api_calls.name);
  EXPECT_SAME_VALUES(api_calls.api_start_ns);
  EXPECT_SAME_VALUES(api_calls.api_stop_ns);
  EXPECT_SAME_THREADS(api_calls.thread);
  EXPECT_SAME_VALUES(api_calls.source_id);
}

void expect_same_facts(const Profile& a, const Profile& b) {
  EXPECT_EQ(a.last_ns, b.last_ns);
  EXPECT_EQ(a.system.framework, b.system.framework);
  EXPECT_EQ(a.system.original_command, b.system.original_command);
  EXPECT_EQ(a.system.database_version, b.system.database_version);
  EXPECT_EQ(a.system.model_config.has_value(), b.system.model_config.has_value());
  ASSERT_EQ(a.devices.size(), b.devices.size());
  for (std::size_t i = 0; i < a.devices.size(); ++i) {
    EXPECT_EQ(a.devices[i].source_id, b.devices[i].source_id);
    EXPECT_EQ(a.devices[i].device_id, b.devices[i].device_id);
    EXPECT_EQ(a.devices[i].name, b.devices[i].name);
    EXPECT_EQ(a.devices[i].memory_used_bytes, b.devices[i].memory_used_bytes);
  }
}

Profile written_and_read(const Profile& profile,
                         const std::vector<aggregate::Aggregation>& aggregations) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "profile.sqlite";
  base::Progress progress;
  const base::Status written = write_dlprof_database(profile, aggregations, path, progress);
  EXPECT_TRUE(written.ok()) << (written.ok() ? "" : base::to_text(written.error()));
  auto opened = import::open_profile(path, progress);
  if (opened.ok()) return *std::move(opened);
  ADD_FAILURE() << base::to_text(opened.error());
  return {};
}

TEST(RoundTrip, GivesTheDemoBackColumnByColumn) {
  for (const Framework framework : {Framework::pytorch, Framework::tensorflow}) {
    SCOPED_TRACE(static_cast<int>(framework));
    base::Progress progress;
    auto made = make_demo_profile({20, 4'000, 3, framework, 11}, progress);
    ASSERT_TRUE(made.ok());
    const auto profile = std::make_shared<const Profile>(*std::move(made));
    const auto reference = aggregate::make_reference_aggregator(profile);
    aggregate::Selection selection;
    selection.cut.key_op = demo_key_op(framework);
    selection.range = {0, 20};
    const Profile read = written_and_read(*profile, {reference->aggregate(selection)});
    expect_equal_ops(*profile, read);
    expect_same_kernels(*profile, read);
    expect_same_other_events(*profile, read);
    expect_same_facts(*profile, read);
    EXPECT_TRUE(read.quality.empty());
    ASSERT_EQ(read.stored_aggregations.size(), 1u);
    EXPECT_EQ(read.stored_aggregations[0].key_op, demo_key_op(framework));
    EXPECT_EQ(read.stored_aggregations[0].iterations.size(), 21u);
  }
}

TEST(RoundTrip, KeepsTheNumbersOfRandomProfiles) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    testing::RandomProfileOptions options;
    options.seed = seed;
    options.processes = 1 + static_cast<int>(seed % 2);
    const auto profile = std::make_shared<const Profile>(testing::random_profile(options));
    aggregate::Selection selection;
    selection.cut.key_op = testing::kRandomKeyOp;
    selection.range = {1, 5};
    const auto before = aggregate::make_reference_aggregator(profile)->aggregate(selection);
    const auto read = std::make_shared<const Profile>(written_and_read(*profile, {before}));
    EXPECT_TRUE(read->quality.empty());
    const auto after = aggregate::make_reference_aggregator(read)->aggregate(selection);
    EXPECT_EQ(*before.iteration_table, *after.iteration_table);
    EXPECT_EQ(before.breakdown, after.breakdown);
    EXPECT_EQ(before.devices, after.devices);
    EXPECT_EQ(before.all_ops, after.all_ops);
    EXPECT_EQ(before.tensor_core_ops, after.tensor_core_ops);
    EXPECT_EQ(before.eligible_ops, after.eligible_ops);
    EXPECT_EQ(before.all_kernels, after.all_kernels);
    EXPECT_EQ(before.memory, after.memory);
    EXPECT_EQ(before.model_times, after.model_times);
    EXPECT_EQ(before.groups, after.groups);
  }
}

}  // namespace
}  // namespace dlview::generate
