// A baseline: what captures of an accepted state measured, as JSON that fits into a repository
// (docs/dev/spec.md, Budgets). It has no path, user, host or environment.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/budget/budget_file.h"

namespace dlview::report::budget {

// What a run ran on and how it is split, for comparing two.
struct RunFacts {
  std::string file;                     // name, without folders
  std::string checksum;                 // of the file, in hexadecimal; empty = unknown
  std::map<std::string, int64_t> gpus;  // that ran a kernel in the range, by name
  std::string compute_capability;       // "9.0"; of the first of them
  std::string framework, cuda, driver;  // versions; empty = not recorded
  std::string recorded;                 // "2026-05-26 09:18:46 UTC"; empty = not recorded
  std::string key_op;                   // name of the iteration marker; empty = none
  // How it is split: SplitBy and CutKind as text. Empty = not recorded, in older baselines.
  std::string split_by, boundary;
  int64_t iterations = 0;  // in the range
  bool operator==(const RunFacts&) const = default;

  int64_t gpu_count() const;
  std::string gpu_text() const;  // "8 x NVIDIA H100"
};
// All but the checksum.
RunFacts run_facts(Meter& meter);
// Why the run is not what the budget file needs; empty = it is.
std::string unmet_need(const BudgetFile& file, const RunFacts& facts);
// In what two runs differ so that times cannot be compared; empty = in nothing.
std::string why_not_comparable(const RunFacts& baseline, const RunFacts& run);
// In what else they differ: "CUDA 12.4, before 12.1".
std::vector<std::string> differing_versions(const RunFacts& baseline, const RunFacts& run);

struct CapturedValues {
  int64_t value = 0;
  int64_t iterations = 0;        // that were measured
  std::vector<int64_t> samples;  // of up to kMostSamples of them (chosen_of)
  bool operator==(const CapturedValues&) const = default;
};

// A budget as it was measured for the baseline.
struct BaselineBudget {
  std::string name, metric;
  Statistic of = Statistic::median;
  std::vector<std::string> only;
  std::vector<CapturedValues> captures;  // in the order of Baseline::captures; fewer if unknown
  bool operator==(const BaselineBudget&) const = default;
};

inline constexpr std::size_t kMostSamples = 200;
inline constexpr std::size_t kMostCaptures = 1000;

struct Baseline {
  std::string path;        // of the file that it was read from; not written
  std::string made;        // "2026-11-28T21:40:00Z"
  std::string version;     // of dlview
  std::string accepted;    // why; empty = nobody said
  std::string iterations;  // as the budget file chose them
  std::vector<RunFacts> captures;
  std::vector<BaselineBudget> budgets;
  // The names in any of the captures, if a budget needs them; older baselines have none.
  std::optional<KnownNames> names = std::nullopt;
  bool operator==(const Baseline&) const = default;

  const BaselineBudget* find(std::string_view name) const;
};

// The budgets of the file as this run measures them, to be added to a baseline of others.
void add_capture(const BudgetFile& file, Meter& meter, const std::string& checksum,
                 Baseline& baseline);

void write_baseline(const Baseline& baseline, std::ostream& out);

inline constexpr std::size_t kMostBaselineBytes = std::size_t{64} << 20U;
// `path` is for messages only.
base::Result<Baseline> parse_baseline(std::string_view text, const std::string& path);

}  // namespace dlview::report::budget
