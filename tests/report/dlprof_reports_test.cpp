// The reports of a small run, computed by hand: three iterations of which the last two are
// reported, Tensor Cores, two GPUs.

#include <memory>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "profile/builder.h"
#include "report/dlprof/reports.h"
#include "report/writers/csv.h"

namespace dlview::report::dlprof {
namespace {

using profile::ProfileBuilder;
using profile::Row;
using profile::TensorCoreSupport;

Row add_op(ProfileBuilder& builder, const char* id, const char* name, const char* type,
           TensorCoreSupport support, int64_t source_id) {
  profile::OpRow op;
  op.id = builder.intern(id);
  op.name = builder.intern(name);
  op.type = builder.intern(type);
  op.direction = builder.intern("fprop");
  op.data_type = builder.intern("float16");
  op.data_format = builder.intern("N,C");
  op.tensor_core_support = support;
  op.source_id = source_id;
  return builder.add_op(op);
}

Row add_instance(ProfileBuilder& builder, Row op, int64_t start_ns, int64_t stop_ns) {
  profile::OpInstanceRow instance;
  instance.op = op;
  instance.cpu_start_ns = start_ns;
  instance.cpu_stop_ns = stop_ns;
  instance.input_shapes = builder.intern("[[8,3]]\n");
  return builder.add_instance(instance);
}

// Its API call takes 2 ns and ends when the kernel starts.
void add_kernel(ProfileBuilder& builder, Row instance, const char* name, bool tensor_cores,
                int64_t start_ns, int64_t stop_ns, Row device, int64_t source_id) {
  profile::KernelRow kernel;
  kernel.instance = instance;
  kernel.name = builder.intern(name);
  kernel.long_name = builder.intern(std::string("void ") + name + "()");
  kernel.uses_tensor_cores = tensor_cores;
  kernel.api_start_ns = start_ns - 2;
  kernel.api_stop_ns = start_ns;
  kernel.gpu_start_ns = start_ns;
  kernel.gpu_stop_ns = stop_ns;
  kernel.launch = builder.intern_launch({{4, 2, 1}, {64, 1, 1}, device, 0});
  kernel.source_id = source_id;
  builder.add_kernel(kernel);
}

profile::Device device(int64_t id, const char* name) {
  profile::Device result;
  result.device_id = id;
  result.name = name;
  return result;
}

class DlprofReports : public ::testing::Test {
 protected:
  DlprofReports() {
    ProfileBuilder builder;
    builder.intern_thread({1, 1});
    builder.add_device(device(0, "A100"));
    builder.add_device(device(3, "V100"));
    builder.system.gpu_count = "2";
    builder.system.profile_name = "small";
    builder.system.cudnn_version = "8.3";
    builder.system.mode = "pytorch";
    // The order of ids in the file differs from the order of the op ids.
    const Row relu = add_op(builder, "RELU_1", "/net/relu", "relu", TensorCoreSupport::none, 1);
    const Row conv =
        add_op(builder, "CONV2D_1", "/net/conv", "conv2d", TensorCoreSupport::eligible, 2);
    const Row step = add_op(builder, "STEP_1", "step", "step", TensorCoreSupport::none, 3);

    const Row before = add_instance(builder, conv, 10, 30);
    add_kernel(builder, before, "gemm", true, 20, 29, 0, 7);
    add_instance(builder, step, 100, 101);
    const Row second = add_instance(builder, conv, 110, 150);
    add_kernel(builder, second, "gemm", true, 120, 130, 0, 2);  // runs first, comes second by id
    add_kernel(builder, second, "pad", false, 131, 134, 0, 1);
    add_instance(builder, step, 200, 201);
    const Row third = add_instance(builder, relu, 210, 220);
    add_kernel(builder, third, "relu_kernel", false, 215, 219, 1, 3);

    profile_ = std::make_shared<const profile::Profile>(std::move(builder).finish());
    aggregation_ = aggregate::make_cpu_aggregator(profile_)->aggregate(
        {{aggregate::CutKind::start, "step", 0}, {1, 2}});
  }

  std::string csv(Report report) const {
    std::ostringstream out;
    write_csv(make_report(report, *profile_, aggregation_), out);
    return out.str();
  }

