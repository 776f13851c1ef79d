// Meaning of range names with respect to steps.
#pragma once

#include <string>
#include <string_view>

namespace dlview::aggregate {

// Whether the name has a word for a step, and otherwise only words that say whose step it is:
// "train_step", "ProfilerStep", "Iteration", "minibatch"; not "optimizer.step", not "data copy".
bool names_step(std::string_view name);

// How the name of a step of torch.profiler begins: "ProfilerStep#12".
inline constexpr std::string_view kProfilerStep = "ProfilerStep#";
inline bool is_profiler_step(std::string_view name) {
  return name.starts_with(kProfilerStep);
}

bool says_epoch(std::string_view name);

// Whether PyTorch or DALI gives this name to a range that reads a batch or waits for one.
bool brings_data(std::string_view name);

// Returns whether the range saves, logs or evaluates: some steps have one in parallel.
bool is_side_work(std::string_view name);

// Returns whether the range or op writes the model to storage.
bool writes_the_model(std::string_view name);

// Returns the path without epochs: a step keeps its path even if its epoch began before the
// capture.
std::string without_epochs(std::string_view path, std::string_view nesting);

}  // namespace dlview::aggregate
