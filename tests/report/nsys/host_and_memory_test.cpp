// MPI, OS runtime and unified memory, which no real file at hand has: an export with planted events
// and near misses.

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "import/nsys/test_export.h"
#include "report/nsys/csv.h"
#include "report/nsys/reports.h"
#include "support/test_data.h"

namespace dlview::report::nsys {
namespace {

// Of the schema of 2022. Addresses 0x7F0000000000 and, behind it, 0x7F0000200000.
constexpr const char* kUnifiedMemory = R"sql(
ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY ADD COLUMN virtualAddress INTEGER;
CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS(start INTEGER, globalPid INTEGER, address INTEGER,
  originalFaultPc INTEGER, CpuInstruction INTEGER, module INTEGER, unresolvedFaultPc INTEGER);
CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS(start INTEGER, end INTEGER, globalPid INTEGER,
  deviceId INTEGER, address INTEGER, numberOfPageFaults INTEGER, faultAccessType INTEGER);
INSERT INTO StringIds VALUES(20, 'initWith(float*)'), (21, 'check(float*)');
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY
  (start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind,
   virtualAddress)
  SELECT 2600, 2700, 0, 1, 7, 0, globalPid, 2000000, 11, 139637976727552 FROM PROCESSES WHERE pid = 70
  UNION ALL SELECT 2700, 2750, 0, 1, 7, 0, globalPid, 500000, 11, 139637978824704 FROM PROCESSES
    WHERE pid = 70
  UNION ALL SELECT 2800, 3000, 0, 1, 7, 0, globalPid, 1000000, 12, 139637976727552 FROM PROCESSES
    WHERE pid = 70
  UNION ALL SELECT 3000, 3100, 0, 1, 7, 0, globalPid, 7000000, 1, 139637976727552 FROM PROCESSES
    WHERE pid = 70
  UNION ALL SELECT 3100, 3200, 0, 1, 7, 0, globalPid, 9000000, 11, NULL FROM PROCESSES
    WHERE pid = 70;
INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS SELECT 2500, globalPid, 139637976727552, 1, 20, 8, 0
  FROM PROCESSES WHERE pid = 70;
INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS SELECT 2510, globalPid, 139637976731648, 1, 21, 8, 0
  FROM PROCESSES WHERE pid = 70;
INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS SELECT 2520, globalPid, 139637978824704, 1, 21, 8, 0
  FROM PROCESSES WHERE pid = 70;
INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS SELECT 2550, 2560, globalPid, 0, 139637978824704, 37, 1
  FROM PROCESSES WHERE pid = 70;
)sql";

std::string exported(std::string_view report, const std::string& sql,
                     std::optional<Window> window = std::nullopt) {
  const testing::TemporaryFolder folder;
  const auto path = testing::write_export(folder.path() / "run.sqlite", sql);
  auto profile = testing::open_for_test(path);
  EXPECT_TRUE(profile.ok()) << testing::error_of(profile);
  if (!profile) return "";
  const auto table = make_report(*parse_report_list(report)->front(), {*profile, window});
  if (!table) return "none";
  std::ostringstream text;
  nsys::write_csv(*table, text);
  return std::move(text).str();
}

TEST(UnifiedMemory, AddressesThatMovedMostComeFirst) {
  EXPECT_EQ(exported("um_sum", kUnifiedMemory),
            "Virtual Address,HtoD Migration Size (MB),DtoH Migration Size (MB),CPU Page Faults,GPU "
            "PageFaults,Migration Throughput (MB/s)\n"
            "0x7F0000000000,2.000,1.000,1,0,10000000.000\n"
            "0x7F0000200000,0.500,0.000,1,37,10000000.000\n"
            "0x7F0000001000,0.000,0.000,1,0,\n\n");
}

TEST(UnifiedMemory, TotalsCountWhatMovedAndEveryFault) {
  EXPECT_EQ(exported("um_total_sum", kUnifiedMemory),
            "Total HtoD Migration Size (MB),Total DtoH Migration Size (MB),Total CPU Page Faults,"
            "Total GPU PageFaults,Minimum Virtual Address,Maximum Virtual Address\n"
            "2.500,1.000,3,37,0x7F0000000000,0x7F0000200000\n\n");
}

TEST(UnifiedMemory, ListsHostFaultsByFunction) {
  EXPECT_EQ(exported("um_cpu_page_faults_sum", kUnifiedMemory),
            "CPU Page Faults,CPU Instruction Address\n2,check(float*)\n1,initWith(float*)\n\n");
}

TEST(UnifiedMemory, CountsWhatBeginsInTheWindow) {
  EXPECT_EQ(exported("um_total_sum", kUnifiedMemory, Window{2511, 2699}),
            "Total HtoD Migration Size (MB),Total DtoH Migration Size (MB),Total CPU Page Faults,"
            "Total GPU PageFaults,Minimum Virtual Address,Maximum Virtual Address\n"
            "2.000,0.000,1,37,0x7F0000000000,0x7F0000200000\n\n");
}

TEST(UnifiedMemory, IsNoneWithoutItsTables) {
  for (const char* report : {"um_sum", "um_total_sum", "um_cpu_page_faults_sum"}) {
    EXPECT_EQ(exported(report, ""), "none") << report;
  }
}

TEST(HostCalls, OfMpiTellTheTableThatTheyAreFrom) {
  const char* const kCalls = R"sql(
CREATE TABLE MPI_P2P_EVENTS(start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER);
CREATE TABLE MPI_COLLECTIVES_EVENTS(start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER);
INSERT INTO StringIds VALUES(20, 'MPI_Send'), (21, 'MPI_Allreduce');
INSERT INTO MPI_P2P_EVENTS SELECT 3000, 3100, globalTid, 20 FROM MPI_OTHER_EVENTS;
INSERT INTO MPI_P2P_EVENTS SELECT 3200, 3500, globalTid, 20 FROM MPI_OTHER_EVENTS;
INSERT INTO MPI_COLLECTIVES_EVENTS SELECT 4000, 5000, globalTid, 21 FROM MPI_OTHER_EVENTS;
UPDATE MPI_OTHER_EVENTS SET start = 6000, end = 6200;
)sql";
  EXPECT_EQ(exported("mpi_event_sum", kCalls),
            "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),"
            "Source,Name\n"
            "62.5,1000,1,1000.0,1000.0,1000,1000,0.0,collectives,MPI_Allreduce\n"
            "25.0,400,2,200.0,200.0,100,300,141.4,p2p,MPI_Send\n"
            "12.5,200,1,200.0,200.0,200,200,0.0,other,MPI_Barrier\n\n");
}

TEST(HostCalls, OfTheOsRuntimeStandUnderTheirNames) {
  EXPECT_EQ(
      exported("osrt_sum",
               "INSERT INTO OSRT_API SELECT 2900, 2950, globalTid, 6 FROM OSRT_API;"
               "INSERT INTO OSRT_API SELECT 3000, NULL, globalTid, 6 FROM OSRT_API LIMIT 1;"),
      "Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
      "100.0,150,2,75.0,75.0,50,100,35.4,read\n\n");
}

}  // namespace
}  // namespace dlview::report::nsys
