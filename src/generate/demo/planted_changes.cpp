#include "generate/demo/planted_changes.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dlview::generate::demo {
namespace {

using Ops = std::vector<OpSpec*>;

Ops all_ops(Network& network) {
  Ops ops;
  for (auto* list : {&network.setup, &network.before_forward, &network.forward, &network.backward,
                     &network.after_backward, &network.update}) {
    for (OpSpec& op : *list) ops.push_back(&op);
  }
  return ops;
}

const KernelSpec& longest_kernel(const OpSpec& op) {
  return *std::ranges::max_element(op.kernels, {}, &KernelSpec::gpu_ns);
}

// Of the layers; of equal ones the first.
OpSpec* op_with_longest_kernel(Network& network) {
  OpSpec* longest = nullptr;
  for (auto* list : {&network.forward, &network.backward}) {
    for (OpSpec& op : *list) {
      if (op.kernels.empty() || longest_kernel(op).communication) continue;
      if (longest == nullptr || longest_kernel(op).gpu_ns > longest_kernel(*longest).gpu_ns) {
        longest = &op;
      }
    }
  }
  return longest;
}

std::string other_kernel_name(const OpSpec& op, const KernelSpec& kernel) {
  const bool is_volta = kernel.name.starts_with("volta");
  if (kernel.tensor_cores) {
    return is_volta ? "volta_fp16_s884gemm_fp16_256x64_ldg8_f2f_nt"
                    : "cutlass_80_tensorop_f16_s16816gemm_relu_f16_64x256_32x4_nn_align8";
  }
  if (op.tensor_core_support == profile::TensorCoreSupport::eligible) {
    return is_volta ? "volta_sgemm_128x128_nn" : "cutlass_80_simt_sgemm_256x128_8x4_nn_align1";
  }
  return "unrolled_elementwise_kernel";
}

// "Bottleneck::forward[2]", "block_2": 16 more. PyTorch's first block of a stage has no number.
std::string renumbered(std::string name) {
  constexpr int kMore = 16;
  for (const std::string_view word : {"/Bottleneck::forward[", "/block_"}) {
    const std::size_t found = name.find(word);
    if (found == std::string::npos) continue;
    const std::size_t begin = found + word.size();
    int number = 0;
    const char* const end =
        std::from_chars(name.data() + begin, name.data() + name.size(), number).ptr;
    name.replace(begin, static_cast<std::size_t>(end - name.data()) - begin,
                 fmt::format("{}", number + kMore));
  }
  return name;
}

std::string renamed(std::string name) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"/Sequential::layer", "/Sequential::stage"},
      {"/Bottleneck::", "/ResidualUnit::"},
      {"/layer", "/stage"},
      {"/block_", "/unit_"}};
  for (const auto& [word, other] : kWords) {
    const std::size_t found = name.find(word);
    if (found != std::string::npos) name.replace(found, word.size(), other);
  }
  return name;
}

class Planter {
 public:
  Planter(Network& network, DemoTruth& truth)
      : network_(network), ops_(all_ops(network)), truth_(truth) {
    for (const OpSpec* op : ops_) names_.push_back(op->name);
  }

  base::Status plant(const std::vector<PlantedChange>& changes) {
    for (const PlantedChange& change : changes) truth_.changes.push_back({change});
    changed_.resize(changes.size());
    for (std::size_t i = 0; i < changes.size(); ++i) DLVIEW_TRY(plant_one(i));
    // Numbers first: they follow words that are renamed.
    DLVIEW_TRY(rename(PlantedKind::renumbered_layers, renumbered));
    DLVIEW_TRY(rename(PlantedKind::renamed_layers, renamed));
    for (std::size_t i = 0; i < changes.size(); ++i) describe(i);
    return base::Success{};
  }

 private:
  base::Status plant_one(std::size_t number) {
    const PlantedChange& change = truth_.changes[number].change;
    switch (change.kind) {
      case PlantedKind::slower_op:
        return plant_slower_op(number, change);
      case PlantedKind::replaced_kernel:
        return plant_replaced_kernel(number, change);
      case PlantedKind::exposed_communication:
        return plant_exposed_communication(number);
      case PlantedKind::clocks:
        for (OpSpec* op : ops_) add_factor(*op, {number, kMillion, change.factor_ppm});
        break;
      case PlantedKind::other_gpu:  // not the network's, these two
      case PlantedKind::fewer_iterations:
      case PlantedKind::renamed_layers:
      case PlantedKind::renumbered_layers:
        break;
    }
    return base::Success{};
  }

