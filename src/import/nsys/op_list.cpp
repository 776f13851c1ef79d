#include "import/nsys/op_list.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace dlview::import::nsys {
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

Row OpList::add(const Instance& instance) {
  instances_.push_back(instance);
  return static_cast<Row>(instances_.size() - 1);
}

void OpList::find_ops() {
  order_.resize(instances_.size());
  std::iota(order_.begin(), order_.end(), Row{0});
  std::stable_sort(order_.begin(), order_.end(), [this](Row a, Row b) {
    return instances_[a].row.cpu_start_ns < instances_[b].row.cpu_start_ns;
  });

  using Name = std::tuple<StringId, StringId, StringId>;
  struct Seen {
    std::ptrdiff_t iteration = -1;
    int64_t count = 0;
  };
  std::map<Name, Seen> seen;
  std::map<std::pair<Name, int64_t>, Row> ops;
  std::vector<int64_t> places(instances_.size());
  op_of_.resize(instances_.size());
  for (const Row i : order_) {
    const Instance& instance = instances_[i];
    const Name name{instance.op.name, instance.op.type, instance.op.direction};
    if (instance.place_of != kNoRow) {
      places[i] = places[instance.place_of];
    } else if (instance.each_occurrence) {
      const auto iteration =
          std::upper_bound(iteration_starts_ns_.begin(), iteration_starts_ns_.end(),
                           instance.row.cpu_start_ns) -
          iteration_starts_ns_.begin();
      Seen& before = seen[name];
      if (before.iteration != iteration) before = {iteration, 0};
      places[i] = before.count++;
    }
    const auto [op, added] =
        ops.emplace(std::pair(name, places[i]), static_cast<Row>(first_of_op_.size()));
    if (added) first_of_op_.push_back(i);
    op_of_[i] = op->second;
  }
}

std::vector<Row> OpList::add_ops() {
  std::map<std::string, int64_t> counts;  // by type in capitals
  std::vector<std::pair<std::string, std::string>> names;
  for (const Row first : first_of_op_) {
    const profile::OpRow& op = instances_[first].op;
    const std::string type = upper(builder_.text(op.type));
    names.emplace_back(builder_.text(op.name), type + "_" + std::to_string(++counts[type]));
  }
  std::vector<Row> order(names.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::sort(order.begin(), order.end(), [&](Row a, Row b) { return names[a] < names[b]; });
  std::vector<Row> rows(names.size());
  for (const Row op : order) {
    profile::OpRow row = instances_[first_of_op_[op]].op;
    row.id = builder_.intern(names[op].second);
    rows[op] = builder_.add_op(row);
  }
  return rows;
}

std::vector<Row> OpList::finish() {
  find_ops();
  const std::vector<Row> op_rows = add_ops();
  std::vector<Row> rows(instances_.size());
  for (const Row i : order_) {
    profile::OpInstanceRow row = instances_[i].row;
    row.op = op_rows[op_of_[i]];
    rows[i] = builder_.add_instance(row);
  }
  return rows;
}

}  // namespace dlview::import::nsys
