// Calls that a thread spends outside its own code, by name: OS runtime, MPI.

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/nsys/cells.h"
#include "report/nsys/declarations.h"
#include "report/nsys/summary.h"

namespace dlview::report::nsys {
namespace {

using profile::TraceCalls;

// Rows of calls that count, have a name and, as nsys needs for a duration, ended.
std::vector<std::size_t> named_rows(const Input& input, const TraceCalls& calls) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < calls.size(); ++row) {
    const bool is_whole =
        calls.name[row] != profile::kNoText && calls.end_ns[row] != profile::kNoValue;
    if (is_whole && input.counts(calls.start_ns[row])) rows.push_back(row);
  }
  return rows;
}

// "p2p" of MPI_P2P_EVENTS: what is special in the name of its table.
std::string source_name(std::string_view table) {
  constexpr std::string_view kPrefix = "MPI_", kSuffix = "_EVENTS";
  if (table.starts_with(kPrefix)) table.remove_prefix(kPrefix.size());
  if (table.ends_with(kSuffix)) table.remove_suffix(kSuffix.size());
  std::string name(table);
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return name;
}

// Where the table of the row stands in `tables`.
int64_t table_of(const TraceCalls& calls, std::size_t row) {
  const auto next = std::ranges::upper_bound(calls.tables, row, {}, &TraceCalls::Table::first);
  return std::distance(calls.tables.begin(), next) - 1;
}

}  // namespace

std::optional<Table> osrt_sum(const Input& input) {
  const TraceCalls& calls = input.trace().os_calls;
  const std::vector<std::size_t> rows = named_rows(input, calls);
  if (rows.empty()) return std::nullopt;
  const auto summary = summarize<1>(
      rows, [&calls](std::size_t row) { return Key<1>{calls.name[row]}; },
      [&calls](std::size_t row) { return calls.end_ns[row] - calls.start_ns[row]; },
      [&profile = input.profile](const Key<1>& a, const Key<1>& b) {
        return text_of(profile, a[0]) < text_of(profile, b[0]);
      });
  Table table = time_table(summary, "num_calls", "Num Calls");
  table.columns.push_back(
      text_column("name", "Name", [summary, &profile = input.profile](std::size_t row) {
        return text_of(profile, summary->rows[row].key[0]);
      }));
  return table;
}

std::optional<Table> mpi_event_sum(const Input& input) {
  const TraceCalls& calls = input.trace().mpi_calls;
  const std::vector<std::size_t> rows = named_rows(input, calls);
  if (rows.empty()) return std::nullopt;
  const auto summary = summarize<2>(
      rows,
      [&calls](std::size_t row) {
        return Key<2>{calls.name[row], table_of(calls, row)};
      },
      [&calls](std::size_t row) { return calls.end_ns[row] - calls.start_ns[row]; },
      [&profile = input.profile](const Key<2>& a, const Key<2>& b) {
        return std::pair(text_of(profile, a[0]), a[1]) < std::pair(text_of(profile, b[0]), b[1]);
      });
  Table table = time_table(summary, "instances", "Instances");
  table.columns.push_back(word_column("source", "Source", [summary, &calls](std::size_t row) {
    return source_name(calls.tables[static_cast<std::size_t>(summary->rows[row].key[1])].name);
  }));
  table.columns.push_back(
      text_column("name", "Name", [summary, &profile = input.profile](std::size_t row) {
        return text_of(profile, summary->rows[row].key[0]);
      }));
  return table;
}

}  // namespace dlview::report::nsys
