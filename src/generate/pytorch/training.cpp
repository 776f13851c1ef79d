#include "generate/pytorch/training.h"

#include <algorithm>
#include <deque>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "generate/canceled.h"
#include "generate/pytorch/network.h"
#include "generate/pytorch/recorder.h"

namespace dlview::generate::pytorch {
namespace {

constexpr int64_t kFirstStep = 5;  // the ones before were not recorded
constexpr int kMostLayers = 96;
constexpr int64_t kUnlaunched = 3;  // kernels, whose calls were before the trace
// These give each category of events about its share of the bytes of a real trace.
constexpr int64_t kOptimizerKernelsPerLayer = 3;
constexpr int kHelperFrames = 33;             // small Python functions before an op
constexpr int kHelperFramesOfOptimizer = 14;  // for each of its kernels

class Training {
 public:
  Training(const PytorchOptions& options, Network& network, Recorder& recorder)
      : options_(options), network_(network), recorder_(recorder) {}

  void begin(int64_t unlaunched);
  void play_step(int64_t number, int64_t passes, int64_t optimizer_kernels, bool is_last);
  void end();

 private:
  // A node of the backward pass to come.
  struct Node {
    const BackwardTree* tree;
    int64_t sequence, flow;
    const std::vector<NameId>* modules;
    std::vector<Recorder::Block> blocks;     // what the forward op saved for it
    const ModuleTree* recomputed = nullptr;  // before it
  };
  enum class Mode : uint8_t { forward, recompute, without_gradient };

  void play(const OpTree& op, Mode mode);
  void play(const ModuleTree& module, Mode mode);
  void play_helpers(int count);
  void play_pass();
  void play_backward();
  void play_node(Node& node);
  void play_optimizer(int64_t kernels);
  void free_all(std::vector<Recorder::Block>& blocks);

