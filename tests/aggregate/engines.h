// The engines under test: the CPU engine; the GPU's algorithms on the host, where Thrust's headers
// are; and on a GPU, where there is one. All must give the integers of the reference.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aggregate/aggregator.h"
#include "aggregate/cpu/cpu_engine.h"
#include "aggregate/cuda/cuda_engine.h"
#include "aggregate/engine/engine_aggregator.h"
#include "support/random_profile.h"
#if __has_include(<thrust/version.h>)
#include "aggregate/thrust/thrust_engine.h"
#endif

namespace dlview::aggregate {

using SharedProfile = std::shared_ptr<const profile::Profile>;

// Blocks of few rows, whatever memory they take.
inline constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

struct EngineUnderTest {
  std::string name;
  std::unique_ptr<Aggregator> (*make)(SharedProfile profile, int64_t block_rows);
};

inline std::vector<EngineUnderTest> engines_under_test() {
  std::vector<EngineUnderTest> engines{
      {"Cpu", [](SharedProfile profile, int64_t block_rows) {
         return make_engine_aggregator(
             std::move(profile),
             {cpu_engine({.block_rows = block_rows, .bytes_per_row = kUnbounded})});
       }}};
#if __has_include(<thrust/version.h>)
  engines.push_back(
      {"ThrustOnTheHost", [](SharedProfile profile, int64_t block_rows) {
         const ThrustEngine<HostSpace>::Options options{
             .chunk_rows = static_cast<uint32_t>(std::min<int64_t>(block_rows, 64))};
         return make_engine_aggregator(
             std::move(profile),
             {[options](const profile::Profile& rows, std::shared_ptr<const ProfileIndex> index) {
               return std::make_unique<ThrustEngine<HostSpace>>(rows, std::move(index), options);
             }});
       }});
#endif
  if (cuda_device().ok()) {
    engines.push_back({"Cuda", [](SharedProfile profile, int64_t) {
                         return make_engine_aggregator(std::move(profile), {make_cuda_engine});
                       }});
  }
  return engines;
}

// What real runs seldom are. Names are those of test failures.
inline std::vector<std::pair<std::string, testing::RandomProfileOptions>> unusual_runs() {
  testing::RandomProfileOptions one_group, backwards, many_devices, long_times, seconds, many,
      before_zero, around_zero, once;
  one_group.one_group = true;
  one_group.instances = 1'000;
  backwards.backwards = true;
  many_devices.kernel_devices = 24;
  many_devices.copy_devices = many_devices.idle_devices = 4;
  long_times.length_ns = int64_t{40'000} << 36;  // sums beyond 2^53
  seconds.length_ns = int64_t{40'000} << 24;     // single times below and beyond 2^32
  before_zero.start_ns = -int64_t{1'000'000};
  around_zero.start_ns = -around_zero.length_ns / 2;
  many.instances = 2'000;
  many.kernels = 4'000;
  once.ops = 80;  // most of which an iteration runs once
  once.key_instances = 30;
  testing::RandomProfileOptions all = many_devices;
  all.one_group = all.backwards = true;
  all.length_ns = long_times.length_ns;
  return {{"one giant group", one_group}, {"ends before beginnings", backwards},
          {"many devices", many_devices}, {"long times", long_times},
          {"times of seconds", seconds},  {"many instances", many},
          {"before zero", before_zero},   {"around zero", around_zero},
          {"ops that run once", once},    {"all of these", all}};
}

}  // namespace dlview::aggregate
