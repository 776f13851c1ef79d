// Rows of a table of events as the threads that read its ranges leave them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "base/large_memory.h"
#include "base/number_distinct.h"
#include "base/parallel.h"
#include "import/sqlite/row_ranges.h"
#include "profile/builder.h"

namespace dlview::import::dlprof {

// Mixes numbers into one.
class Hash {
 public:
  Hash& add(int64_t number) {
    value_ = (value_ ^ static_cast<uint64_t>(number)) * 0x9e3779b97f4a7c15;
    value_ ^= value_ >> 32;
    return *this;
  }
  std::size_t value() const { return value_; }

 private:
  uint64_t value_ = 0;
};

struct LaunchKey {
  profile::Dim3 grid, block;
  profile::Row device = 0;
  profile::Thread thread;
  bool operator==(const LaunchKey&) const = default;
};

struct HashOfKey {
  std::size_t operator()(const profile::Thread& thread) const {
    return Hash().add(thread.process_id).add(thread.thread_id).value();
  }
  std::size_t operator()(const LaunchKey& launch) const {
    Hash hash;
    hash.add(launch.device).add(launch.thread.process_id).add(launch.thread.thread_id);
    for (const profile::Dim3& size : {launch.grid, launch.block}) {
      hash.add(size.x).add(size.y).add(size.z);
    }
    return hash.value();
  }
};

// The rows of each range. What they refer to, a thread or a launch, has numbers of its range until
// settle() is called.
template <typename RowType, typename Key>
class EventParts {
 public:
  explicit EventParts(const std::vector<sqlite::RowRange>& ranges) : parts_(ranges.size()) {
    for (std::size_t i = 0; i < ranges.size(); ++i) parts_[i].rows.reserve(ranges[i].room);
  }

  void add(std::size_t range, const RowType& row) { parts_[range].rows.push_back(row); }
  // In a range.
  profile::Row number(std::size_t range, const Key& key) { return parts_[range].keys.find(key); }

  // Calls `fits` for every row in order and leaves out those for which it is false. For the others,
  // sets what `intern` returns for the key of their `reference`, called when a row first has it.
  template <typename Fits, typename Intern>
  void settle(profile::Row RowType::*reference, const Fits& fits, const Intern& intern) {
    first_.assign(1, 0);
    for (Part& part : parts_) {
      std::vector<profile::Row> known(part.keys.keys().size(), profile::kNoRow);
      std::erase_if(part.rows, [&](RowType& row) {
        if (!fits(row)) return true;
        profile::Row& found = known[row.*reference];
        if (found == profile::kNoRow) found = intern(part.keys.keys()[row.*reference]);
        row.*reference = found;
        return false;
      });
      first_.push_back(first_.back() + part.rows.size());
    }
  }

  // As above if all rows fit, on all cores.
  template <typename Intern>
  void settle_all(profile::Row RowType::*reference, const Intern& intern) {
    std::vector<std::vector<profile::Row>> known;
    first_.assign(1, 0);
    for (Part& part : parts_) {
      std::ranges::transform(part.keys.keys(), std::back_inserter(known.emplace_back()), intern);
      first_.push_back(first_.back() + part.rows.size());
    }
    base::parallel_for(parts_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        for (RowType& row : parts_[p].rows) row.*reference = known[p][row.*reference];
      }
    });
  }

  // Returns the result of add(sum, row) over the rows, on all cores.
  template <typename Sum, typename Add>
  Sum sum(const Add& add) const {
    std::vector<Sum> sums(parts_.size());
    base::parallel_for(parts_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        Sum sum;
        for (const RowType& row : parts_[p].rows) add(sum, row);
        sums[p] = sum;
      }
    });
    Sum all;
    for (const Sum& sum : sums) all += sum;
    return all;
  }

  // Returns the rows of all ranges; after settle().
  std::size_t size() const { return first_.back(); }
  const RowType& operator[](std::size_t i) const {
    const auto behind = std::ranges::upper_bound(first_, i);
    const auto part = static_cast<std::size_t>(behind - first_.begin()) - 1;
    return parts_[part].rows[i - first_[part]];
  }
  template <typename Use>
  void for_each(const Use& use) const {
    for (const Part& part : parts_) std::ranges::for_each(part.rows, use);
  }
  // use(i, row), on all cores.
  template <typename Use>
  void for_each_at_once(const Use& use) const {
    base::parallel_for(parts_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        for (std::size_t r = 0; r < parts_[p].rows.size(); ++r) {
          use(first_[p] + r, parts_[p].rows[r]);
        }
      }
    });
  }

 private:
  struct Part {
    base::LargeVector<RowType> rows;
    base::KeyNumbers<Key, HashOfKey> keys;
  };
  std::vector<Part> parts_;
  std::vector<std::size_t> first_{0};  // of each range; ends with the number of rows
};

}  // namespace dlview::import::dlprof
