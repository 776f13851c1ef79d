// Unions of GPU activities over the trace and over each iteration's window, while they are made:
// keeps the activities of about one iteration.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "generate/pytorch.h"

namespace dlview::generate::pytorch {

class GpuUnions {
 public:
  enum class Kind : uint8_t { compute, communication, memory };

  void add(Kind kind, int64_t start_ns, int64_t end_ns) {
    edges_.push_back({start_ns, static_cast<int8_t>(kind), 1});
    edges_.push_back({end_ns, static_cast<int8_t>(kind), -1});
  }
  // A window begins, and the one before ends.
  void begin_window(int64_t at_ns) { edges_.push_back({at_ns, kWindow, 1}); }
  void end_last_window(int64_t at_ns) { edges_.push_back({at_ns, kWindow, -1}); }

  // No activity that is added later starts before `until_ns`.
  void sweep(int64_t until_ns) {
    std::sort(edges_.begin(), edges_.end(),
              [](const Edge& a, const Edge& b) { return a.at_ns < b.at_ns; });
    std::size_t done = 0;
    for (; done < edges_.size() && edges_[done].at_ns <= until_ns; ++done) pass(edges_[done]);
    edges_.erase(edges_.begin(), edges_.begin() + static_cast<std::ptrdiff_t>(done));
  }

  const PytorchTruth::GpuFigures& total() const { return total_; }
  const std::vector<PytorchTruth::GpuFigures>& windows() const { return windows_; }

 private:
  static constexpr int8_t kWindow = 3;
  struct Edge {
    int64_t at_ns;
    int8_t kind, change;
  };

  void pass(const Edge& edge) {
    const int64_t ns = edge.at_ns - before_ns_;
    before_ns_ = edge.at_ns;
    add_to(total_, ns);
    if (is_in_window_) add_to(windows_.back(), ns);
    if (edge.kind != kWindow) {
      open_[edge.kind] += edge.change;
      return;
    }
    is_in_window_ = edge.change > 0;
    if (is_in_window_) windows_.emplace_back();
  }

  void add_to(PytorchTruth::GpuFigures& figures, int64_t ns) const {
    const bool computes = open_[0] > 0, talks = open_[1] > 0, copies = open_[2] > 0;
    if (computes || talks) figures.kernel_union_ns += ns;
    if (computes || talks || copies) figures.busy_union_ns += ns;
    if (talks) figures.communication_union_ns += ns;
    if (talks && !computes) figures.exposed_communication_ns += ns;
  }

  std::vector<Edge> edges_;
  int64_t before_ns_ = 0;
  int64_t open_[3] = {0, 0, 0};
  bool is_in_window_ = false;
  PytorchTruth::GpuFigures total_;
  std::vector<PytorchTruth::GpuFigures> windows_;
};

}  // namespace dlview::generate::pytorch
