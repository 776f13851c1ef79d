#include "aggregate/comparison/waterfall.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "aggregate/exclusive/rounding.h"

namespace dlview::aggregate {
namespace {

using profile::OpIndex;
using profile::Row;

int64_t at_least_one(int64_t count) {
  return std::max<int64_t>(count, 1);
}

// Of which a bar's shown time is a share: iterations times GPUs.
int64_t denominator_of(const PartSums& sums) {
  return at_least_one(sums.iterations) * at_least_one(sums.devices);
}

int64_t busy_devices_of(const PartSums& sums) {
  return std::ranges::count_if(sums.gpu_busy_ns, [](int64_t ns) { return ns > 0; });
}

int64_t size_of(const Bar& bar) {
  return std::abs(bar.difference_ns());
}

// The largest difference first, then the longest; else in the order they came.
template <typename Bars>
void sort_bars(Bars& bars) {
  std::ranges::stable_sort(bars, [](const Bar& a, const Bar& b) {
    return std::tuple(size_of(a), std::max(a.before_ns, a.after_ns)) >
           std::tuple(size_of(b), std::max(b.before_ns, b.after_ns));
  });
}

// One bar has the time of both; rows of a part are in order of op, and without op of name and gap.
bool is_of_same_op(const PartKey& a, const PartKey& b) {
  return a.part == b.part && a.op == b.op && (a.op != profile::kNoRow || a.gap == b.gap);
}

class WaterfallMaker {
 public:
  WaterfallMaker(const WaterfallSide& before, const WaterfallSide& after,
                 const OpMatching& matching, const KernelKeys& keys, const WaterfallScope& scope)
      : before_(before), after_(after), matching_(matching), keys_(keys), scope_(scope) {
    for (std::size_t part = 0; part < kStackPartCount; ++part) {
      result_.parts[part].part = kStackParts[part];
    }
  }

  Waterfall make() {
    result_.iterations_before = before_.sums.iterations;
    result_.iterations_after = after_.sums.iterations;
    result_.devices_before = before_.sums.devices;
    result_.devices_after = after_.sums.devices;
    result_.busy_devices_before = busy_devices_of(before_.sums);
    result_.busy_devices_after = busy_devices_of(after_.sums);
    add_side(before_, true);
    add_side(after_, false);
    for (PartBar& part : result_.parts) {
      for (OpBar& op : part.ops) {
        pair_kernels(op);
        // Also where the op has no time in this part.
        if (op.before != profile::kNoRow) op.calls_before = calls_of(before_, op.before);
        if (op.after != profile::kNoRow) op.calls_after = calls_of(after_, op.after);
      }
    }
    add_up(result_.iteration, result_.parts);
    round_all();
    return std::move(result_);
  }

 private:
  bool has_ops(StackPart part) const {
    return scope_.depth != WaterfallScope::Depth::parts && (!scope_.part || scope_.part == part);
  }
  bool has_kernels(const OpBar& op) const {
    return scope_.depth == WaterfallScope::Depth::kernels && is_gpu_part(op.part) &&
           (!scope_.op || scope_.op == std::pair(op.before, op.after));
  }
  static int64_t calls_of(const WaterfallSide& side, OpIndex op) {
    return side.index->calls(op, side.instances);
  }

  // Tells bars of a part apart: two ops, or an idle cause.
  static uint64_t place_key(const OpBar& bar) {
    if (bar.is_op()) return uint64_t{Row(bar.before)} << 32U | Row(bar.after);
    // No op has such a row.
    const Row cause = bar.cause ? static_cast<Row>(*bar.cause) + 1 : 0;
    return uint64_t{profile::kNoRow} << 32U | (profile::kNoRow - cause);
  }

  // The index of its bar in the part.
  std::size_t bar_of(const PartKey& key, bool is_before) {
    OpBar bar;
    bar.part = key.part;
    if (key.op == profile::kNoRow) {
      bar.cause = key.gap;
    } else {
      const OpMatch* const match =
          is_before ? matching_.of_before(key.op) : matching_.of_after(key.op);
      (is_before ? bar.before : bar.after) = key.op;
      if (match != nullptr) {
        bar.before = match->before;
        bar.after = match->after;
        bar.by = match->by;
      }
    }
    std::vector<OpBar>& ops = result_.parts[static_cast<std::size_t>(key.part)].ops;
    const auto [entry, is_new] =
        places_[static_cast<std::size_t>(key.part)].try_emplace(place_key(bar), ops.size());
    if (is_new) ops.push_back(std::move(bar));
    return entry->second;
  }

  static void add_time(Bar& bar, const PartTime& row, bool is_before) {
    (is_before ? bar.before_sum_ns : bar.after_sum_ns) += row.exclusive_ns;
    (is_before ? bar.overlapped_before_ns : bar.overlapped_after_ns) += row.overlapped_ns;
  }

