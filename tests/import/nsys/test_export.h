// A small Nsight Systems export for tests, and the means to break single things in it: processes 70
// and 80 run one kernel each under the same correlation id, process 70 on the second GPU and
// process 80 on the first; one row in each other table of events.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "import/test_database.h"

namespace dlview::testing {

inline constexpr const char* kExportSchema = R"(
CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE ThreadNames(nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE ANALYSIS_DETAILS(globalVid INTEGER NOT NULL, duration INTEGER NOT NULL,
  startTime INTEGER NOT NULL, stopTime INTEGER NOT NULL);
CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE TARGET_INFO_SYSTEM_ENV(globalVid INTEGER, devStateName TEXT, name TEXT,
  nameEnum INTEGER, value TEXT);
CREATE TABLE TARGET_INFO_GPU(vmId INTEGER, id INTEGER, name TEXT, busLocation TEXT, uuid TEXT,
  cuDevice INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER,
  smCount INTEGER, computeMajor INTEGER, computeMinor INTEGER);
CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER, cudaId INTEGER, pid INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER,
  contextId INTEGER, greenContextId INTEGER, streamId INTEGER, correlationId INTEGER,
  globalPid INTEGER, demangledName INTEGER, shortName INTEGER, mangledName INTEGER,
  registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER,
  blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER,
  graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER,
  contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER,
  copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INTEGER, end INTEGER, deviceId INTEGER,
  contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, value INTEGER,
  bytes INTEGER, memKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start INTEGER, end INTEGER, deviceId INTEGER,
  contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER,
  eventId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INTEGER, end INTEGER, deviceId INTEGER,
  contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER,
  graphExecId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, eventClass INTEGER,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER,
  callchainId INTEGER);
CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER,
  category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER,
  textId INTEGER, domainId INTEGER);
CREATE TABLE OSRT_API(start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);
CREATE TABLE MPI_OTHER_EVENTS(start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER);
)";

// A process or thread as Nsight Systems numbers it.
inline constexpr int64_t exported_id(int64_t process, int64_t thread = 0) {
  return (int64_t{1} << 48) + (process << 24) + thread;
}

// "70/71" of threads, "70/0" of processes; "none" without.
inline std::vector<std::string> numbers_of(const profile::Trace& trace,
                                           const profile::Column<profile::ThreadId>& threads) {
  std::vector<std::string> texts;
  for (const profile::ThreadId id : threads) {
    const profile::Thread numbers = trace.numbers_of(id);
    texts.push_back(id == profile::kNoValue ? "none"
                                            : std::to_string(numbers.process_id) + "/" +
                                                  std::to_string(numbers.thread_id));
  }
  return texts;
}

