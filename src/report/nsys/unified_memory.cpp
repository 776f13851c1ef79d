// Unified memory: what moved between host and GPUs, and the page faults behind it.

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/saturated_sum.h"
#include "profile/kinds.h"
#include "report/nsys/cells.h"
#include "report/nsys/declarations.h"
#include "report/nsys/figures.h"

namespace dlview::report::nsys {
namespace {

using aggregate::Unit;

constexpr std::size_t kMostAddresses = 10;  // nsys's default for um_sum

std::string hexadecimal(int64_t address) {
  return fmt::format("0x{:X}", static_cast<uint64_t>(address));
}

// What happened at one virtual address, or at all of them.
struct Migrations {
  int64_t to_device_bytes = 0, to_host_bytes = 0, copy_ns = 0;
  int64_t cpu_faults = 0, gpu_faults = 0;

  int64_t bytes() const { return base::saturated_sum(to_device_bytes, to_host_bytes); }
  // In bytes/s; nothing where nothing moved.
  Cell throughput() const {
    if (copy_ns <= 0) return {};
    return static_cast<double>(bytes()) * 1e9 / static_cast<double>(copy_ns);
  }
};
using Addresses = std::map<int64_t, Migrations>;

// Calls use(address, migrations) with what each copy and fault adds.
template <typename Use>
void for_each_event(const Input& input, const Use& use) {
  const profile::Trace& trace = input.trace();
  const profile::TraceMemcpys& copies = trace.memcpys;
  const bool has_copies = is_recorded(copies.virtual_address, copies.size()) &&
                          is_recorded(copies.copy_kind, copies.size()) &&
                          is_recorded(copies.bytes, copies.size());
  for (std::size_t row = 0; has_copies && row < copies.size(); ++row) {
    const profile::CopyKind kind = copies.copy_kind[row];
    const int64_t address = copies.virtual_address[row];
    if (!profile::is_migration(kind) || address == profile::kNoValue) continue;
    if (!input.counts(copies.start_ns[row])) continue;
    const int64_t bytes = std::max<int64_t>(0, copies.bytes[row]);
    const bool to_device = kind == profile::CopyKind::migration_to_device;
    use(address, Migrations{to_device ? bytes : 0, to_device ? 0 : bytes,
                            copies.end_ns[row] - copies.start_ns[row]});
  }
  const profile::TraceCpuFaults& cpu = trace.cpu_page_faults;
  for (std::size_t row = 0; row < cpu.address.size(); ++row) {
    const bool counts = cpu.address[row] != profile::kNoValue && input.counts(cpu.start_ns[row]);
    if (counts) use(cpu.address[row], Migrations{0, 0, 0, 1, 0});
  }
  const profile::TraceGpuFaults& gpu = trace.gpu_page_faults;
  const bool has_counts = is_recorded(gpu.count, gpu.size());
  for (std::size_t row = 0; row < gpu.address.size(); ++row) {
    const bool counts = gpu.address[row] != profile::kNoValue && input.counts(gpu.start_ns[row]);
    const int64_t count = has_counts ? std::max<int64_t>(0, gpu.count[row]) : 1;
    if (counts) use(gpu.address[row], Migrations{0, 0, 0, 0, count});
  }
}

void add(Migrations& sum, const Migrations& more) {
  for (const auto member :
       {&Migrations::to_device_bytes, &Migrations::to_host_bytes, &Migrations::copy_ns,
        &Migrations::cpu_faults, &Migrations::gpu_faults}) {
    sum.*member = base::saturated_sum(sum.*member, more.*member);
  }
}

using Row = std::pair<int64_t, Migrations>;

// What moved most first.
std::vector<Row> busiest_addresses(const Input& input) {
  Addresses addresses;
  for_each_event(input,
                 [&](int64_t address, const Migrations& more) { add(addresses[address], more); });
  std::vector<Row> rows(addresses.begin(), addresses.end());
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const Row& row) { return row.second.bytes(); });
  if (rows.size() > kMostAddresses) rows.resize(kMostAddresses);
  return rows;
}

}  // namespace

