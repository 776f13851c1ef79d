// The rank that the name of a file tells (docs/dev/spec.md, rank.name).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dlview::profile {

// Which numbers at the end of a name are ranks, if no word "rank" tells one.
enum class RankAtEnd : uint8_t {
  none,
  // In names of PyTorch traces: behind a word for one of the processes of a run and "_" or "-", as
  // in "worker_3.json". Such names also end with the number of a step, epoch, file or job.
  of_process,
  // In any name: behind "_" or "-", before the first point: "report_17.nsys-rep". "report1" is
  // none: Nsight Systems numbers so what came first. tensorboard_trace_handler puts the process
  // there (host_of_name).
  any,
};

// The number behind "rank" wherever it stands ("rank_3", "iteration_100_rank17_trace.json"), else
// that at the end. nullopt: the name tells none, or several. `file_name` is without folders.
std::optional<int64_t> rank_of_name(std::string_view file_name, RankAtEnd at_end = RankAtEnd::any);

// "host" of "host_4009.1779782399998085873.pt.trace.json"; empty = the name has another form.
std::string_view host_of_name(std::string_view file_name);

}  // namespace dlview::profile
