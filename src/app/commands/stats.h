// dlview stats DB --report NAME: the reports of `nsys stats`, for the whole file or a range of
// iterations.
#pragma once

#include <string>
#include <vector>

#include "app/commands/common.h"

namespace dlview::app {

struct StatsOptions {
  std::string path;
  bool list = false;
  // Names with commas between; by default those of `nsys stats` which dlview has.
  std::string reports =
      "nvtx_sum,osrt_sum,cuda_api_sum,cuda_gpu_kern_sum,cuda_gpu_mem_time_sum,"
      "cuda_gpu_mem_size_sum,um_sum,um_total_sum,um_cpu_page_faults_sum";
  std::string format = "csv";  // of each report, with commas between; the last one of all others
  std::string time_unit = "ns";
  std::vector<std::string> outputs;  // likewise; none = standard output
  std::string output_folder;         // a file for each report; empty = as `outputs` say
  workspace::SelectionRequest selection;
};

int run_stats(const StatsOptions& options);
void bind_stats(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