  static void add_factor(OpSpec& op, const PlantedFactor& factor) {
    for (KernelSpec& kernel : op.kernels) kernel.planted.push_back(factor);
  }

  base::Status plant_slower_op(std::size_t number, const PlantedChange& change) {
    changed_[number] = ops_named(change.op);
    if (changed_[number].empty()) return unknown_op(change);
    for (OpSpec* op : changed_[number]) {
      add_factor(*op, {number, change.factor_ppm, kMillion});
    }
    return base::Success{};
  }

  base::Status plant_replaced_kernel(std::size_t number, const PlantedChange& change) {
    Ops& ops = changed_[number];
    if (!change.op.empty()) {
      ops = ops_named(change.op);
    } else if (OpSpec* const op = op_with_longest_kernel(network_); op != nullptr) {
      ops.push_back(op);
    }
    if (ops.empty()) return unknown_op(change);
    auto& names = truth_.changes[number].names;
    for (OpSpec* op : ops) {
      const std::string name = longest_kernel(*op).long_name,
                        other = other_kernel_name(*op, longest_kernel(*op));
      for (KernelSpec& kernel : op->kernels) {
        if (kernel.long_name != name) continue;
        kernel.name = kernel.long_name = other;
        kernel.planted.push_back({number, 1, 1});
      }
      const std::pair pair(name, other);
      if (std::ranges::find(names, pair) == names.end()) names.push_back(pair);
    }
    return base::Success{};
  }

  base::Status plant_exposed_communication(std::size_t number) {
    for (OpSpec* op : ops_) {
      for (KernelSpec& kernel : op->kernels) {
        if (!kernel.communication) continue;
        kernel.is_exposed = true;
        kernel.planted.push_back({number, 1, 1});
        changed_[number].push_back(op);
      }
    }
    if (!changed_[number].empty()) return base::Success{};
    return base::Error{"Invalid --change: \"exposed-communication\"",
                       "a run on one GPU has no communication", "Use --gpus 2 or more"};
  }

  Ops ops_named(std::string_view name) const {
    Ops found;
    for (OpSpec* op : ops_) {
      if (!op->kernels.empty() && (op->name == name || op->type == name)) found.push_back(op);
    }
    return found;
  }

  base::Error unknown_op(const PlantedChange& change) const {
    std::set<std::string> types;
    for (const OpSpec* op : ops_) {
      if (!op->kernels.empty()) types.insert(op->type);
    }
    return {fmt::format("Invalid --change: \"{}\"", to_text(change)),
            fmt::format("no op that launches kernels has the name or type \"{}\"", change.op),
            fmt::format("Valid values for NAME: the name of an op, or {}", fmt::join(types, ", "))};
  }

  template <typename NewName>
  base::Status rename(PlantedKind kind, const NewName& new_name) {
    const auto change = std::ranges::find(
        truth_.changes, kind, [](const DemoTruth::Change& row) { return row.change.kind; });
    if (change == truth_.changes.end()) return base::Success{};
    const auto number = static_cast<std::size_t>(change - truth_.changes.begin());
    for (OpSpec* op : ops_) {
      std::string name = new_name(op->name);
      if (name == op->name) continue;
      op->name = std::move(name);
      add_factor(*op, {number, 1, 1});
      changed_[number].push_back(op);
    }
    if (!changed_[number].empty()) return base::Success{};
    return base::Error{fmt::format("Invalid --change: \"{}\"", to_text(kind)),
                       "the network is too small: it has no such layers",
                       "Use more --kernels or fewer --iterations"};
  }

  void describe(std::size_t number) {
    DemoTruth::Change& change = truth_.changes[number];
    const bool renames = change.change.kind == PlantedKind::renamed_layers ||
                         change.change.kind == PlantedKind::renumbered_layers;
    std::set<std::string_view> known;  // forward and backward ops share names
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const OpSpec* const op = ops_[i];
      if (std::ranges::find(changed_[number], op) == changed_[number].end()) continue;
      if (!known.insert(op->name).second) continue;
      change.ops.push_back(op->name);
      if (renames) change.names.emplace_back(names_[i], op->name);
    }
  }

  Network& network_;
  Ops ops_;
  std::vector<std::string> names_;  // of the ops, without changes
  std::vector<Ops> changed_;        // by change
  DemoTruth& truth_;
};

}  // namespace

base::Status plant_changes(const std::vector<PlantedChange>& changes, Network& network,
                           DemoTruth& truth) {
  return Planter(network, truth).plant(changes);
}

}  // namespace dlview::generate::demo
