// An engine that is slow or fails when a test wants it to; its answers are those of the CPU engine.
#pragma once

#include <chrono>
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
    return asked().rows(part, first, end);
  }
  Cells groups(Part part, const IterationRange& range) override {
    return asked().groups(part, range);
  }
  std::vector<KernelTotals> kernel_totals(Part part) override {
    return asked().kernel_totals(part);
  }
  std::vector<Coverage> covered_before(Part part, profile::Row device,
                                       std::span<const int64_t> times_ns) override {
    return asked().covered_before(part, device, times_ns);
  }

 private:
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
