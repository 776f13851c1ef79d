// Row processing of ProfileBuilder on all cores: converts rows to columns, reorders columns, and
// sorts events by instance.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/blocks.h"
#include "base/large_memory.h"
#include "base/parallel.h"
#include "base/parallel_algorithms.h"
#include "base/untouched_vector.h"
#include "profile/column.h"
#include "profile/column_slots.h"
#include "profile/rows.h"

namespace dlview::profile {

inline constexpr std::size_t kRowsAtOnce = 4096;  // less work is not worth a thread
inline constexpr std::size_t kRowsOfBlock = 65'536;
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
void reorder(std::span<const Row> order, Column<T>&... columns) {
  const auto reorder_one = [order]<typename Value>(Column<Value>& column) {
    ColumnSlots<Value> slots(order.size());
    base::parallel_for(order.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) *slots.at(i) = column[order[i]];
    });
    column = std::move(slots).finish(order.size());
  };
  (reorder_one(columns), ...);
}

// The sort key of an event within its instance.
struct EventPlace {
  int64_t time_ns = 0, source_id = 0;
  Row event = 0;
  auto operator<=>(const EventPlace&) const = default;
};

// Brings rows in order of place_of(row), whose event is the row.
template <typename PlaceOf>
void sort_by_place(std::span<Row> rows, const PlaceOf& place_of) {
  base::parallel_sort(rows.begin(), rows.end(),
                      [&place_of](Row a, Row b) { return place_of(a) < place_of(b); });
}

// Rows [0, count) in that order, where time and row fit in 64 bits together, so that numbers are
// sorted and only rows of equal times are looked at; empty where they do not.
template <typename PlaceOf>
base::UntouchedVector<Row> order_by_number(std::size_t count, const PlaceOf& place_of) {
  base::UntouchedVector<Row> order;
  if (count == 0) return order;
  struct Span {
    int64_t first_ns = std::numeric_limits<int64_t>::max();
    int64_t last_ns = std::numeric_limits<int64_t>::min();
  };
  base::Blocks<Span> blocks(count, kRowsOfBlock);
  blocks.for_each([&](Span& span, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const int64_t time_ns = place_of(static_cast<Row>(i)).time_ns;
      span = {std::min(span.first_ns, time_ns), std::max(span.last_ns, time_ns)};
    }
  });
  Span all;
  for (const Span& span : blocks.states()) {
    all = {std::min(all.first_ns, span.first_ns), std::max(all.last_ns, span.last_ns)};
  }
  const auto first = static_cast<uint64_t>(all.first_ns);
  const int row_bits = std::bit_width(count - 1);
  if (std::bit_width(static_cast<uint64_t>(all.last_ns) - first) + row_bits > 64) return order;

  base::UntouchedVector<uint64_t> keys(count);
  blocks.for_each([&](const Span&, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto time = static_cast<uint64_t>(place_of(static_cast<Row>(i)).time_ns);
      keys[i] = (time - first) << row_bits | i;
    }
  });
  base::parallel_sort(keys.begin(), keys.end());
  order.resize(count);
  const uint64_t row_mask = (uint64_t{1} << row_bits) - 1;
  blocks.for_each([&](const Span&, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) order[i] = static_cast<Row>(keys[i] & row_mask);
  });
  // Rows with equal times are in their final order now.
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = begin + 1;
    while (end < count && keys[end] >> row_bits == keys[begin] >> row_bits) ++end;
    if (end - begin > 1) sort_by_place(std::span(order).subspan(begin, end - begin), place_of);
    begin = end;
  }
  return order;
}

// Rows [0, count) in order of their place.
template <typename PlaceOf>
base::UntouchedVector<Row> order_by_place(std::size_t count, const PlaceOf& place_of) {
  base::UntouchedVector<Row> order = order_by_number(count, place_of);
  if (order.size() == count) return order;
  order.resize(count);
  std::iota(order.begin(), order.end(), Row{0});
  sort_by_place(std::span(order), place_of);
  return order;
}

// The order of events by instance, inside an instance by place, and the offsets of the instances.
template <typename InstanceOf, typename PlaceOf>
base::UntouchedVector<Row> group_by_instance(std::size_t instances, std::size_t events,
                                             const InstanceOf& instance_of, const PlaceOf& place_of,
                                             Column<Row>& first_of_instance) {
  // Counts are two positions later; their sums then one, the first position of the instance's
  // events.
  base::LargeVector<Row> first(instances + 2, 0);
  // Neighbors of one instance together: with one counter for many of them all cores would wait.
  const auto for_each_run = [&](const auto& use) {
    base::parallel_for(events, kRowsOfBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end;) {
        const Row instance = instance_of(i);
        const std::size_t run = i++;
        while (i < end && instance_of(i) == instance) ++i;
        use(instance, run, i);
      }
    });
  };
  const auto take = [&first](Row at, std::size_t run, std::size_t end) {
    return std::atomic_ref(first[at]).fetch_add(static_cast<Row>(end - run),
                                                std::memory_order_relaxed);
  };
  for_each_run(
      [&](Row instance, std::size_t run, std::size_t end) { take(instance + 2, run, end); });
  std::partial_sum(first.begin(), first.end(), first.begin());
  base::UntouchedVector<Row> order(events);
  for_each_run([&](Row instance, std::size_t run, std::size_t end) {
    const auto place = order.begin() + take(instance + 1, run, end);
    std::iota(place, place + static_cast<std::ptrdiff_t>(end - run), static_cast<Row>(run));
  });
  first.pop_back();
  base::parallel_for(instances, kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    std::vector<EventPlace> places;
    for (std::size_t i = begin; i < end; ++i) {
      if (first[i + 1] - first[i] < 2) continue;
      places.clear();
      for (Row e = first[i]; e < first[i + 1]; ++e) places.push_back(place_of(order[e]));
      if (std::ranges::is_sorted(places)) continue;
      if (places.size() < kRowsAtOnce) {
        std::ranges::sort(places);
      } else {
        base::parallel_sort(places.begin(), places.end());
      }
      std::ranges::transform(places, order.begin() + first[i], &EventPlace::event);
    }
  });
  first_of_instance = std::move(first);
  return order;
}

}  // namespace dlview::profile