  const PytorchOptions& options_;
  Network& network_;
  Recorder& recorder_;
  int64_t next_sequence_ = 100, next_flow_ = 1;
  std::vector<Node> tape_;
  std::vector<Recorder::Block> blocks_;     // of the op being played
  std::vector<Recorder::Block> gradients_;  // of parameters, until the next iteration
  std::vector<const ModuleTree*> modules_;  // open ones
  std::deque<HostSpec> steps_;
  std::size_t next_helper_ = 0;
  bool is_crossing_ = false;  // the innermost frame closes in the op that opens next
  const FrameSpec script_ = Network::frame("train.py(118): <module>");
  const FrameSpec main_ = Network::frame("train.py(61): main");
  const FrameSpec call_ = Network::frame("torch/nn/modules/module.py(1784): _call_impl");
  const FrameSpec next_ = Network::frame("torch/utils/data/dataloader.py(733): __next__");
  const FrameSpec backward_ = Network::frame("torch/_tensor.py(592): backward");
  const FrameSpec run_backward_ = Network::frame(
      "<built-in method run_backward of torch._C._EngineBase object at 0x7f2b5dd06b70>");
  const FrameSpec step_ = Network::frame("torch/optim/adamw.py(164): step");
  const FrameSpec adamw_ = Network::frame("torch/optim/adam.py(858): adam");
};

void Training::free_all(std::vector<Recorder::Block>& blocks) {
  for (const Recorder::Block& block : blocks) recorder_.free(block);
  blocks.clear();
}

void Training::play_helpers(int count) {
  if (!options_.with_stack) return;
  // By threes: a function that calls two.
  for (int i = 0; i < count; ++i) {
    recorder_.open_frame(network_.helpers[next_helper_++ % network_.helpers.size()]);
    if (i % 3 == 0 && i + 2 < count) continue;
    recorder_.close_frame();
    if (i % 3 == 2) recorder_.close_frame();
  }
}

void Training::play(const OpTree& op, Mode mode) {
  const bool counts = op.host.has_sequence && mode != Mode::without_gradient;
  recorder_.open(op.host, counts ? next_sequence_ : -1);
  if (op.backward != nullptr && mode != Mode::without_gradient) {
    if (mode == Mode::forward) {
      tape_.push_back(
          {op.backward, next_sequence_, next_flow_, &modules_.back()->names, {}, nullptr});
      recorder_.start_flow(next_flow_++);
    }
    ++next_sequence_;
  }
  if (is_crossing_) {
    is_crossing_ = false;
    recorder_.close_frame();
  }
  for (const OpTree::Action& action : op.actions) {
    recorder_.pass(recorder_.random().around(900, 80));
    if (action.op != nullptr) {
      play(*action.op, mode);
    } else if (action.bytes > 0) {
      blocks_.push_back(recorder_.allocate(action.bytes));
    } else if (action.gpu != nullptr) {
      if (action.gpu->kind == GpuKind::kernel) recorder_.call(*network_.query_call);
      recorder_.launch(*action.call, *action.gpu, action.stream);
    } else if (action.call == network_.synchronize_call) {
      recorder_.synchronize(*action.call, action.stream);
    } else if (action.waits_for != 0) {
      recorder_.make_wait(*action.call, action.stream, action.waits_for);
    } else {
      recorder_.call(*action.call);
    }
  }
  recorder_.close();
}

void Training::play(const ModuleTree& module, Mode mode) {
  const std::size_t first_node = tape_.size();
  recorder_.open_frame(module.frame);
  recorder_.open_frame(call_);
  recorder_.open_frame(module.forward);
  modules_.push_back(&module);
  for (const ModuleTree::Item& item : module.items) {
    recorder_.pass(recorder_.random().around(2'500, 80));
    if (item.module != nullptr) {
      play(*item.module, mode);
      continue;
    }
    play_helpers(kHelperFrames);
    const std::size_t nodes = tape_.size();
    recorder_.open_frame(item.function);
    // Times of frames are those of another clock: some seem to end inside the op that follows.
    if (options_.with_stack && recorder_.random().below(8) == 0) {
      recorder_.open_frame(network_.helpers[0]);
      is_crossing_ = true;
    }
    play(*item.op, mode);
    recorder_.close_frame();
    if (mode == Mode::forward && tape_.size() > nodes) {
      tape_.back().blocks.swap(blocks_);
    } else if (mode == Mode::forward) {
      free_all(blocks_);
    }
    if (mode == Mode::forward) recorder_.flush_if_many();
  }
  modules_.pop_back();
  recorder_.close_frame();
  recorder_.close_frame();
  recorder_.close_frame();
  if (!module.is_checkpointed || mode != Mode::forward) return;
  // Nothing is saved: the node that runs first in the backward pass does it all again.
  for (std::size_t i = first_node; i < tape_.size(); ++i) free_all(tape_[i].blocks);
  if (tape_.size() > first_node) tape_.back().recomputed = &module;
}

void Training::play_node(Node& node) {
  const BackwardTree& tree = *node.tree;
  const bool has_evaluation = options_.schema > PytorchSchema::v2021;
  if (has_evaluation) recorder_.open_backward(tree.evaluation, {node.sequence, node.modules, 0});
  recorder_.open_backward(tree.node, {node.sequence, node.modules, node.flow});
  std::vector<Recorder::Block> recomputed;
  if (node.recomputed != nullptr) {
    play(*node.recomputed, Mode::recompute);
    recomputed.swap(blocks_);
  }
  for (const OpTree* op : tree.ops) play(*op, Mode::without_gradient);
  recorder_.close();
  if (has_evaluation) recorder_.close();
  free_all(recomputed);
  free_all(blocks_);
  free_all(node.blocks);
  for (std::size_t i = 0; i < tree.parameter_bytes.size(); ++i) {
    gradients_.push_back(recorder_.allocate(tree.parameter_bytes[i]));
    if (has_evaluation) recorder_.open(network_.accumulate_evaluation);
    recorder_.open(network_.accumulate);
    if (tree.reduction != nullptr && i + 1 == tree.parameter_bytes.size()) {
      play(*tree.reduction, Mode::without_gradient);
    }
    recorder_.close();
    if (has_evaluation) recorder_.close();
  }
}

void Training::play_backward() {
  recorder_.open_frame(backward_);
  recorder_.open_frame(run_backward_);
  play(*network_.zero_gradient, Mode::without_gradient);
  recorder_.switch_to(HostThread::autograd);
  recorder_.pass(12'000);
  for (std::size_t i = tape_.size(); i-- > 0;) {
    play_node(tape_[i]);
    recorder_.flush_if_many();
  }
  tape_.clear();
  recorder_.switch_to(HostThread::main);
  recorder_.pass(9'000);
  recorder_.close_frame();
  recorder_.close_frame();
}

void Training::play_pass() {
  recorder_.open(network_.forward_range);
  if (options_.gpus > 1) {
    recorder_.open(network_.distributed_forward);
    play(*network_.model, Mode::forward);
    recorder_.close();
  } else {
    play(*network_.model, Mode::forward);
  }
  play(*network_.loss, Mode::forward);
  recorder_.close();
  play_backward();
}

void Training::play_optimizer(int64_t kernels) {
  recorder_.open(network_.optimizer_step);
  recorder_.open_frame(step_);
  play_helpers(40);
  recorder_.open_frame(adamw_);
  if (options_.cuda_graphs) {
    recorder_.launch_graph(*network_.graph_call, network_.optimizer_kernels, kernels);
  } else {
    recorder_.open(network_.optimizer_op);
    for (int64_t i = 0; i < kernels; ++i) {
      const auto at = static_cast<std::size_t>(i) % network_.optimizer_kernels.size();
      play_helpers(kHelperFramesOfOptimizer);
      recorder_.call(*network_.query_call);
      recorder_.launch(*network_.launch_call, *network_.optimizer_kernels[at], kComputeStream);
      recorder_.flush_if_many();
    }
    recorder_.close();
  }
  recorder_.close_frame();
  recorder_.close_frame();
  recorder_.close();
}

void Training::begin(int64_t unlaunched) {
  recorder_.open_frame(script_);
  recorder_.open_frame(main_);
  for (int64_t i = 0; i < unlaunched; ++i) {
    recorder_.run_unlaunched(*network_.optimizer_kernels[0], kComputeStream);
  }
  recorder_.pass(30'000);
}

void Training::end() {
  recorder_.pass(20'000);
  free_all(gradients_);
  recorder_.close_frame();
  recorder_.close_frame();
}

void Training::play_step(int64_t number, int64_t passes, int64_t optimizer_kernels, bool is_last) {
  const bool has_steps = options_.iterations > 0;
  if (has_steps) {
    steps_.push_back(network_.host(fmt::format("ProfilerStep#{}", number + kFirstStep), "", true));
    recorder_.open_step(steps_.back());
  }
  recorder_.open_frame(next_);
  recorder_.open(network_.loader);
  play_helpers(12);
  // Now and then the workers are late.
  recorder_.pass(recorder_.random().around(number % 16 == 7 ? 3'000'000 : 60'000, 50));
  const Recorder::Block batch = recorder_.allocate(65'536, false);
  recorder_.close();
  recorder_.close_frame();
  if (number == 0) recorder_.add_overhead("\"Lazy Function Loading\"", 41'000);
  std::vector<Recorder::Block> inputs;
  for (const OpTree* op : network_.copies) play(*op, Mode::without_gradient);
  inputs.swap(blocks_);
  recorder_.open(network_.optimizer_zero);
  free_all(gradients_);
  recorder_.close();
  if (network_.broadcast != nullptr) play(*network_.broadcast, Mode::without_gradient);
  for (int64_t i = 0; i < passes; ++i) play_pass();
  play_optimizer(optimizer_kernels);
  if (network_.loss_reduction != nullptr) play(*network_.loss_reduction, Mode::without_gradient);
  if (network_.wait != nullptr) play(*network_.wait, Mode::without_gradient);
  play(*network_.item, Mode::without_gradient);
  free_all(inputs);
  recorder_.free(batch);
  free_all(blocks_);
  if (has_steps) recorder_.close_step(is_last);
  // Of no op, between two iterations.
  if (number % 4 == 1 && !is_last) {
    recorder_.launch(*network_.memset_call, *network_.small_memset, kComputeStream);
  }
  recorder_.pass(recorder_.random().around(40'000, 40));
  recorder_.flush_if_many();
}

// How many layers, how often, give an iteration its kernels; the optimizer takes the rest.
struct Plan {
  int layers = 0;
  int64_t passes = 1;
  int64_t per_pass = 0, per_step = 0;  // without the optimizer's
};

// A network only to be counted.
struct Counted {
  Counted(const PytorchOptions& options, int layers)
      : file(out, false), recorder(options, file), network(options, layers, recorder) {}
  std::ostringstream out;
  TraceFile file;
  Recorder recorder;
  Network network;
};

Plan make_plan(const PytorchOptions& options, int64_t kernels) {
  const Counted without(options, 0), with_one(options, 1);
  const int64_t smallest = without.network.kernels_per_pass();
  const int64_t per_layer = with_one.network.kernels_per_pass() - smallest;
  Plan plan;
  plan.per_step = without.network.kernels_per_step();
  const int64_t rest = kernels - plan.per_step - 1;
  const int64_t largest = smallest + kMostLayers * per_layer;
  plan.passes = std::max<int64_t>(1, (rest + largest - 1) / largest);
  const int64_t for_layers = rest / plan.passes - smallest;
  plan.layers = static_cast<int>(
      std::clamp<int64_t>(for_layers / (per_layer + kOptimizerKernelsPerLayer), 0, kMostLayers));
  plan.per_pass = smallest + plan.layers * per_layer;
  return plan;
}

}  // namespace

base::Result<PytorchTruth> play_training(const PytorchOptions& options, TraceFile& file,
                                         const EventWriter::Header& header,
                                         const EventWriter::Header& trailer,
                                         base::Progress& progress) {
  const int64_t steps = std::max<int64_t>(1, options.iterations);
  const int64_t unlaunched = options.writer == PytorchWriter::autograd ? 0 : kUnlaunched;
  const Plan plan = make_plan(options, options.kernels / steps - unlaunched);
  const int64_t planned = plan.per_step + plan.passes * plan.per_pass;
  const int64_t least = (planned + 1 + unlaunched) * steps;
  if (options.kernels < least) {
    return base::Error{"Too few kernels", fmt::format("--kernels: {}", options.kernels),
                       fmt::format("Use --kernels {} or fewer iterations", least)};
  }
  Recorder recorder(options, file);
  Network network(options, plan.layers, recorder);
  Training training(options, network, recorder);
  progress.begin_stage("Generating a trace", steps);
  recorder.writer().begin_file(header);
  training.begin(unlaunched);
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t kernels = options.kernels / steps + (i < options.kernels % steps ? 1 : 0);
    training.play_step(i, plan.passes, kernels - planned - (i == 0 ? unlaunched : 0),
                       i + 1 == steps);
    progress.set_done(i + 1);
    if (progress.canceled()) return canceled();
  }
  training.end();
  PytorchTruth truth;
  recorder.finish(truth);
  recorder.writer().end_file(trailer);
  truth.raw_bytes = file.raw_bytes();
  return truth;
}

}  // namespace dlview::generate::pytorch
