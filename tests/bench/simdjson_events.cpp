#include "bench/simdjson_events.h"

#include <string_view>

#ifdef DLVIEW_HAS_SIMDJSON
#include <simdjson.h>
#endif

namespace dlview::bench {

#ifdef DLVIEW_HAS_SIMDJSON
namespace {

namespace ondemand = simdjson::ondemand;

uint64_t sum_of_number(ondemand::value value) {
  double number = 0;
  if (value.get_double().get(number) != simdjson::SUCCESS) return 0;
  return static_cast<uint64_t>(static_cast<int64_t>(number * 1000));
}

uint64_t sum_of_list(ondemand::value value) {
  std::string_view json;
  ondemand::array list;
  if (value.get_array().get(list) != simdjson::SUCCESS) return 0;
  return list.raw_json().get(json) == simdjson::SUCCESS ? json.size() : 0;
}

// By what the reader keeps of an event of each category.
uint64_t sum_of_arguments(std::string_view category, ondemand::object arguments) {
  uint64_t sum = 0;
  const bool is_op = category == "cpu_op", is_kernel = category == "kernel";
  for (ondemand::field field : arguments) {
    std::string_view key;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) continue;
    if (is_op) {
      if (key == "Input Dims" || key == "Input type" || key == "Input Strides" ||
          key == "Concrete Inputs") {
        sum += sum_of_list(field.value());
      } else if (key == "Sequence number" || key == "Fwd thread id") {
        sum += sum_of_number(field.value());
      }
    } else if (key == "correlation" || key == "device" || key == "stream" || key == "context" ||
               key == "bytes") {
      sum += sum_of_number(field.value());
    } else if (is_kernel) {
      if (key == "grid" || key == "block") {
        sum += sum_of_list(field.value());
      } else if (key == "registers per thread" || key == "shared memory" ||
                 key == "est. achieved occupancy %" || key == "blocks per SM" ||
                 key == "warps per SM" || key == "graph id" || key == "graph node id") {
        sum += sum_of_number(field.value());
      }
    }
  }
  return sum;
}

uint64_t sum_of_event(ondemand::object event) {
  uint64_t sum = 0;
  std::string_view category;
  for (ondemand::field field : event) {
    std::string_view key;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) continue;
    if (key == "ph") {
      std::string_view phase;
      // Arrows say nothing that correlation does not.
      if (field.value().get_string().get(phase) != simdjson::SUCCESS || phase != "X") return sum;
    } else if (key == "cat") {
      if (field.value().get_string().get(category) != simdjson::SUCCESS) category = {};
    } else if (key == "name") {
      std::string_view name;
      if (field.value().get_string().get(name) != simdjson::SUCCESS) continue;
      sum += name.size();
      // Frames other than modules are skipped, as at opening.
      if (category == "python_function" && !name.starts_with("nn.Module: ")) return sum;
    } else if (key == "ts" || key == "dur" || key == "pid" || key == "tid") {
      sum += sum_of_number(field.value());
    } else if (key == "args") {
      ondemand::object arguments;
      if (field.value().get_object().get(arguments) != simdjson::SUCCESS) continue;
      sum += sum_of_arguments(category, arguments);
    }
  }
  return sum;
}

}  // namespace

struct SimdjsonEvents::State {
  simdjson::padded_string json;
  ondemand::parser parser;
};

bool SimdjsonEvents::load(const std::filesystem::path& path) {
  state_ = std::make_unique<State>();
  return simdjson::padded_string::load(path.string()).get(state_->json) == simdjson::SUCCESS;
}

uint64_t SimdjsonEvents::read() {
  uint64_t sum = 0;
  ondemand::document document;
  if (state_->parser.iterate(state_->json).get(document) != simdjson::SUCCESS) return 0;
  ondemand::array events;
  if (document["traceEvents"].get_array().get(events) != simdjson::SUCCESS) return 0;
  for (ondemand::value value : events) {
    ondemand::object event;
    if (value.get_object().get(event) == simdjson::SUCCESS) sum += sum_of_event(event);
  }
  return sum;
}
#else
struct SimdjsonEvents::State {};

bool SimdjsonEvents::load(const std::filesystem::path&) {
  return false;
}

uint64_t SimdjsonEvents::read() {
  return 0;
}
#endif

SimdjsonEvents::SimdjsonEvents() = default;
SimdjsonEvents::~SimdjsonEvents() = default;

}  // namespace dlview::bench
