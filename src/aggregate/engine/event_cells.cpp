#include "aggregate/engine/event_cells.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/parallel.h"

namespace dlview::aggregate {
namespace {

using profile::KernelIndex;
using profile::MemoryOpIndex;
using profile::Profile;
using profile::Row;

// Enough for any number of cores, and few enough for their dictionaries to be joined quickly.
constexpr std::size_t kParts = 16;

struct CellKey {
  uint64_t op_and_name = 0, device_and_flags = 0;
  bool operator==(const CellKey&) const = default;
};
CellKey cell_key(const EventCell& cell) {
  return {uint64_t{cell.op} << 32 | cell.name,
          uint64_t{cell.device} << 2 | static_cast<uint64_t>(cell.uses_tensor_cores) << 1 |
              static_cast<uint64_t>(cell.communicates)};
}
struct CellHash {
  std::size_t operator()(const CellKey& key) const {
    return std::hash<uint64_t>{}((key.op_and_name ^ key.device_and_flags << 29) *
                                 0x9e3779b97f4a7c15ULL);
  }
};

// Ids in order of first use.
class Dictionary {
 public:
  Row id_of(const EventCell& cell) {
    const auto [entry, added] = ids_.emplace(cell_key(cell), static_cast<Row>(cells_.size()));
    if (added) cells_.push_back(cell);
    return entry->second;
  }
  const std::vector<EventCell>& cells() const { return cells_; }

 private:
  std::unordered_map<CellKey, Row, CellHash> ids_;
  std::vector<EventCell> cells_;
};

// The rows of these cells in the order that event_cells.h states.
std::vector<Row> ranks(const Profile& profile, const std::vector<EventCell>& cells) {
  const auto place = [&](Row c) {
    const EventCell& cell = cells[c];
    return std::tuple(cell.op, profile.text(cell.name), cell.device, cell.uses_tensor_cores,
                      cell.communicates);
  };
  std::vector<Row> order(cells.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::sort(order.begin(), order.end(), [&](Row a, Row b) { return place(a) < place(b); });
  std::vector<Row> rank(cells.size());
  for (Row r = 0; r < order.size(); ++r) rank[order[r]] = r;
  return rank;
}

// `cell_of` is asked for every event row.
template <typename CellOf>
EventCells number(const Profile& profile, std::size_t events, const CellOf& cell_of) {
  EventCells result;
  result.of_event.resize(events);
  std::vector<Dictionary> parts(kParts);
  const auto for_each_part = [&](const auto& body) {
    base::parallel_for(kParts, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        body(p, events * p / kParts, events * (p + 1) / kParts);
      }
    });
  };
  for_each_part([&](std::size_t p, std::size_t first, std::size_t end) {
    for (std::size_t e = first; e < end; ++e) {
      result.of_event[e] = parts[p].id_of(cell_of(static_cast<Row>(e)));
    }
  });

  Dictionary all;
  std::vector<std::vector<Row>> new_ids(kParts);
  for (std::size_t p = 0; p < kParts; ++p) {
    for (const EventCell& cell : parts[p].cells()) new_ids[p].push_back(all.id_of(cell));
  }
  const std::vector<Row> rank = ranks(profile, all.cells());
  result.cells.resize(rank.size());
  for (std::size_t c = 0; c < rank.size(); ++c) result.cells[rank[c]] = all.cells()[c];
  for_each_part([&](std::size_t p, std::size_t first, std::size_t end) {
    for (std::size_t e = first; e < end; ++e) {
      result.of_event[e] = rank[new_ids[p][result.of_event[e]]];
    }
  });
  return result;
}

}  // namespace

EventCells kernel_cells(const Profile& profile, const std::vector<uint8_t>& communicates) {
  const auto& kernels = profile.kernels;
  return number(profile, kernels.size(), [&](Row row) {
    const KernelIndex k(row);
    return EventCell{profile.instances.op[kernels.instance[k]], kernels.name[k],
                     profile.device_of_kernel(k), kernels.uses_tensor_cores[k] != 0,
                     !communicates.empty() && communicates[k] != 0};
  });
}

EventCells memory_cells(const Profile& profile) {
  const auto& memory_ops = profile.memory_ops;
  return number(profile, memory_ops.size(), [&](Row row) {
    const MemoryOpIndex m(row);
    return EventCell{profile.instances.op[memory_ops.instance[m]], memory_ops.name[m],
                     memory_ops.device[m]};
  });
}

}  // namespace dlview::aggregate