std::optional<Table> um_sum(const Input& input) {
  const auto rows = std::make_shared<const std::vector<Row>>(busiest_addresses(input));
  if (rows->empty()) return std::nullopt;
  const auto number = [&](std::string id, std::string title, Unit unit,
                          int64_t Migrations::*member) {
    return integer_column(std::move(id), std::move(title), unit,
                          [rows, member](std::size_t row) { return (*rows)[row].second.*member; });
  };
  Table table;
  table.row_count = rows->size();
  table.columns = {
      text_column("virtual_address", "Virtual Address",
                  [rows](std::size_t row) { return hexadecimal((*rows)[row].first); }),
      number("htod_bytes", "HtoD Migration Size", Unit::bytes, &Migrations::to_device_bytes),
      number("dtoh_bytes", "DtoH Migration Size", Unit::bytes, &Migrations::to_host_bytes),
      number("cpu_page_faults", "CPU Page Faults", Unit::count, &Migrations::cpu_faults),
      number("gpu_page_faults", "GPU PageFaults", Unit::count, &Migrations::gpu_faults),
      real_column("throughput", "Migration Throughput", Unit::bytes_per_second,
                  [rows](std::size_t row) { return (*rows)[row].second.throughput(); })};
  return table;
}

std::optional<Table> um_total_sum(const Input& input) {
  Migrations total;
  int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();
  for_each_event(input, [&](int64_t address, const Migrations& more) {
    add(total, more);
    first = std::min(first, address);
    last = std::max(last, address);
  });
  if (first > last) return std::nullopt;
  const auto number = [](std::string id, std::string title, Unit unit, int64_t value) {
    return integer_column(std::move(id), std::move(title), unit,
                          [value](std::size_t) { return value; });
  };
  const auto address = [](std::string id, std::string title, int64_t value) {
    return text_column(std::move(id), std::move(title),
                       [value](std::size_t) { return hexadecimal(value); });
  };
  Table table;
  table.row_count = 1;
  table.columns = {
      number("htod_bytes", "Total HtoD Migration Size", Unit::bytes, total.to_device_bytes),
      number("dtoh_bytes", "Total DtoH Migration Size", Unit::bytes, total.to_host_bytes),
      number("cpu_page_faults", "Total CPU Page Faults", Unit::count, total.cpu_faults),
      number("gpu_page_faults", "Total GPU PageFaults", Unit::count, total.gpu_faults),
      address("min_virtual_address", "Minimum Virtual Address", first),
      address("max_virtual_address", "Maximum Virtual Address", last)};
  return table;
}

std::optional<Table> um_cpu_page_faults_sum(const Input& input) {
  const profile::TraceCpuFaults& faults = input.trace().cpu_page_faults;
  if (!is_recorded(faults.instruction, faults.size())) return std::nullopt;
  std::map<std::string_view, int64_t> counts;
  for (std::size_t row = 0; row < faults.size(); ++row) {
    if (input.counts(faults.start_ns[row]))
      ++counts[text_of(input.profile, faults.instruction[row])];
  }
  if (counts.empty()) return std::nullopt;
  using Count = std::pair<std::string_view, int64_t>;
  std::vector<Count> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(), &Count::second);
  const auto rows = std::make_shared<const std::vector<Count>>(std::move(sorted));
  Table table;
  table.row_count = rows->size();
  table.columns = {integer_column("cpu_page_faults", "CPU Page Faults", Unit::count,
                                  [rows](std::size_t row) { return (*rows)[row].second; }),
                   text_column("cpu_instruction_address", "CPU Instruction Address",
                               [rows](std::size_t row) { return (*rows)[row].first; })};
  return table;
}

}  // namespace dlview::report::nsys
