#include "aggregate/cpu/kernel_pairs.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace dlview::aggregate::cpu {

using profile::Row;

KernelPairs kernel_pairs(const profile::Profile& profile) {
  KernelPairs result;
  std::vector<KernelPair> found;  // in order of first use
  std::unordered_map<uint64_t, Row> ids;
  result.pair_of_kernel.reserve(profile.kernels.size());
  for (Row k = 0; k < profile.kernels.size(); ++k) {
    const Row op = profile.instances.op[profile.kernels.instance[k]];
    const KernelPair pair{op, profile.kernels.name[k], profile.kernels.uses_tensor_cores[k] != 0};
    // Name ids stay below 2^31: a table that large would exceed the address space of its bytes.
    const uint64_t key = uint64_t{op} << 32 | uint64_t{pair.name} << 1 |
                         static_cast<uint64_t>(pair.uses_tensor_cores);
    const auto [entry, added] = ids.emplace(key, static_cast<Row>(found.size()));
    if (added) found.push_back(pair);
    result.pair_of_kernel.push_back(entry->second);
  }

  std::vector<Row> order(found.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::sort(order.begin(), order.end(), [&](Row a, Row b) {
    return std::tuple(found[a].op, profile.text(found[a].name), found[a].uses_tensor_cores) <
           std::tuple(found[b].op, profile.text(found[b].name), found[b].uses_tensor_cores);
  });
  std::vector<Row> rank(found.size());
  for (const Row old : order) {
    rank[old] = static_cast<Row>(result.pairs.size());
    result.pairs.push_back(found[old]);
  }
  for (Row& pair : result.pair_of_kernel) pair = rank[pair];
  return result;
}

}  // namespace dlview::aggregate::cpu
