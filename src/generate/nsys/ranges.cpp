#include "generate/nsys/ranges.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "generate/nsys/marker_texts.h"

namespace dlview::generate::nsys {
namespace {

using profile::InstanceIndex;
using profile::OpIndex;
using profile::Profile;
using profile::ThreadIndex;

// By how much a range begins before and ends after the range in it. Between the instances of a
// thread lies more time than all of them need.
constexpr int64_t kStepMarginNs = 200, kTraceMarginNs = 100, kInnerMarginNs = 10;
constexpr int64_t kConfigNs = 1'000;

enum class Kind : uint8_t { config, step, trace_marker, op_marker, forward, backward, tensorflow };

struct Range {
  int64_t start_ns = 0, end_ns = 0;
  ThreadIndex thread{0};
  Kind kind = Kind::step;
  InstanceIndex instance{0};
  int64_t number = 0;  // of the step; else what PyTorch calls seq
};

// A backward op has the number of the forward op of its name that ran last and has none yet.
class Sequence {
 public:
  int64_t forward(profile::StringId name) {
    open_[name].push_back(++last_);
    return last_;
  }
  int64_t backward(profile::StringId name) {
    std::vector<int64_t>& open = open_[name];
    if (open.empty()) return ++last_;
    const int64_t number = open.back();
    open.pop_back();
    return number;
  }

 private:
  int64_t last_ = 0;
  std::map<profile::StringId, std::vector<int64_t>> open_;
};

class Ranges {
 public:
  explicit Ranges(const Profile& profile) : profile_(profile) {}

  // Of each thread that runs the key op.
  void add_steps(const std::string& key_op) {
    std::map<ThreadIndex, std::vector<int64_t>> starts_ns;
    for (InstanceIndex row{0}; row < profile_.instances.size(); ++row) {
      if (!is_key(profile_.instances.op[row], key_op)) continue;
      starts_ns[profile_.instances.thread[row]].push_back(profile_.instances.cpu_start_ns[row]);
    }
    for (auto& [thread, starts] : starts_ns) {
      starts.push_back(last_stop_ns(thread) + 3 * kStepMarginNs);
      for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
        ranges_.push_back({starts[i] - kStepMarginNs, starts[i + 1] - 2 * kStepMarginNs, thread,
                           Kind::step, InstanceIndex{0}, static_cast<int64_t>(i) + 1});
      }
    }
  }

  void add_ops() {
    const bool is_pytorch = profile_.system.mode == "pytorch";
    Sequence sequence;
    for (InstanceIndex row{0}; row < profile_.instances.size(); ++row) {
      const OpIndex op = profile_.instances.op[row];
      if (profile_.is_unassociated(op)) continue;
      if (!is_pytorch) {
        add(row, 0, Kind::tensorflow, 0);
      } else if (profile_.text(profile_.ops.direction[op]) == "bprop") {
        add(row, 0, Kind::backward, sequence.backward(profile_.ops.name[op]));
      } else {
        const int64_t number = sequence.forward(profile_.ops.name[op]);
        add(row, kTraceMarginNs, Kind::trace_marker, number);
        add(row, 0, Kind::op_marker, number);
        add(row, -kInnerMarginNs, Kind::forward, number);
      }
    }
  }

  void add_config() {
    if (!profile_.system.model_config || profile_.instances.size() == 0) return;
    const int64_t end_ns = profile_.instances.cpu_start_ns[0] - kConfigNs;
    ranges_.push_back({end_ns - kConfigNs, end_ns, profile_.instances.thread[0], Kind::config,
                       InstanceIndex{0}, 0});
  }

  // In order of their start, what contains others before them.
  const std::vector<Range>& sort() {
    std::stable_sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
      return std::pair(a.start_ns, -a.end_ns) < std::pair(b.start_ns, -b.end_ns);
    });
    return ranges_;
  }

  std::string text(const Range& range) const {
    const OpIndex op = profile_.instances.op[range.instance];
    const std::string_view type = profile_.text(profile_.ops.type[op]);
    switch (range.kind) {
      case Kind::config:
        return config_marker(*profile_.system.model_config);
      case Kind::step:
        return fmt::format("step {}", range.number);
      case Kind::trace_marker:
        return trace_marker(profile_, op);
      case Kind::op_marker:
        return op_marker(profile_, range.instance);
      case Kind::forward:
        return forward_text(type, range.number);
      case Kind::backward:
        return backward_text(type, range.number);
      case Kind::tensorflow:
        break;
    }
    return fmt::format("{}: {}", type, profile_.text(profile_.ops.name[op]));
  }

 private:
  bool is_key(OpIndex op, const std::string& key_op) const {
    return profile_.text(profile_.ops.id[op]) == key_op ||
           profile_.text(profile_.ops.name[op]) == key_op;
  }

  int64_t last_stop_ns(ThreadIndex thread) const {
    int64_t last_ns = 0;
    for (InstanceIndex row{0}; row < profile_.instances.size(); ++row) {
      if (profile_.instances.thread[row] != thread) continue;
      last_ns = std::max(last_ns, profile_.instances.cpu_stop_ns[row]);
    }
    return last_ns;
  }

  void add(InstanceIndex instance, int64_t margin_ns, Kind kind, int64_t number) {
    ranges_.push_back({profile_.instances.cpu_start_ns[instance] - margin_ns,
                       profile_.instances.cpu_stop_ns[instance] + margin_ns,
                       profile_.instances.thread[instance], kind, instance, number});
  }

  const Profile& profile_;
  std::vector<Range> ranges_;
};

}  // namespace

void write_ranges(const Profile& profile, const std::string& key_op, EventTables& tables) {
  Ranges ranges(profile);
  ranges.add_config();
  ranges.add_steps(key_op);
  ranges.add_ops();
  for (const Range& range : ranges.sort()) {
    const std::string text = ranges.text(range);
    tables.range({range.start_ns, range.end_ns, profile.threads[range.thread], text});
  }
}

}  // namespace dlview::generate::nsys
