#include "aggregate/step_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace dlview::aggregate {
namespace {

std::string in_lower_case(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// "train_step", "DDPStep": train, step; ddp, step.
std::vector<std::string> words_in(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(in_lower_case(word));
    word.clear();
  };
  const auto is_kind = [&](std::size_t at, int (*kind)(int)) {
    return at < name.size() && kind(static_cast<unsigned char>(name[at])) != 0;
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins = is_kind(i, std::isupper) &&
                        ((i > 0 && is_kind(i - 1, std::islower)) || is_kind(i + 1, std::islower));
    if (begins || !is_kind(i, std::isalpha)) end_word();
    if (is_kind(i, std::isalpha)) word += name[i];
  }
  end_word();
  return words;
}

template <std::size_t count>
bool is_one_of(const std::string& word, const std::array<std::string_view, count>& words) {
  return std::ranges::find(words, word) != words.end();
}

// What JAX and XLA call a module: "TSL:XlaModule:#hlo_module=pjit__train_step,program_id=11#".
std::string_view module_name(std::string_view name) {
  constexpr std::string_view kModule = "hlo_module=";
  const std::size_t at = name.find(kModule);
  if (at == std::string_view::npos) return name;
  name.remove_prefix(at + kModule.size());
  return name.substr(0, name.find_first_of(",#"));
}

}  // namespace

bool says_epoch(std::string_view name) {
  return in_lower_case(name).find("epoch") != std::string::npos;
}

bool names_step(std::string_view name) {
  constexpr std::array<std::string_view, 11> kSteps{"step",      "steps",      "iter",     "iters",
                                                    "iteration", "iterations", "batch",    "frame",
                                                    "frames",    "batches",    "minibatch"};
  constexpr std::array<std::string_view, 23> kBeside{
      "train", "training", "trainer", "profiler", "profile", "global",    "the",  "run",
      "one",   "epoch",    "loop",    "main",     "full",    "inference", "mini", "pl",
      "ddp",   "fn",       "idx",     "num",      "id",      "jit",       "pjit"};
  bool found = false;
  for (const std::string& word : words_in(module_name(name))) {
    if (is_one_of(word, kSteps)) {
      found = true;
    } else if (!is_one_of(word, kBeside)) {
      return false;
    }
  }
  return found;
}

bool brings_data(std::string_view name) {
  const std::string lower = in_lower_case(name);
  for (const std::string_view part : {"dataloader", "[dali]", "__next__", "prefetch", "getnext"}) {
    if (lower.find(part) != std::string::npos) return true;
  }
  constexpr std::array<std::string_view, 3> kData{"data", "batch", "batches"};
  constexpr std::array<std::string_view, 6> kBring{"get",     "next",  "load",
                                                   "loading", "fetch", "read"};
  const std::vector<std::string> words = words_in(name);
  const auto has = [&](const auto& of) {
    return std::ranges::any_of(words, [&](const std::string& word) { return is_one_of(word, of); });
  };
  return has(kData) && has(kBring);
}

bool is_side_work(std::string_view name) {
  constexpr std::array<std::string_view, 11> kWords{
      "checkpoint", "save",       "saving",   "log",        "logging", "eval",
      "evaluate",   "evaluation", "validate", "validation", "val"};
  const std::vector<std::string> words = words_in(name);
  return std::ranges::any_of(words,
                             [&](const std::string& word) { return is_one_of(word, kWords); });
}

bool writes_the_model(std::string_view name) {
  const std::string lower = in_lower_case(name);
  constexpr std::array<std::string_view, 4> kParts{"checkpoint", "save", "state_dict", "serialize"};
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

std::string without_epochs(std::string_view path, std::string_view nesting) {
  std::string rest;
  while (!path.empty()) {
    const std::size_t end = std::min(nesting.find('/', 1), path.size());
    const std::string_view part = path.substr(0, end);
    const bool is_epoch = words_in(part) == std::vector<std::string>{"epoch"};
    if (end == path.size() || !is_epoch) rest += part;
    path.remove_prefix(end);
    nesting.remove_prefix(end);
  }
  return rest;
}

}  // namespace dlview::aggregate
