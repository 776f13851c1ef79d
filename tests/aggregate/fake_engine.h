// An engine that is slow, fails or is wrong when a test wants it to; else its answers are those of
// the CPU engine.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "aggregate/cpu/cpu_engine.h"
#include "aggregate/engine/engine.h"
#include "aggregate/engine/engine_aggregator.h"

namespace dlview::aggregate {

struct FakeEngineOptions {
  std::string name = "fake";
  bool can_be_made = true;
  std::chrono::milliseconds delay{0};               // of each sum over rows
  int questions = std::numeric_limits<int>::max();  // after which it fails
  // Returns whether an answer is wrong by 1; asked before each.
  enum class Question { rows, groups, kernel_totals, covered_before };
  std::function<bool(Question question, Part part)> is_wrong = [](Question, Part) { return false; };
};

class FakeEngine : public Engine {
 public:
  FakeEngine(std::unique_ptr<Engine> engine, FakeEngineOptions options)
      : engine_(std::move(engine)), options_(std::move(options)) {}

  std::string_view name() const override { return options_.name; }
  bool prepare_filters() override { return engine_->prepare_filters(); }
  void set_filter(const RowFilter& filter) override { asked().set_filter(filter); }
  void set_iterations(const Iterations& iterations) override { asked().set_iterations(iterations); }
  RowCells rows(Part part, profile::Row first, profile::Row end) override {
    std::this_thread::sleep_for(options_.delay);
    RowCells cells = asked().rows(part, first, end);
    if (options_.is_wrong(Question::rows, part)) ++cells.ops.sums.front();
    return cells;
  }
  Cells groups(Part part, const IterationRange& range) override {
    Cells cells = asked().groups(part, range);
    if (options_.is_wrong(Question::groups, part)) ++cells.sums.front();
    return cells;
  }
  std::vector<KernelTotals> kernel_totals(Part part) override {
    std::vector<KernelTotals> totals = asked().kernel_totals(part);
    if (options_.is_wrong(Question::kernel_totals, part)) ++totals.back().gpu_ns;
    return totals;
  }
  std::vector<Coverage> covered_before(Part part, profile::DeviceIndex device,
                                       std::span<const int64_t> times_ns) override {
    std::vector<Coverage> coverage = asked().covered_before(part, device, times_ns);
    if (options_.is_wrong(Question::covered_before, part)) ++coverage.back().ns[0];
    return coverage;
  }

 private:
  using Question = FakeEngineOptions::Question;

  Engine& asked() {
    if (options_.questions-- == 0) throw std::runtime_error("out of memory");
    return *engine_;
  }
  std::unique_ptr<Engine> engine_;
  FakeEngineOptions options_;
};

inline MakeEngine fake_engine(FakeEngineOptions options) {
  return [options](const profile::Profile& profile, std::shared_ptr<const ProfileIndex> index) {
    if (!options.can_be_made) throw std::runtime_error("cannot be made");
    return std::make_unique<FakeEngine>(cpu_engine()(profile, std::move(index)), options);
  };
}

}  // namespace dlview::aggregate
