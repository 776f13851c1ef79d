#include "generate/dlprof/row_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace dlview::generate::dlprof {
namespace {

using profile::Profile;
using profile::Row;

std::vector<Row> all_rows(std::size_t count) {
  std::vector<Row> rows(count);
  std::iota(rows.begin(), rows.end(), Row{0});
  return rows;
}

// Rows in ascending order of key(row); equal keys keep the profile's order.
template <typename Key>
std::vector<Row> sorted_by(std::size_t count, Key key) {
  std::vector<Row> rows = all_rows(count);
  std::sort(rows.begin(), rows.end(), [&key](Row a, Row b) {
    return std::tuple_cat(key(a), std::tuple(a)) < std::tuple_cat(key(b), std::tuple(b));
  });
  return rows;
}

std::vector<int64_t> ids_of(const std::vector<Row>& order) {
  std::vector<int64_t> ids(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) ids[order[i]] = static_cast<int64_t>(i) + 1;
  return ids;
}

template <typename Events>
std::vector<Row> event_order(const Profile& profile, const Events& events,
                             const std::vector<int64_t>& op_id,
                             const std::vector<uint32_t>& ranks) {
  return sorted_by(events.size(), [&](Row row) {
    return std::tuple(op_id[profile.instances.op[events.instance[row]]], ranks[events.name[row]],
                      events.api_start_ns[row]);
  });
}

std::vector<int64_t> instance_numbers(const Profile& profile, const std::vector<Row>& order) {
  std::vector<int64_t> numbers(order.size());
  std::vector<int64_t> next(profile.ops.size(), 0);
  for (const Row row : order) numbers[row] = next[profile.instances.op[row]]++;
  return numbers;
}

}  // namespace

RowOrder row_order(const Profile& profile) {
  const std::vector<uint32_t> ranks = text_ranks(profile.strings);
  RowOrder order;
  order.ops = sorted_by(profile.ops.size(), [&](Row row) {
    return std::tuple(ranks[profile.ops.name[row]], ranks[profile.ops.id[row]]);
  });
  order.op_id = ids_of(order.ops);
  order.instances = sorted_by(profile.instances.size(), [&](Row row) {
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
