// Every column of the raw tables arrives where profile.h says.
#include "import/dlprof/load.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "import/test_database.h"

namespace dlview::import::dlprof {
namespace {

using profile::CopyKind;
using profile::Dim3;
using profile::MemoryOpKind;
using profile::Profile;
using profile::Row;
using profile::TensorCoreSupport;

using Load = testing::DlprofTest;

TEST_F(Load, TheSourceIsDescribed) {
  const Profile p = open_with("");
  EXPECT_EQ(p.source.path, path().string());
  EXPECT_EQ(p.source.format, "DLProf 1.8.0");
  EXPECT_EQ(p.source.file_bytes, static_cast<int64_t>(std::filesystem::file_size(path())));
  EXPECT_TRUE(p.quality.empty());
}

TEST_F(Load, SystemFactsAreTakenAsTheyAre) {
  const Profile p = open_with("");
  EXPECT_EQ(p.system.database_version, "1.8.0");
  EXPECT_EQ(p.system.original_database_version, "1.7.0");
  EXPECT_EQ(p.system.gpu_count, "2");
  EXPECT_EQ(p.system.cpu_model, "a processor");
  EXPECT_EQ(p.system.driver_version, "515.43");
  EXPECT_EQ(p.system.framework, "PyTorch 1.10");
  EXPECT_EQ(p.system.cuda_version, "11.7");
  EXPECT_EQ(p.system.cudnn_version, "8.2");
  EXPECT_EQ(p.system.nsys_version, "2022.1");
  EXPECT_EQ(p.system.dlprof_version, "v1.8.0");
  EXPECT_EQ(p.system.dlprof_build, "29839685");
  EXPECT_EQ(p.system.profile_name, "my run");
  EXPECT_EQ(p.system.mode, "pytorch");
  EXPECT_EQ(p.system.mode_enum, 4);
  EXPECT_EQ(p.system.original_command, "dlprof train.py");
  EXPECT_EQ(p.system.domain, "default-domain");
}

TEST_F(Load, TheModelConfigurationKeepsEveryFlag) {
  const Profile p = open_with("");
  ASSERT_TRUE(p.system.model_config.has_value());
  EXPECT_EQ(p.system.model_config->num_workers, 3);
  EXPECT_TRUE(p.system.model_config->pin_memory);
  EXPECT_TRUE(p.system.model_config->cudnn_benchmark_disabled);
  EXPECT_FALSE(p.system.model_config->detect_anomaly);
  EXPECT_TRUE(p.system.model_config->emit_nvtx);
  EXPECT_FALSE(p.system.model_config->amp_enabled);
}

TEST_F(Load, DevicesAreInOrderOfTheirOrdinalAndKeepTheirMemory) {
  const Profile p = open_with("");
  ASSERT_EQ(p.devices.size(), 2U);
  EXPECT_EQ(p.devices[0].device_id, 0);
  EXPECT_EQ(p.devices[0].source_id, 2);
  EXPECT_EQ(p.devices[0].name, "first");
  EXPECT_EQ(p.devices[0].compute_capability_major, 7);
  EXPECT_EQ(p.devices[0].compute_capability_minor, 5);
  EXPECT_EQ(p.devices[0].sm_count, 40);
  EXPECT_EQ(p.devices[0].memory_total_bytes, 1000);
  EXPECT_EQ(p.devices[0].memory_used_bytes, 100);
  EXPECT_EQ(p.devices[1].device_id, 1);
  EXPECT_EQ(p.devices[1].memory_total_bytes, 2000);
}

TEST_F(Load, GpuMemoryOfZeroIsNotRecorded) {
  const Profile p = open_with("UPDATE gpu_memories SET total = 0, used = 0 WHERE id = 2;");
  EXPECT_FALSE(p.devices[0].memory_total_bytes.has_value());
  EXPECT_FALSE(p.devices[0].memory_used_bytes.has_value());
  EXPECT_EQ(p.devices[1].memory_used_bytes, 200);
}

TEST_F(Load, OpsCarryTheirTexts) {
  const Profile p = open_with("");
  ASSERT_EQ(p.ops.size(), 2U);
  EXPECT_EQ(p.text(p.ops.id[0]), "CONV2D_1");
  EXPECT_EQ(p.text(p.ops.name[0]), "/net/conv2d");
  EXPECT_EQ(p.text(p.ops.type[0]), "conv2d");
  EXPECT_EQ(p.text(p.ops.direction[0]), "fprop");
  EXPECT_EQ(p.text(p.ops.data_type[0]), "float32");
  EXPECT_EQ(p.text(p.ops.data_format[0]), "N,C,H,W;K,C,R,S");
  EXPECT_EQ(p.text(p.ops.output_format[0]), "");
  EXPECT_EQ(p.text(p.ops.parameters_format[0]), "");
  EXPECT_EQ(p.text(p.ops.stack_trace[0]), "train.py:35");
  EXPECT_EQ(p.ops.tensor_core_support[0], TensorCoreSupport::eligible);
  EXPECT_EQ(p.ops.tensor_core_support[1], TensorCoreSupport::none);
  EXPECT_EQ(p.ops.source_id[1], 2);
}

TEST_F(Load, InstancesKeepTimesThreadsAndShapes) {
  const Profile p = open_with("");
  ASSERT_EQ(p.instances.size(), 3U);
  EXPECT_EQ(p.instances.op[1], 1U);
  EXPECT_EQ(p.instances.cpu_start_ns[1], 3000);
  EXPECT_EQ(p.instances.cpu_stop_ns[1], 4000);
  EXPECT_EQ(p.threads[p.instances.thread[0]], (profile::Thread{70, 71}));
  EXPECT_EQ(p.threads[p.instances.thread[1]], (profile::Thread{70, 72}));
  EXPECT_EQ(p.text(p.instances.input_shapes[0]), "[[1,3,32,32]]\n");
  EXPECT_EQ(p.text(p.instances.input_names[0]), "");
  EXPECT_EQ(p.text(p.instances.output_names[0]), "null\n");
  EXPECT_EQ(p.text(p.instances.output_shapes[0]), "null\n");
  EXPECT_EQ(p.text(p.instances.parameters[0]), "null\n");
  EXPECT_EQ(p.last_ns, 6000);
}

TEST_F(Load, KernelsBelongToTheInstanceThatTheirIndexNames) {
  const Profile p = open_with("");
  ASSERT_EQ(p.kernels.size(), 2U);
  EXPECT_EQ(p.kernels.instance[0], 0U);
  EXPECT_EQ(p.kernels.instance[1], 2U);  // instance 1 of op 1 is the third in time
  EXPECT_EQ(p.text(p.kernels.name[1]), "gemm");
  EXPECT_EQ(p.text(p.kernels.long_name[1]), "void gemm<float>()");
  EXPECT_EQ(p.kernels.uses_tensor_cores[0], 0);
  EXPECT_EQ(p.kernels.uses_tensor_cores[1], 1);
  EXPECT_EQ(p.kernels.api_start_ns[1], 5100);
  EXPECT_EQ(p.kernels.api_stop_ns[1], 5150);
  EXPECT_EQ(p.kernels.gpu_start_ns[1], 5200);
  EXPECT_EQ(p.kernels.gpu_stop_ns[1], 5600);
  const Row launch = p.kernels.launch[1];
  EXPECT_EQ(p.launches.grid[launch], (Dim3{8, 2, 1}));
  EXPECT_EQ(p.launches.block[launch], (Dim3{128, 1, 1}));
  EXPECT_EQ(p.devices[p.device_of_kernel(profile::KernelIndex{1})].device_id, 1);
  EXPECT_EQ(p.threads[p.launches.thread[launch]].thread_id, 71);
}

TEST_F(Load, MemoryOperationsKeepKindAndBytes) {
  const Profile p = open_with("");
  ASSERT_EQ(p.memory_ops.size(), 2U);
  EXPECT_EQ(p.memory_ops.kind[0], MemoryOpKind::memset);
  EXPECT_EQ(p.memory_ops.bytes[0], 512);
  EXPECT_EQ(p.memory_ops.copy_kind[0], CopyKind::unknown);
  EXPECT_EQ(p.memory_ops.kind[1], MemoryOpKind::memcpy);
  EXPECT_EQ(p.memory_ops.copy_kind[1], CopyKind::host_to_device);
  EXPECT_EQ(p.memory_ops.bytes[1], 4096);
  EXPECT_EQ(p.text(p.memory_ops.name[1]), "cudaMemcpyAsync");
  EXPECT_EQ(p.memory_ops.api_start_ns[1], 3100);
  EXPECT_EQ(p.memory_ops.gpu_stop_ns[1], 3300);
  EXPECT_EQ(p.devices[p.memory_ops.device[1]].device_id, 0);
  EXPECT_EQ(p.threads[p.memory_ops.thread[1]].thread_id, 72);
}

TEST_F(Load, SyncsAndApiCallsAreKept) {
  const Profile p = open_with("");
  ASSERT_EQ(p.syncs.size(), 1U);
  EXPECT_EQ(p.text(p.syncs.name[0]), "cudaStreamSynchronize");
  EXPECT_EQ(p.syncs.sync_type[0], 3);
  EXPECT_EQ(p.syncs.event_id[0], 4294967295);
  EXPECT_EQ(p.syncs.api_stop_ns[0] - p.syncs.api_start_ns[0], 100);
  ASSERT_EQ(p.api_calls.size(), 1U);
  EXPECT_EQ(p.text(p.api_calls.name[0]), "cudaEventQuery");
  EXPECT_EQ(p.api_calls.instance[0], 2U);
}

// Instances are counted in order of their ids, even when that is not the order of their times.
TEST_F(Load, TheIndexOfAnInstanceFollowsIdsNotTimes) {
  const Profile p = open_with(
      "UPDATE read_only_op_instances SET cpu_start = 9000, cpu_stop = 9999 WHERE id = 1;");
  EXPECT_EQ(p.instances.source_id[2], 1);
  for (std::size_t k = 0; k < p.kernels.size(); ++k) {
    const int64_t instance_id = p.instances.source_id[p.kernels.instance[k]];
    EXPECT_EQ(instance_id, p.kernels.source_id[k] == 1 ? 1 : 3);
  }
}

TEST_F(Load, IdsMayHaveGapsAndBeHuge) {
  const Profile p = open_with(
      "UPDATE read_only_ops SET id = 4000000000000 WHERE id = 1;"
      "UPDATE read_only_op_instances SET read_only_ops_id = 4000000000000 WHERE "
      "read_only_ops_id = 1;"
      "UPDATE read_only_kernels SET read_only_ops_id = 4000000000000;"
      "UPDATE read_only_memsets SET read_only_ops_id = 4000000000000;"
      "UPDATE read_only_cuda_calls SET read_only_ops_id = 4000000000000;"
      "UPDATE dictionary SET id = -5 WHERE id = 9;"
      "UPDATE read_only_kernels SET name_id = -5;");
  EXPECT_TRUE(p.quality.empty());
  ASSERT_EQ(p.kernels.size(), 2U);
  EXPECT_EQ(p.text(p.kernels.name[0]), "gemm");
}

// Columns declared STRING store an op called 1e5 as the number 100000; op ids are read elsewhere.
TEST_F(Load, OpIdsThatLookLikeNumbersKeepTheirText) {
  const Profile p = open_with(
      "UPDATE dictionary SET string = '1e5' WHERE id = 2;"
      "UPDATE read_only_ops SET op_id = '1e5', op_name = '1e5', stack_trace = '007' WHERE id = 1;"
      "UPDATE read_only_ops SET op_name = '1' WHERE id = 2;");
  EXPECT_EQ(p.text(p.ops.id[0]), "1e5");
  EXPECT_EQ(p.text(p.ops.name[0]), "100000");
  EXPECT_EQ(p.text(p.ops.name[1]), "1");
  EXPECT_TRUE(p.quality.empty());
}

TEST_F(Load, ForeignTablesAndViewsAreIgnored) {
  const Profile p = open_with(
      "CREATE TABLE my_view_op_nodes(x); CREATE VIEW view_kernels AS SELECT * FROM nowhere;");
  EXPECT_EQ(p.kernels.size(), 2U);
}

}  // namespace
}  // namespace dlview::import::dlprof