inline std::string export_rows() {
  const std::string p70 = std::to_string(exported_id(70)),
                    t70 = std::to_string(exported_id(70, 71));
  const std::string p80 = std::to_string(exported_id(80)),
                    t80 = std::to_string(exported_id(80, 81));
  return "INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_VERSION', '2026.2.1.210'),"
         "  ('EXPORT_PARAM_TIME_NORMALIZE', 'false');"
         "INSERT INTO StringIds VALUES(0, ''), (1, 'gemm'), (2, 'void gemm<float>()'), (3, "
         "'_Z4gemm'),"
         "  (4, 'cudaLaunchKernel_v7000'), (5, 'forward'), (6, 'read'), (7, 'MPI_Barrier'),"
         "  (8, 'python'), (9, 'unused');"
         "INSERT INTO PROCESSES VALUES(" +
         p70 + ", 70, 'rank0'), (" + p80 +
         ", 80, 'rank1');"
         "INSERT INTO ThreadNames VALUES(8, 20, " +
         t70 + "), (8, 20, " + t80 +
         ");"
         "INSERT INTO ANALYSIS_DETAILS VALUES(281474976710656, 9000, 100, 9100);"
         "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(1779782330176752435, 'u', 'l');"
         "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES(1, 's', 'NvDriverVersion', 205, '535.129.03'),"
         "  (1, 's', 'CudaDriverVersion', 611, '12080'), (1, 's', 'CpuDescription', 13, 'Xeon'),"
         "  (1, 's', 'OsDescription', 605, 'Debian 12'),"
         "  (1, 's', 'DeviceEnvironment', 610, 'TOKEN=secret');"
         "INSERT INTO TARGET_INFO_GPU VALUES"
         "  (0, 1, 'NVIDIA B', '0000:43:00.0', 'u1', 1, 2000, 2, 20, 132, 9, 0),"
         "  (0, 0, 'NVIDIA A', '0000:1b:00.0', 'u0', 0, 1000, 1, 10, 108, 8, 0);"
         "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(1, 0, 70), (0, 0, 80);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
         "  (1200, 1500, 0, 1, NULL, 7, 42, " +
         p70 +
         ", 2, 1, 3, 32, 8, 2, 1, 128, 1, 1, 16, 64, NULL),"
         "  (1300, 1700, 0, 1, NULL, 7, 42, " +
         p80 +
         ", 2, 1, 3, 32, 8, 2, 1, 128, 1, 1, 16, 64, 5);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
         "  (2200, 2300, 0, 1, 7, 43, " +
         p70 +
         ", 4096, 1, 0, 2);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES"
         "  (2400, 2450, 0, 1, 7, 44, " +
         p70 +
         ", 0, 512, 2);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
         "  (2500, 2600, 0, 1, 7, 45, " +
         p70 +
         ", 3, 4294967295);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES"
         "  (3000, 4000, 0, 1, 7, 46, " +
         p70 +
         ", 5, 6);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
         "  (1100, 1150, 0, " +
         t70 + ", 42, 4, 0, NULL), (1110, 1160, 0, " + t80 +
         ", 42, 4, 0, NULL);"
         "INSERT INTO NVTX_EVENTS VALUES"
         "  (-5000, NULL, 75, NULL, NULL, NULL, 'cuBLAS', " +
         t70 +
         ", NULL, NULL, 1),"
         "  (-5000, NULL, 39, NULL, NULL, NULL, 'MPI Rank 0', " +
         t70 +
         ", NULL, NULL, 0),"
         "  (1000, 2000, 59, NULL, NULL, NULL, 'step 1', " +
         t70 +
         ", NULL, NULL, 0),"
         "  (1050, 1900, 59, NULL, NULL, NULL, NULL, " +
         t70 +
         ", NULL, 5, 1),"
         "  (1500, NULL, 34, NULL, 3, 4278255360, 'mark', " +
         t70 +
         ", NULL, NULL, 0),"
         "  (1600, 1650, 60, 9, NULL, NULL, 'started', " +
         t70 + ", " + t80 +
         ", NULL, 0),"
         "  (1700, 1800, 59, NULL, NULL, NULL, NULL, " +
         t70 +
         ", NULL, NULL, 0);"
         "INSERT INTO OSRT_API VALUES(2700, 2800, " +
         t70 +
         ", 6);"
         "INSERT INTO MPI_OTHER_EVENTS VALUES(2900, 2950, " +
         t70 + ", 7);";
}

inline std::filesystem::path write_export(const std::filesystem::path& path,
                                          const std::string& changes = "") {
  TestDatabase database(path);
  database.execute(std::string("BEGIN;") + kExportSchema + export_rows() + "COMMIT;");
  database.execute(changes);
  return path;
}

template <typename T>
std::vector<T> list(const profile::Column<T>& column) {
  return {column.begin(), column.end()};
}

// Tests that write one export and look at the profile that comes out of it.
class ExportTest : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "run.sqlite"; }

  // The profile of the test export after some SQL; one with an empty trace if it cannot be opened.
  profile::Profile open_with(const std::string& changes = "") {
    base::Result<profile::Profile> result = open_for_test(write_export(path(), changes));
    EXPECT_TRUE(result.ok()) << error_of(result);
    if (result) return std::move(*result);
    profile::Profile profile;
    profile.trace.emplace();
    return profile;
  }

  base::Error error_with(const std::string& changes) {
    const base::Result<profile::Profile> result = open_for_test(write_export(path(), changes));
    EXPECT_FALSE(result.ok());
    return result ? base::Error{} : result.error();
  }

  TemporaryFolder folder_;
};

}  // namespace dlview::testing
