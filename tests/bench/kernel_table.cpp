#include "bench/kernel_table.h"

#include <map>
#include <random>
#include <string>
#include <vector>

namespace dlview::bench {
namespace {

// As many names as a large network has kernels, of the length that templates give them.
constexpr std::size_t kNames = 400;

struct KernelColumns {
  std::vector<std::string> names;
  std::vector<uint32_t> name_of;
  std::vector<int64_t> start_ns, duration_ns;
  std::vector<uint8_t> uses_tensor_cores;
};

const KernelColumns& kernel_columns(std::size_t rows) {
  static std::map<std::size_t, KernelColumns> kept;
  const auto [entry, is_new] = kept.try_emplace(rows);
  KernelColumns& kernels = entry->second;
  if (!is_new) return kernels;
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < kNames; ++i) {
    kernels.names.push_back("void at::native::vectorized_elementwise_kernel<4, at::native::op_" +
                            std::to_string(random() % 1000) + ", std::array<char*, 3>>(int)");
  }
  for (std::size_t row = 0; row < rows; ++row) {
    kernels.name_of.push_back(static_cast<uint32_t>(random() % kNames));
    kernels.start_ns.push_back(static_cast<int64_t>(row) * 5'000);
    kernels.duration_ns.push_back(static_cast<int64_t>(1'000 + random() % 2'000'000));
    kernels.uses_tensor_cores.push_back(random() % 3 == 0 ? 1 : 0);
  }
  return kernels;
}

}  // namespace

report::Table kernel_table(std::size_t rows) {
  const KernelColumns& kernels = kernel_columns(rows);
  report::Table table{"kernels", "Kernels", report::Layout::rows, {}, rows};
  table.columns = {
      report::text_column("name", "Kernel",
                          [&kernels](std::size_t row) -> report::Cell {
                            return std::string_view(kernels.names[kernels.name_of[row]]);
                          }),
      report::integer_column("start", "Start", aggregate::Unit::ns,
                             [&kernels](std::size_t row) { return kernels.start_ns[row]; }),
      report::integer_column("duration", "Duration", aggregate::Unit::ns,
                             [&kernels](std::size_t row) { return kernels.duration_ns[row]; }),
      report::flag_column("uses_tc", "Uses TC", [&kernels](std::size_t row) {
        return kernels.uses_tensor_cores[row] != 0;
      })};
  return table;
}

}  // namespace dlview::bench
