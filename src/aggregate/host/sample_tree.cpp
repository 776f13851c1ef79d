#include "aggregate/host/sample_tree.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "aggregate/host/function_names.h"
#include "base/saturated_sum.h"

namespace dlview::aggregate {
namespace {

using profile::FrameIndex;
using profile::kNoRow;
using profile::kNoText;
using profile::Profile;
using profile::Row;
using profile::StringId;

// Parents stay before their children, which come in order of their samples.
SampleTree in_order(const SampleTree& tree) {
  std::vector<std::size_t> order(tree.nodes.size()), place(tree.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const SampleTree::Node &one = tree.nodes[a], &other = tree.nodes[b];
    return std::tuple(one.depth, -one.samples) < std::tuple(other.depth, -other.samples);
  });
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  SampleTree sorted{{}, tree.samples};
  for (const std::size_t node : order) {
    sorted.nodes.push_back(tree.nodes[node]);
    std::size_t& parent = sorted.nodes.back().parent;
    if (parent != SampleTree::kNone) parent = place[parent];
  }
  return sorted;
}

}  // namespace

SampleTree sample_tree(const Profile& profile, const HostRecord& record, const HostThread& thread,
                       const base::Interval& window) {
  SampleTree tree;
  const std::span<const Row> samples = record.samples(thread, window);
  tree.samples = std::ssize(samples);
  if (samples.empty()) return tree;
  const profile::TraceFrames& frames = profile.trace->frames;
  std::map<std::tuple<std::size_t, StringId, StringId>, std::size_t> known;
  std::map<FrameIndex, std::size_t> node_of;  // of a frame, or of the nearest caller that is shown
  for (const auto& [frame, count] : record.frame_counts(samples)) {
    const FrameIndex caller = frames.caller[frame];
    const std::size_t parent = caller == kNoRow ? SampleTree::kNone : node_of.at(caller);
    const StringId function = frames.function[frame], module = frames.module[frame];
    if (function != kNoText && passes_on(profile.text(function))) {
      node_of[frame] = parent;
      continue;
    }
    const bool repeats = parent != SampleTree::kNone && tree.nodes[parent].function == function &&
                         tree.nodes[parent].module == module;
    if (repeats) {  // a recursion, or several unknown functions of one library
      node_of[frame] = parent;
      continue;
    }
    const auto [entry, is_new] = known.try_emplace({parent, function, module}, tree.nodes.size());
    if (is_new) {
      const std::size_t depth = parent == SampleTree::kNone ? 0 : tree.nodes[parent].depth + 1;
      tree.nodes.push_back({parent, function, module, 0, depth});
    }
    tree.nodes[entry->second].samples += count;
    node_of[frame] = entry->second;
  }
  return in_order(tree);
}

std::vector<SampledStack> sampled_stacks(const Profile& profile, const HostRecord& record,
                                         const HostThread& thread, const base::Interval& window) {
  const std::span<const Row> samples = record.samples(thread, window);
  if (samples.empty()) return {};
  const profile::TraceSamples& table = profile.trace->samples;
  const auto cycles_of = [&table](Row sample) {
    return table.cycles.empty() ? 0 : std::max<int64_t>(table.cycles[sample], 0);
  };
  // By the whole capture, so that weights of all threads and ranges have one unit.
  const bool has_cycles =
      std::ranges::any_of(table.cycles, [](int64_t cycles) { return cycles > 0; });
  std::map<FrameIndex, SampledStack> stacks;
  for (const Row sample : samples) {
    SampledStack& stack = stacks[table.frame[sample]];
    stack.frame = table.frame[sample];
    stack.weight = base::saturated_sum(stack.weight, has_cycles ? cycles_of(sample) : 1);
    ++stack.samples;
  }
  std::vector<SampledStack> rows;
  for (const auto& [frame, stack] : stacks) rows.push_back(stack);
  std::ranges::stable_sort(rows, std::ranges::greater(), &SampledStack::weight);
  return rows;
}

std::vector<SampledFunction> sampled_functions(const Profile& profile, const HostRecord& record,
                                               const HostThread& thread,
                                               const base::Interval& window) {
  std::map<std::pair<StringId, StringId>, SampledFunction> functions;
  const auto of = [&](FrameIndex frame) -> SampledFunction& {
    const profile::TraceFrames& frames = profile.trace->frames;
    SampledFunction& function = functions[{frames.function[frame], frames.module[frame]}];
    function.function = frames.function[frame];
    function.module = frames.module[frame];
    return function;
  };
  for (const SampledStack& stack : sampled_stacks(profile, record, thread, window)) {
    if (stack.frame == kNoRow) continue;
    of(stack.frame).self = base::saturated_sum(of(stack.frame).self, stack.weight);
    std::set<SampledFunction*> on_stack;  // a recursion counts once
    for (FrameIndex frame = stack.frame; frame != kNoRow;
         frame = profile.trace->frames.caller[frame]) {
      on_stack.insert(&of(frame));
    }
    for (SampledFunction* function : on_stack) {
      function->total = base::saturated_sum(function->total, stack.weight);
      function->samples += stack.samples;
    }
  }
  std::vector<SampledFunction> rows;
  for (const auto& [key, function] : functions) rows.push_back(function);
  std::ranges::stable_sort(rows, [](const SampledFunction& a, const SampledFunction& b) {
    return std::pair(a.total, a.self) > std::pair(b.total, b.self);
  });
  return rows;
}

std::string frame_text(const Profile& profile, StringId function, StringId module) {
  if (function != kNoText) return std::string(profile.text(function));
  if (module == kNoText) return "[unknown]";
  const std::string_view path = profile.text(module);
  return "[" + std::string(path.substr(path.rfind('/') + 1)) + "]";
}

}  // namespace dlview::aggregate
