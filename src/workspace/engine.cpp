#include "workspace/engine.h"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "aggregate/engine/faster_engine.h"

namespace dlview::workspace {
namespace {

using aggregate::Aggregator;
using aggregate::MakeEngine;
using aggregate::ProfileIndex;
using profile::Profile;
using SharedProfile = std::shared_ptr<const Profile>;

// Fails with what the driver says rather than with what the first call to it does.
MakeEngine on_a_device(const Engines& engines) {
  return [engines](const Profile& profile, std::shared_ptr<const ProfileIndex> index) {
    if (const auto device = engines.find_device(); !device) {
      throw std::runtime_error(device.error().detail);
    }
    return engines.cuda(profile, std::move(index));
  };
}

std::unique_ptr<Aggregator> choose(const SharedProfile& profile, const Engines& engines) {
  const std::size_t rows =
      profile->instances.size() + profile->kernels.size() + profile->memory_ops.size();
  if (rows <= engines.small_run) {
    return aggregate::make_engine_aggregator(profile, {engines.cpu},
                                             "Too few kernels for a GPU to be faster");
  }
  if (const auto device = engines.find_device(); !device) {
    return aggregate::make_engine_aggregator(profile, {engines.cpu}, device.error().detail);
  }
  return aggregate::make_engine_aggregator(
      profile, {aggregate::faster_engine({engines.cpu, engines.cuda}), engines.cpu});
}

}  // namespace

base::Result<EngineChoice> parse_engine(std::string_view text) {
  if (text == "auto") return EngineChoice::automatic;
  if (text == "cpu") return EngineChoice::cpu;
  if (text == "cuda") return EngineChoice::cuda;
  return base::Error{fmt::format("Invalid --engine: \"{}\"", text), "",
                     "Valid values: auto, cpu, cuda"};
}

Engines engines_of_this_machine() {
  Engines engines;
  // A filter, the slowest question, takes the CPU about 10 ns a row (dlview_engine_bench): on two
  // cores that is less than a frame of 16 ms.
  engines.small_run = 2'000'000;
  return engines;
}

EngineFactory engine_factory(EngineChoice choice, const Engines& engines) {
  switch (choice) {
    case EngineChoice::automatic:
      return [engines](SharedProfile profile) { return choose(profile, engines); };
    case EngineChoice::cpu:
      return [engines](SharedProfile profile) {
        return aggregate::make_engine_aggregator(std::move(profile), {engines.cpu});
      };
    case EngineChoice::cuda:
      break;
  }
  return [engines](SharedProfile profile) {
    return aggregate::make_engine_aggregator(std::move(profile),
                                             {on_a_device(engines), engines.cpu});
  };
}

std::optional<std::string> engine_notice(EngineChoice choice) {
  if (choice != EngineChoice::cuda) return std::nullopt;
  const auto device = aggregate::cuda_device();
  if (device) return std::nullopt;
  return base::one_line(device.error());
}

}  // namespace dlview::workspace
