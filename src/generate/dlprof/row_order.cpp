#include "generate/dlprof/row_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace dlview::generate::dlprof {
namespace {

using profile::Index;
using profile::InstanceIndex;
using profile::OpIndex;
using profile::Profile;

// Rows in ascending order of key(row); equal keys keep the profile's order.
template <typename Table, typename Key>
std::vector<Index<Table>> sorted_by(const Table& table, Key key) {
  std::vector<Index<Table>> rows(table.size());
  std::iota(rows.begin(), rows.end(), Index<Table>{0});
  std::sort(rows.begin(), rows.end(), [&key](Index<Table> a, Index<Table> b) {
    return std::tuple_cat(key(a), std::tuple(a)) < std::tuple_cat(key(b), std::tuple(b));
  });
  return rows;
}

template <typename Table>
std::vector<int64_t> ids_of(const std::vector<Index<Table>>& order) {
  std::vector<int64_t> ids(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) ids[order[i]] = static_cast<int64_t>(i) + 1;
  return ids;
}

template <typename Events>
std::vector<Index<Events>> event_order(const Profile& profile, const Events& events,
                                       const std::vector<int64_t>& op_id,
                                       const std::vector<uint32_t>& ranks) {
  return sorted_by(events, [&](Index<Events> row) {
    return std::tuple(op_id[profile.instances.op[events.instance[row]]], ranks[events.name[row]],
                      events.api_start_ns[row]);
  });
}

std::vector<int64_t> instance_numbers(const Profile& profile,
                                      const std::vector<InstanceIndex>& order) {
  std::vector<int64_t> numbers(order.size());
  std::vector<int64_t> next(profile.ops.size(), 0);
  for (const InstanceIndex row : order) numbers[row] = next[profile.instances.op[row]]++;
  return numbers;
}

}  // namespace

RowOrder row_order(const Profile& profile) {
  const std::vector<uint32_t> ranks = text_ranks(profile.strings);
  RowOrder order;
  order.ops = sorted_by(profile.ops, [&](OpIndex row) {
    return std::tuple(ranks[profile.ops.name[row]], ranks[profile.ops.id[row]]);
  });
  order.op_id = ids_of(order.ops);
  order.instances = sorted_by(profile.instances, [&](InstanceIndex row) {
    return std::tuple(order.op_id[profile.instances.op[row]], profile.instances.cpu_start_ns[row]);
  });
  order.op_instance = instance_numbers(profile, order.instances);
  order.kernels = event_order(profile, profile.kernels, order.op_id, ranks);
  order.kernel_id = ids_of(order.kernels);
  order.memory_ops = event_order(profile, profile.memory_ops, order.op_id, ranks);
  order.syncs = event_order(profile, profile.syncs, order.op_id, ranks);
  order.api_calls = event_order(profile, profile.api_calls, order.op_id, ranks);
  return order;
}

std::vector<uint32_t> text_ranks(const profile::StringTable& strings) {
  std::vector<profile::StringId> order(strings.size());
  std::iota(order.begin(), order.end(), profile::StringId{0});
  std::sort(order.begin(), order.end(), [&strings](profile::StringId a, profile::StringId b) {
    return strings[a] < strings[b];
  });
  std::vector<uint32_t> ranks(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

}  // namespace dlview::generate::dlprof
