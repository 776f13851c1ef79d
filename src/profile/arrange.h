// What ProfileBuilder does with many rows on all cores: turns them into columns, brings columns in
// another order, and finds the order of events by instance.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "profile/column.h"
#include "profile/column_slots.h"
#include "profile/rows.h"

namespace dlview::profile {

inline constexpr std::size_t kRowsAtOnce = 4096;  // less work is not worth a thread
inline constexpr std::size_t kRowsInCache = 512;  // while columns are taken from them

template <typename RowType, typename Field>
using FieldType = std::remove_cvref_t<std::invoke_result_t<Field, const RowType&>>;

// The fields of `row(i)`, i < count, each as a column.
template <typename RowType, typename MakeRow, typename... Field>
std::tuple<Column<FieldType<RowType, Field>>...> make_columns(std::size_t count, const MakeRow& row,
                                                              const Field&... fields) {
  std::tuple<ColumnSlots<FieldType<RowType, Field>>...> slots{
      ColumnSlots<FieldType<RowType, Field>>(count)...};
  base::parallel_for(count, kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    std::vector<RowType> rows;
    const auto fill = [&rows](auto& column, const auto& field, std::size_t from) {
      auto* place = column.at(from);
      for (const RowType& each : rows) *place++ = std::invoke(field, each);
    };
    for (std::size_t from = begin; from < end; from += kRowsInCache) {
      rows.clear();
      for (std::size_t i = from; i < std::min(from + kRowsInCache, end); ++i) {
        rows.push_back(row(i));
      }
      std::apply([&](auto&... column) { (fill(column, fields, from), ...); }, slots);
    }
  });
  return std::apply(
      [count](auto&... column) {
        return std::tuple<Column<FieldType<RowType, Field>>...>(std::move(column).finish(count)...);
      },
      slots);
}

// Value i becomes the one that was at order[i]; each column is given back before the next is made.
template <typename... T>
void reorder(const std::vector<Row>& order, Column<T>&... columns) {
  const auto reorder_one = [&order]<typename Value>(Column<Value>& column) {
    ColumnSlots<Value> slots(order.size());
    base::parallel_for(order.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) *slots.at(i) = column[order[i]];
    });
    column = std::move(slots).finish(order.size());
  };
  (reorder_one(columns), ...);
}

// What decides on an event's place within its instance.
struct EventPlace {
  int64_t time_ns = 0, source_id = 0;
  Row event = 0;
  auto operator<=>(const EventPlace&) const = default;
};

// The order of events by instance, inside an instance by place, and the offsets of the instances.
template <typename InstanceOf, typename PlaceOf>
std::vector<Row> group_by_instance(std::size_t instances, std::size_t events,
                                   const InstanceOf& instance_of, const PlaceOf& place_of,
                                   Column<Row>& first_of_instance) {
  std::vector<Row> first(instances + 1, 0);
  for (std::size_t i = 0; i < events; ++i) ++first[instance_of(i) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Row> next = first, order(events);
  for (std::size_t i = 0; i < events; ++i) order[next[instance_of(i)]++] = static_cast<Row>(i);
  base::parallel_for(instances, kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    std::vector<EventPlace> places;
    for (std::size_t i = begin; i < end; ++i) {
      if (first[i + 1] - first[i] < 2) continue;
      places.clear();
      for (Row e = first[i]; e < first[i + 1]; ++e) places.push_back(place_of(order[e]));
      if (std::ranges::is_sorted(places)) continue;
      std::ranges::sort(places);
      std::ranges::transform(places, order.begin() + first[i], &EventPlace::event);
    }
  });
  first_of_instance = std::move(first);
  return order;
}

}  // namespace dlview::profile
