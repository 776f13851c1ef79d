// The tables of make_report(), and their shared parts.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "report/nsys/reports.h"

namespace dlview::report::nsys {

// Whether the file has the column for the rows of its table.
template <typename T>
bool is_recorded(const profile::Column<T>& column, std::size_t row_count) {
  return row_count > 0 && column.size() == row_count;
}

// Kernels and memory operations.
std::optional<Table> cuda_gpu_kern_sum(const Input&);
std::optional<Table> cuda_gpu_kern_gb_sum(const Input&);
std::optional<Table> cuda_gpu_mem_time_sum(const Input&);
std::optional<Table> cuda_gpu_mem_size_sum(const Input&);
std::optional<Table> cuda_gpu_sum(const Input&);
// Calls, and the way of a kernel from its launch to its end.
std::optional<Table> cuda_api_sum(const Input&);
std::optional<Table> cuda_kern_exec_sum(const Input&);
std::optional<Table> cuda_kern_exec_trace(const Input&);
// Calls together with the work of GPUs.
std::optional<Table> cuda_api_gpu_sum(const Input&);
// Calls of the OS runtime and of MPI.
std::optional<Table> osrt_sum(const Input&);
std::optional<Table> mpi_event_sum(const Input&);
// Unified memory.
std::optional<Table> um_sum(const Input&);
std::optional<Table> um_total_sum(const Input&);
std::optional<Table> um_cpu_page_faults_sum(const Input&);
// NVTX ranges by themselves and with the work that was launched in them.
std::optional<Table> nvtx_sum(const Input&);
std::optional<Table> nvtx_pushpop_sum(const Input&);
std::optional<Table> nvtx_startend_sum(const Input&);
std::optional<Table> nvtx_kern_sum(const Input&);
std::optional<Table> nvtx_gpu_proj_sum(const Input&);
// A row for each event, in order of time.
std::optional<Table> cuda_gpu_trace(const Input&);
std::optional<Table> cuda_api_trace(const Input&);
std::optional<Table> nvtx_pushpop_trace(const Input&);
std::optional<Table> nvtx_gpu_proj_trace(const Input&);
// Recipes of `nsys recipe` for one file.
std::optional<Table> cuda_gpu_kern_hist(const Input&);
std::optional<Table> cuda_gpu_kern_pace(const Input&);
std::optional<Table> nvtx_pace(const Input&);
std::optional<Table> cuda_gpu_time_util_map(const Input&);
std::optional<Table> nccl_gpu_overlap_trace(const Input&);

}  // namespace dlview::report::nsys