  // Rows are in order of part, op and name.
  void add_side(const WaterfallSide& side, bool is_before) {
    const PartTime* last = nullptr;
    std::size_t place = 0, kernel_place = 0;
    for (const PartTime& row : side.sums.rows) {
      PartBar& part = result_.parts[static_cast<std::size_t>(row.key.part)];
      add_time(part, row, is_before);
      if (!has_ops(row.key.part)) continue;
      const bool is_same_op = last != nullptr && is_of_same_op(last->key, row.key);
      const bool is_same_name = is_same_op && last->key.name == row.key.name;
      last = &row;
      if (!is_same_op) place = bar_of(row.key, is_before);
      OpBar& op = part.ops[place];
      add_time(op, row, is_before);
      if (!has_kernels(op)) continue;
      if (!is_same_name) {
        const uint32_t key = is_before ? keys_.before(row.key.name) : keys_.after(row.key.name);
        kernel_place = kernel_of(op, place, key, is_before);
        KernelBar& kernel = op.kernels[kernel_place];
        (is_before ? kernel.calls_before : kernel.calls_after) +=
            side.index->launches(row.key.op, row.key.name, side.instances);
      }
      add_time(op.kernels[kernel_place], row, is_before);
    }
  }

  // The index of its bar in the op, which is `place` in its part.
  std::size_t kernel_of(OpBar& op, std::size_t place, uint32_t key, bool is_before) {
    const auto [entry, is_new] = kernel_places_[static_cast<std::size_t>(op.part)].try_emplace(
        uint64_t{place} << 32U | key, op.kernels.size());
    const KernelPairing own = is_before ? KernelPairing::only_before : KernelPairing::only_after;
    if (is_new) {
      op.kernels.emplace_back();
      op.kernels.back().pairing = own;
      op.kernels.back().before = op.kernels.back().after = key;
    }
    KernelBar& kernel = op.kernels[entry->second];
    if (kernel.pairing != own) kernel.pairing = KernelPairing::same;
    return entry->second;
  }

  // Merges `after`, which only the run after has, into `before`.
  static void replace(KernelBar& before, KernelBar& after) {
    before.pairing = KernelPairing::replaced;
    before.after = after.after;
    before.after_sum_ns = after.after_sum_ns;
    before.overlapped_after_ns = after.overlapped_after_ns;
    before.calls_after = after.calls_after;
    after.after_sum_ns = after.before_sum_ns = 0;
    after.calls_after = after.calls_before = -1;  // gone
  }

  // Kernels of one op that changed names: of one family, or the only one removed and the only one
  // added.
  void pair_kernels(OpBar& op) const {
    if (op.before == profile::kNoRow || op.after == profile::kNoRow) return;
    const auto is_paired = [](const KernelBar& bar) { return bar.pairing == KernelPairing::same; };
    if (std::ranges::all_of(op.kernels, is_paired)) return;
    const auto open = [&op](KernelPairing pairing) {
      std::vector<KernelBar*> bars;
      for (KernelBar& bar : op.kernels) {
        if (bar.pairing == pairing && bar.calls_after != -1) bars.push_back(&bar);
      }
      return bars;
    };
    std::map<std::string_view, std::pair<std::vector<KernelBar*>, std::vector<KernelBar*>>>
        families;
    for (KernelBar* const bar : open(KernelPairing::only_before)) {
      families[keys_.family(bar->before)].first.push_back(bar);
    }
    for (KernelBar* const bar : open(KernelPairing::only_after)) {
      families[keys_.family(bar->after)].second.push_back(bar);
    }
    for (auto& entry : families) {
      auto& [from, to] = entry.second;
      if (entry.first.empty() || from.size() != to.size()) continue;
      for (std::size_t i = 0; i < from.size(); ++i) replace(*from[i], *to[i]);
    }
    const std::vector<KernelBar*> from = open(KernelPairing::only_before),
                                  to = open(KernelPairing::only_after);
    if (from.size() == 1 && to.size() == 1) replace(*from[0], *to[0]);
    std::erase_if(op.kernels, [](const KernelBar& bar) { return bar.calls_after == -1; });
  }

  template <typename Bars>
  static void add_up(Bar& whole, const Bars& bars) {
    for (const Bar& bar : bars) {
      whole.before_sum_ns += bar.before_sum_ns;
      whole.after_sum_ns += bar.after_sum_ns;
      whole.overlapped_before_ns += bar.overlapped_before_ns;
      whole.overlapped_after_ns += bar.overlapped_after_ns;
    }
  }

  // What tells a bar from others on its side. Of equal remainders the first is rounded up: the
  // order must not depend on which run is before.
  static auto side_key(const PartBar& part, bool /*is_before*/) { return part.part; }
  static auto side_key(const OpBar& op, bool is_before) {
    return std::pair(Row(is_before ? op.before : op.after), op.cause);
  }
  auto side_key(const KernelBar& kernel, bool is_before) const {
    return std::string_view(keys_.name(is_before ? kernel.before : kernel.after));
  }

