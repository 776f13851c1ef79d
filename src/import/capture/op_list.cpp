#include "import/capture/op_list.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>

#include "base/sort_runs.h"

namespace dlview::import::capture {
namespace {

using profile::kNoRow;
using profile::Row;
using profile::StringId;

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

uint32_t OpList::describe(const Description& description) {
  descriptions_.push_back(description);
  return static_cast<uint32_t>(descriptions_.size() - 1);
}

Row OpList::add(const Instance& instance) {
  instances_.push_back(instance);
  return static_cast<Row>(instances_.size() - 1);
}

base::UntouchedVector<Row> OpList::order_of_start() const {
  base::UntouchedVector<Row> order(instances_.size());
  std::iota(order.begin(), order.end(), Row{0});
  base::sort_runs(std::span(order),
                  [this](Row a, Row b) { return instances_[a].start_ns < instances_[b].start_ns; });
  return order;
}

std::vector<uint32_t> OpList::number_names() const {
  std::map<std::tuple<StringId, StringId, StringId>, uint32_t> numbers;
  std::vector<uint32_t> names;
  names.reserve(descriptions_.size());
  for (const Description& d : descriptions_) {
    const std::tuple name{d.op.name, d.op.type, d.op.direction};
    names.push_back(numbers.emplace(name, static_cast<uint32_t>(numbers.size())).first->second);
  }
  return names;
}

void OpList::find_ops(std::span<const Row> order) {
  struct Seen {
    std::size_t iteration = SIZE_MAX;
    uint32_t count = 0;
  };
  const std::vector<uint32_t> names = number_names();
  std::vector<Seen> seen(descriptions_.size());              // by name
  std::vector<Row> first_ops(descriptions_.size(), kNoRow);  // by name, of place 0
  std::unordered_map<uint64_t, Row> other_ops;               // by name and place
  base::LargeVector<uint32_t> places(instances_.size());
  op_of_.resize(instances_.size());
  std::size_t iteration = 0;
  for (const Row i : order) {
    const Instance& instance = instances_[i];
    const uint32_t name = names[instance.description];
    while (iteration < iteration_starts_ns_.size() &&
           iteration_starts_ns_[iteration] <= instance.start_ns) {
      ++iteration;
    }
    if (instance.place_of != kNoRow) {
      places[i] = places[instance.place_of];
    } else if (descriptions_[instance.description].each_occurrence) {
      Seen& before = seen[name];
      if (before.iteration != iteration) before = {iteration, 0};
      places[i] = before.count++;
    }
    Row& op = places[i] == 0
                  ? first_ops[name]
                  : other_ops.try_emplace(uint64_t{name} << 32 | places[i], kNoRow).first->second;
    if (op == kNoRow) {
      op = static_cast<Row>(first_of_op_.size());
      first_of_op_.push_back(i);
    }
    op_of_[i] = op;
  }
}

std::vector<Row> OpList::add_ops() {
  std::map<std::string, int64_t> counts;  // by type in capitals
  std::vector<std::pair<std::string, std::string>> names;
  for (const Row first : first_of_op_) {
    const profile::OpRow& op = descriptions_[instances_[first].description].op;
    const std::string type = upper(builder_.text(op.type));
    names.emplace_back(builder_.text(op.name), type + "_" + std::to_string(++counts[type]));
  }
  std::vector<Row> order(names.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::sort(order.begin(), order.end(), [&](Row a, Row b) { return names[a] < names[b]; });
  std::vector<Row> rows(names.size());
  for (const Row op : order) {
    profile::OpRow row = descriptions_[instances_[first_of_op_[op]].description].op;
    row.id = builder_.intern(names[op].second);
    rows[op] = builder_.add_op(row);
  }
  return rows;
}

base::UntouchedVector<Row> OpList::finish() && {
  const base::UntouchedVector<Row> order = order_of_start();
  find_ops(order);
  const std::vector<Row> op_rows = add_ops();
  builder_.add_instances(order.size(), [&](std::size_t i) -> profile::OpInstanceRow {
    const Instance& instance = instances_[order[i]];
    const Description& description = descriptions_[instance.description];
    return {.op = op_rows[op_of_[order[i]]],
            .cpu_start_ns = instance.start_ns,
            .cpu_stop_ns = instance.stop_ns,
            .thread = instance.thread,
            .input_names = description.input_names,
            .input_shapes = description.input_shapes,
            .output_names = description.output_names,
            .output_shapes = description.output_shapes,
            .parameters = description.parameters};
  });
  base::UntouchedVector<Row> rows(order.size());
  base::parallel_for(order.size(), kInstancesAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) rows[order[i]] = static_cast<Row>(i);
  });
  return rows;
}

}  // namespace dlview::import::capture