  std::shared_ptr<const profile::Profile> profile_;
  aggregate::Aggregation aggregation_;
};

// The lines below title and header.
std::string rows_of(const std::string& csv) {
  return csv.substr(csv.find('\n', csv.find('\n') + 1) + 1);
}

TEST_F(DlprofReports, SummaryNamesGpusOfOneKindOneByOne) {
  profile::Profile profile = *profile_;
  profile.devices[1].name = profile.devices[0].name;
  std::ostringstream out;
  write_csv(make_report(Report::summary, profile, aggregation_), out);
  EXPECT_NE(out.str().find("\nGPU Name(s),\"A100, A100\"\n"), std::string::npos);
}

TEST_F(DlprofReports, SummaryNamesAllGpusAndCountsMemoryAmongKernels) {
  const std::string text = csv(Report::summary);
  EXPECT_EQ(text.substr(0, text.find("CPU Model")),
            "System Config\nProfile Name,small\nGPU Count,2\nGPU Name(s),\"A100, V100\"\n");
  EXPECT_NE(text.find("\ncuDNN Version,8.3\n"), std::string::npos);
  EXPECT_NE(text.find("\nWall Clock Time (ns),120\n"), std::string::npos);
  EXPECT_NE(text.find("\nTotal Iterations,3\nAggregated Iterations,2\nStart Iteration,1\nStop "
                      "Iteration,2\nAverage Iteration Time (ns),60.0\n"),
            std::string::npos);
  EXPECT_NE(text.find("All Ops\n,GPU Time (ns),CPU Time (ns),# Ops\nAll ops,17,52,3\nOps using "
                      "TC,13,40,1\nOps eligible for TC but not using,0,0,0\nAll other "
                      "ops,4,12,2\n\nAll Kernels\n,GPU Time (ns),CPU Time (ns),# Kernels\nAll "
                      "kernels,17,6,3\nKernels using TC,10,2,1\nMemory,0,0,0\nAll other "
                      "kernels,7,4,2\n"),
            std::string::npos)
      << text;
}

TEST_F(DlprofReports, DetailIsInByteOrderOfTheOpIds) {
  EXPECT_EQ(rows_of(csv(Report::detail)),
            "\"CONV2D_1\",\"/net/conv\",fprop,\"conv2d\",1,yes,yes,40,40.0,40,40,13,13.0,13,13,"
            "36,36.0,36,36,1,1.0,1,1,float16,\"\"\n"
            "\"RELU_1\",\"/net/relu\",fprop,\"relu\",1,no,no,10,10.0,10,10,4,4.0,4,4,"
            "8,8.0,8,8,0,0.0,0,0,float16,\"\"\n"
            "\"STEP_1\",\"step\",fprop,\"step\",2,no,no,2,1.0,1,1,0,0.0,0,0,"
            "2,1.0,1,1,0,0.0,0,0,float16,\"\"\n");
}

TEST_F(DlprofReports, SortTheIterationReportByIterationThenId) {
  EXPECT_EQ(rows_of(csv(Report::iteration)),
            "1,\"CONV2D_1\",\"/net/conv\",fprop,\"conv2d\",\"pad\",0,131,3,129,2,no,4,2,1,64,1,1,"
            "float16,\"<N:8, C:3>\",\"\",\"\",\"void pad()\"\n"
            "1,\"CONV2D_1\",\"/net/conv\",fprop,\"conv2d\",\"gemm\",0,120,10,118,2,yes,4,2,1,64,1,"
            "1,float16,\"<N:8, C:3>\",\"\",\"\",\"void gemm()\"\n"
            "2,\"RELU_1\",\"/net/relu\",fprop,\"relu\",\"relu_kernel\",3,215,4,213,2,no,4,2,1,64,1,"
            "1,float16,\"<N:8, C:3>\",\"\",\"\",\"void relu_kernel()\"\n");
}

TEST_F(DlprofReports, KernelIsInOrderOfTheOpsInTheFile) {
  EXPECT_EQ(rows_of(csv(Report::kernel)),
            "\"relu_kernel\",\"RELU_1\",\"/net/relu\",fprop,no,4,4.0,4,4,2,2.0,2,2\n"
            "\"gemm\",\"CONV2D_1\",\"/net/conv\",fprop,yes,10,10.0,10,10,2,2.0,2,2\n"
            "\"pad\",\"CONV2D_1\",\"/net/conv\",fprop,no,3,3.0,3,3,2,2.0,2,2\n");
}

TEST_F(DlprofReports, TensorSplitsTheKernelsOfEligibleOps) {
  EXPECT_EQ(
      rows_of(csv(Report::tensor)),
      "\"CONV2D_1\",\"/net/conv\",fprop,\"conv2d\",yes,13,10,3,76.9,2,1,\"gemm\",1,\"pad\"\n");
}

TEST_F(DlprofReports, HaveOneValuePerIterationForGroupsAndModel) {
  EXPECT_EQ(rows_of(csv(Report::group_op)),
            "\"/\",2,1,1,50,25.0,10,40,17,8.5,4,13,44,22.0,8,36,1,0.5,0,1\n"
            "\"/net/\",2,1,1,50,25.0,10,40,17,8.5,4,13,44,22.0,8,36,1,0.5,0,1\n"
            "\"_CompleteModel_\",4,1,1,52,26.0,11,41,17,8.5,4,13,46,23.0,9,37,1,0.5,0,1\n");
}

TEST_F(DlprofReports, ExpertSystemsHoldTheAdviceOfTheRange) {
  const Table table = make_report(Report::expert_systems, *profile_, aggregation_);
  ASSERT_EQ(table.row_count, aggregation_.advice.size());
  ASSERT_GT(table.row_count, 0u);
  EXPECT_EQ(to_text(table.cell(0, 0)), aggregation_.advice[0].problem);
  EXPECT_EQ(to_text(table.cell(0, 1)), aggregation_.advice[0].recommendation);
}

// DLProf's own column names, which scripts look columns up by.
constexpr const char* kTimeColumns =
    "Total CPU Time (ns),Avg. CPU Time (ns),Min CPU Time (ns),Max CPU Time (ns),"
    "Total GPU Time (ns),Avg. GPU Time (ns),Min GPU Time (ns),Max GPU Time (ns),"
    "Total CPU Overhead (ns),Avg. CPU Overhead (ns),Min CPU Overhead (ns),Max CPU Overhead (ns),"
    "Total GPU Idle (ns),Avg. GPU Idle (ns),Min GPU Idle (ns),Max GPU Idle (ns)";

TEST_F(DlprofReports, HaveDlprofsTitlesAndColumnNames) {
  const std::string times(kTimeColumns);
  const auto head = [this](Report report) {
    const std::string text = csv(report);
    return text.substr(0, text.size() - rows_of(text).size());
  };
  EXPECT_EQ(head(Report::detail),
            "All Iterations\nOp ID,Op Name,Direction,Op Type,No. Calls,TC Eligible,Using TC," +
                times + ",Data Type,Stack Trace\n");
  EXPECT_EQ(head(Report::iteration),
            "Iteration Report\nIteration,Op ID,Op Name,Direction,Op Type,Kernel Name,Device ID,"
            "GPU Start Time (ns),GPU Duration (ns),API Call Start (ns),API Call Time (ns),Uses TC,"
            "Grid X,Grid Y,Grid Z,Block X,Block Y,Block Z,Data Types,Input Shapes,Parameters,"
            "Output Shapes,Long Kernel Name\n");
  EXPECT_EQ(head(Report::kernel),
            "Kernel Report\nKernel Name,Op ID,Op Name,Direction,Uses TC,Total GPU Time (ns),"
            "Avg GPU Time (ns),Min GPU Time (ns),Max GPU Time (ns),Total API Time (ns),"
            "Avg API Time (ns),Min API Time (ns),Max API Time (ns)\n");
  EXPECT_EQ(head(Report::tensor),
            "Tensor Core Report\nOp ID,Op Name,Direction,Op Type,Uses TC,Total GPU Time (ns),"
            "TC GPU Time (ns),Non-TC GPU Time (ns),TC Utilization (%),Total Kernel Count,"
            "TC Kernel Count,TC Kernel Names,Non-TC Kernel Count,Non-TC Kernel Names\n");
  EXPECT_EQ(head(Report::op_type), "Op Type Summary Report\nOp Type,# Ops,# Calls," + times + "\n");
  EXPECT_EQ(head(Report::group_op),
            "Group Op Report\nName,Num Calls Aggregated,Num TC Eligible Ops,Num Ops Using TC," +
                times + "\n");
  EXPECT_EQ(head(Report::expert_systems), "Expert Systems Feedback\nProblem,Recommendation\n");
}

TEST_F(DlprofReports, SummaryHasDlprofsSectionsAndNames) {
  std::istringstream text(csv(Report::summary));
  std::string names, line;
  while (std::getline(text, line)) {
    const bool is_header = line.starts_with(',');
    names += (is_header ? line : line.substr(0, line.find(','))) + '\n';
  }
  EXPECT_EQ(names,
            "System Config\nProfile Name\nGPU Count\nGPU Name(s)\nCPU Model\nGPU Driver Version\n"
            "Framework\nCUDA Version\ncuDNN Version\nNSys Version\nDLProf Version\n"
            "DLProf Build\n\n"
            "Summary Report\nWall Clock Time (ns)\nTensor Core Kernel Utilization %\n"
            "GPU Utilization %\nTensor Core Kernel Duration %\nNon-Tensor Core Kernel Duration %\n"
            "Memory Duration %\nDataloader Duration %\nIO Duration %\nCPU Duration %\n"
            "Other Duration %\n\n"
            "Iterations\nTotal Iterations\nAggregated Iterations\nStart Iteration\n"
            "Stop Iteration\nAverage Iteration Time (ns)\nIteration Time Standard Deviation\n\n"
            "All Ops\n,GPU Time (ns),CPU Time (ns),# Ops\nAll ops\nOps using TC\n"
            "Ops eligible for TC but not using\nAll other ops\n\n"
            "All Kernels\n,GPU Time (ns),CPU Time (ns),# Kernels\nAll kernels\n"
            "Kernels using TC\nMemory\nAll other kernels\n");
}

TEST_F(DlprofReports, HaveColumnsWithDistinctIds) {
  for (const ReportInfo& info : kReports) {
    const Table table = make_report(info.report, *profile_, aggregation_);
    EXPECT_EQ(table.name, info.name);
    std::set<std::string> ids;
    for (const Column& column : table.columns) ids.insert(column.id);
    EXPECT_EQ(ids.size(), table.columns.size()) << info.name;
  }
}

}  // namespace
}  // namespace dlview::report::dlprof
