// Summary files of any bytes, and of any sections with checksums that fit: what is read is written
// and read again without a change, merging it with itself changes nothing, and figures come of it,
// the same whether its columns are read at once or when they are needed.
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "fuzz/fuzz.h"
#include "fuzz/summary_sections.h"
#include "ranks/run_figures.h"
#include "ranks/summary_file.h"

namespace dlview::fuzz {
namespace {

using ranks::RunSummary;

// Equal for equal results.
std::string figures_of(RunSummary summary) {
  const auto made = ranks::make_run_figures(std::move(summary));
  if (!made) {
    require(!made.error().title.empty(), "an error without a title");
    return made.error().title;
  }
  const ranks::RunFigures& figures = **made;
  const ranks::RankTimes& times = figures.times;
  require(!times.ranks.empty() && !times.numbers.empty(), "figures of nothing");
  std::string text = figures.ranks_text() + figures.sentence();
  for (const std::string& note : figures.notes()) text += note;
  for (std::size_t rank = 0; rank < times.ranks.size(); ++rank) {
    for (std::size_t i = 0; i < times.numbers.size(); ++i) {
      text += fmt::format("{} {} {} {} ", times.own_ns(rank, i), times.wait_ns.at(rank, i),
                          times.most_exposed_wait_ns.at(rank, i), times.parts[1].at(rank, i));
      text += fmt::format("{}\n", figures.clocks[0].to_reference(times.start_ns.at(rank, i)));
    }
  }
  for (const ranks::RankSums& sums : ranks::rank_sums(times)) {
    text += fmt::format("{} {}\n", sums.exposed_ns, sums.exposed_wait_ns);
  }
  for (const ranks::CollectiveRow& row : figures.collectives) {
    text += fmt::format("{} {} {}\n", row.group, row.match_rate(), row.bus_bandwidth().value_or(0));
  }
  return text;
}

void check(const std::string& file) {
  const auto summary = ranks::from_bytes(file, "run.dlsum");
  const std::filesystem::path path = folder() / "run.dlsum";
  write(path, file);
  const auto opened = ranks::open_summary(path);
  if (!summary) {
    require(!summary.error().title.empty(), "an error without a title");
    // Columns that do not fit are found when they are read.
    if (opened) figures_of(*opened);
    return;
  }
  require(opened.ok(), "what can be read cannot be opened");
  const std::string again = ranks::to_bytes(*summary);
  const auto read = ranks::from_bytes(again, "run.dlsum");
  require(read.ok() && *read == *summary, "what was written is read as something else");
  const auto merged = ranks::merge(*summary, *read);
  require(merged.ok() && *merged == *summary, "a summary twice is more than once");
  require(figures_of(*summary) == figures_of(*opened), "figures of stored parts differ");
}

}  // namespace
}  // namespace dlview::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace dlview::fuzz;
  use_one_thread();
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  check(data[0] % 2 == 0 ? std::string(rest) : file_of(rest));
  return 0;
}