  template <typename Bars>
  void round_side(Bars& bars, bool is_before, int64_t denominator, int64_t whole_ns) const {
    if (bars.size() == 1) {
      (is_before ? bars[0].before_ns : bars[0].after_ns) = whole_ns;
      return;
    }
    std::vector<std::size_t> order(bars.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {},
                             [&](std::size_t i) { return side_key(bars[i], is_before); });
    std::vector<int64_t> sums;
    for (const std::size_t i : order) {
      sums.push_back(is_before ? bars[i].before_sum_ns : bars[i].after_sum_ns);
    }
    const std::vector<int64_t> rounded = rounded_to(sums, denominator, whole_ns);
    for (std::size_t i = 0; i < order.size(); ++i) {
      (is_before ? bars[order[i]].before_ns : bars[order[i]].after_ns) = rounded[i];
    }
  }

  template <typename Bars>
  void round_within(const Bar& whole, Bars& bars) const {
    round_side(bars, true, denominator_of(before_.sums), whole.before_ns);
    round_side(bars, false, denominator_of(after_.sums), whole.after_ns);
  }

  void round_all() {
    Bar& iteration = result_.iteration;
    iteration.before_ns = rounded_total(iteration.before_sum_ns, denominator_of(before_.sums));
    iteration.after_ns = rounded_total(iteration.after_sum_ns, denominator_of(after_.sums));
    round_within(iteration, result_.parts);
    for (PartBar& part : result_.parts) {
      round_within(part, part.ops);
      for (OpBar& op : part.ops) {
        if (!op.kernels.empty()) round_within(op, op.kernels);
        sort_bars(op.kernels);
      }
      sort_bars(part.ops);
    }
  }

  const WaterfallSide &before_, &after_;
  const OpMatching& matching_;
  const KernelKeys& keys_;
  const WaterfallScope scope_;
  Waterfall result_;
  // By part: the index of a bar in PartBar::ops, and of a kernel in OpBar::kernels.
  std::array<std::unordered_map<uint64_t, std::size_t>, kStackPartCount> places_, kernel_places_;
};

}  // namespace

CallSplit Waterfall::split(const Bar& bar) const {
  const double before = calls_before(bar), after = calls_after(bar);
  if (bar.calls_before == 0 || bar.calls_after == 0) return {bar.difference_ns(), 0};
  const double mean_before = static_cast<double>(bar.before_ns) / before;
  const auto by_calls = std::llround((after - before) * mean_before);
  return {by_calls, bar.difference_ns() - by_calls};
}

double Waterfall::calls_before(const Bar& bar) const {
  return static_cast<double>(bar.calls_before) /
         static_cast<double>(at_least_one(iterations_before) * at_least_one(busy_devices_before));
}

double Waterfall::calls_after(const Bar& bar) const {
  return static_cast<double>(bar.calls_after) /
         static_cast<double>(at_least_one(iterations_after) * at_least_one(busy_devices_after));
}

std::vector<int64_t> rounded_to(std::span<const int64_t> sums, int64_t denominator, int64_t total) {
  std::vector<int64_t> rounded, rest;
  for (const int64_t sum : sums) {
    int64_t down = sum / denominator;
    if (sum % denominator < 0) --down;
    rounded.push_back(down);
    rest.push_back(sum - down * denominator);
    total -= down;
  }
  std::vector<std::size_t> order(sums.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&rest](std::size_t i) { return rest[i]; });
  for (std::size_t i = 0; i < order.size() && total > 0; ++i, --total) ++rounded[order[i]];
  return rounded;
}

Waterfall make_waterfall(const WaterfallSide& before, const WaterfallSide& after,
                         const OpMatching& matching, const KernelKeys& keys,
                         const WaterfallScope& scope) {
  return WaterfallMaker(before, after, matching, keys, scope).make();
}

Waterfall in_steps_of(Waterfall waterfall, int64_t step_ns) {
  const auto round_below = [step_ns](const Bar& whole, auto& bars) {
    std::vector<int64_t> before, after;
    for (const Bar& bar : bars) {
      before.push_back(bar.before_ns);
      after.push_back(bar.after_ns);
    }
    before = rounded_to(before, step_ns, whole.before_ns / step_ns);
    after = rounded_to(after, step_ns, whole.after_ns / step_ns);
    for (std::size_t i = 0; i < before.size(); ++i) {
      bars[i].before_ns = before[i] * step_ns;
      bars[i].after_ns = after[i] * step_ns;
    }
  };
  Bar& iteration = waterfall.iteration;
  iteration.before_ns = rounded_total(iteration.before_ns, step_ns) * step_ns;
  iteration.after_ns = rounded_total(iteration.after_ns, step_ns) * step_ns;
  round_below(iteration, waterfall.parts);
  for (PartBar& part : waterfall.parts) {
    round_below(part, part.ops);
    for (OpBar& op : part.ops) {
      if (!op.kernels.empty()) round_below(op, op.kernels);
    }
  }
  return waterfall;
}

}  // namespace dlview::aggregate
