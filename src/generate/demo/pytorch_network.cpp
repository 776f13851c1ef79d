#include <string_view>

#include <fmt/format.h>

#include "generate/demo/layer_kernels.h"
#include "generate/demo/network_parts.h"
#include "generate/demo/networks.h"

namespace dlview::generate::demo {
namespace {

constexpr Platform kPlatform = Platform::pytorch_on_ampere;
constexpr std::string_view kSite = "/opt/conda/lib/python3.8/site-packages/";

// "[2]" for the second of several siblings, nothing for the first.
std::string sibling(int number) {
  return number > 1 ? fmt::format("[{}]", number) : "";
}

std::string block_path(const Place& place) {
  constexpr std::string_view kRoot = "/module/ResNet::forward";
  if (place.block == 0) return std::string(kRoot);
  const std::string path = fmt::format("{}/Sequential::layer{}/Bottleneck::forward{}", kRoot,
                                       place.stage, sibling(place.block));
  return place.is_shortcut ? path + "/Sequential::downsample" : path;
}

std::string op_type(LayerKind kind) {
  switch (kind) {
    case LayerKind::convolution:
      return "conv2d";
    case LayerKind::batch_norm:
      return "batch_norm";
    case LayerKind::relu:
      return "relu_";
    case LayerKind::add:
      return "add_";
    case LayerKind::max_pool:
      return "max_pool2d";
    case LayerKind::average_pool:
      return "adaptive_avg_pool2d";
    case LayerKind::linear:
      return "linear";
    case LayerKind::softmax:
      return "log_softmax";
    case LayerKind::loss:
      return "nll_loss";
  }
  return "";
}

std::string op_name(const Layer& layer) {
  const std::string path = block_path(layer.place);
  const std::string type = op_type(layer.kind);
  switch (layer.kind) {
    case LayerKind::convolution:
      return fmt::format("{}/conv{}/{}", path, layer.place.number, type);
    case LayerKind::batch_norm:
      return fmt::format("{}/bn{}/{}", path, layer.place.number, type);
    case LayerKind::relu:
      return fmt::format("{}/relu/{}{}", path, type, sibling(layer.place.number));
    case LayerKind::add:
      return fmt::format("{}/{}", path, type);
    case LayerKind::max_pool:
      return fmt::format("{}/maxpool/{}", path, type);
    case LayerKind::average_pool:
      return fmt::format("{}/avgpool/{}", path, type);
    case LayerKind::linear:
      return fmt::format("{}/fc/{}", path, type);
    case LayerKind::softmax:
    case LayerKind::loss:
      return fmt::format("/module/CrossEntropyLoss::forward/cross_entropy/{}", type);
  }
  return path;
}

std::string stack_trace(const Layer& layer) {
  const std::string call = fmt::format("{}torch/nn/modules/module.py:1102", kSite);
  if (layer.kind == LayerKind::softmax || layer.kind == LayerKind::loss) {
    return fmt::format(
        "train.py:171\n{}\n{}torch/nn/modules/loss.py:1150\n{}torch/nn/functional.py:2846", call,
        kSite, kSite);
  }
  std::string trace =
      fmt::format("train.py:169\n{}\n{}torchvision/models/resnet.py:249", call, kSite);
  if (layer.place.block > 0) {
    trace += fmt::format(
        "\n{0}\n{1}torch/nn/modules/container.py:141\n{0}\n{1}torchvision/models/resnet.py:{2}",
        call, kSite, 125 + 4 * layer.place.number);
  }
  if (layer.kind == LayerKind::convolution) {
    trace += fmt::format("\n{0}\n{1}torch/nn/modules/conv.py:446\n{1}torch/nn/modules/conv.py:442",
                         call, kSite);
  }
  return trace;
}

void describe_tensors(const Layer& layer, OpSpec& op) {
  const std::vector<int64_t> input{kBatchSize, layer.in_channels, layer.in_size, layer.in_size};
  if (layer.kind == LayerKind::convolution) {
    op.data_format = "N,C,H,W;K,C,R,S";
    op.output_format = "N,K,P,Q";
    op.parameters_format = "SH,SW;PH,PW;DH,DW;G";
    op.input_shapes =
        shapes_json({input, {layer.out_channels, layer.in_channels, layer.filter, layer.filter}});
    // DLProf takes strides of 1 and no padding, which no marker tells.
    const int64_t out_size = layer.in_size - layer.filter + 1;
    op.output_shapes = shapes_json({{kBatchSize, layer.out_channels, out_size, out_size}});
    op.input_names = names_json(2);
    op.output_names = names_json(1);
  } else if (layer.kind == LayerKind::linear) {
    op.data_format = "N,K;M,K";
    op.output_format = "N,M";
    op.input_shapes =
        shapes_json({{kBatchSize, layer.in_channels}, {layer.out_channels, layer.in_channels}});
    op.output_shapes = shapes_json({{kBatchSize, layer.out_channels}});
    op.input_names = names_json(2);
    op.output_names = names_json(1);
  } else {
    op.input_shapes = shapes_json({input});
    op.input_names = names_json(1);
  }
}

OpSpec forward_op(const Layer& layer) {
  OpSpec op;
  op.name = op_name(layer);
  op.type = op_type(layer.kind);
  op.direction = "fprop";
  const bool single =
      !layer.half_precision || layer.kind == LayerKind::loss || layer.kind == LayerKind::softmax;
  op.data_type = single ? "float32" : "float16";
  op.stack_trace = stack_trace(layer);
  if (layer.kind == LayerKind::convolution || layer.kind == LayerKind::linear) {
    op.tensor_core_support = profile::TensorCoreSupport::eligible;
    op.host_ns = 31'000;
  }
  op.is_tuned = layer.kind == LayerKind::convolution;
  op.kernels = layer_kernels(kPlatform, layer, Direction::forward);
  describe_tensors(layer, op);
  return op;
}

// The autograd engine runs the gradients of inputs and weights under one op.
OpSpec backward_op(const Layer& layer) {
  OpSpec op = forward_op(layer);
  op.direction = "bprop";
  op.is_tuned = false;
  op.host_ns += 6'000;
  op.kernels = layer_kernels(kPlatform, layer, Direction::data_gradient);
  for (KernelSpec& kernel : layer_kernels(kPlatform, layer, Direction::weight_gradient)) {
    op.kernels.push_back(std::move(kernel));
  }
  return op;
}

OpSpec plain_op(std::string name, std::string type, int line) {
  OpSpec op;
  op.name = std::move(name);
  op.type = std::move(type);
  op.direction = "fprop";
  op.stack_trace = fmt::format("train.py:{}", line);
  return op;
}

// What the op works on; it tells the data type.
void set_tensor(OpSpec& op, const std::vector<int64_t>& shape) {
  op.data_type = "float32";
  op.input_shapes = shapes_json({shape});
  op.input_names = names_json(1);
}

OpSpec all_reduce_op(int number) {
  OpSpec op =
      plain_op(fmt::format("/module/DistributedDataParallel::reduce/bucket_{}/all_reduce", number),
               "all_reduce", 176);
  op.direction = "bprop";
  set_tensor(op, {kBucketBytes / 4});
  op.api_calls = {"cudaEventRecord_v3020", "cudaStreamWaitEvent_v3020"};
  op.kernels = {all_reduce_kernel(kBucketBytes)};
  return op;
}

void add_layers(Network& network, int blocks, int gpus) {
  const std::vector<Layer> layers = resnet_layers(blocks);
  for (const Layer& layer : layers) network.forward.push_back(forward_op(layer));

  std::size_t with_weights = 0;
  int buckets = 0;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    network.backward.push_back(backward_op(*layer));
    const bool has_weights =
        layer->kind == LayerKind::convolution || layer->kind == LayerKind::linear;
    if (gpus > 1 && has_weights && bucket_is_full(++with_weights)) {
      network.backward.push_back(all_reduce_op(++buckets));
    }
  }
  if (gpus > 1) network.backward.push_back(all_reduce_op(++buckets));
}

void add_setup(Network& network) {
  OpSpec fill = plain_op("/module/ResNet::__init__/kaiming_normal_/normal_", "normal_", 88);
  set_tensor(fill, {64, 3, 7, 7});
  fill.kernels = {random_fill_kernel()};
  OpSpec move = plain_op("/module/ResNet::cuda/_apply/cuda", "cuda", 90);
  set_tensor(move, {64, 3, 7, 7});
  move.host_ns = 2'400'000;
  move.api_calls = {"cudaMalloc_v3020", "cudaMalloc_v3020", "cudaMalloc_v3020"};
  for (const int64_t megabytes : {9, 24, 48, 21}) copy_to_device(move, megabytes << 20);
  OpSpec wait;
  wait.name = fmt::format("unassociated_{}", kDeviceWait);
  wait.type = kDeviceWait;
  wait.tensor_core_support = profile::TensorCoreSupport::unassociated;
  wait.host_ns = 0;
  wait.wait = kDeviceWait;
  network.setup = {fill, move, wait};
}

void add_update(Network& network) {
  OpSpec read_loss = plain_op("/module/Trainer::train_step/AverageMeter::update/item", "item", 181);
  set_tensor(read_loss, {});
  copy_to_host(read_loss, 4);
  read_loss.wait = kStreamWait;
  network.after_backward = {read_loss};

  OpSpec unscale =
      plain_op("/module/GradScaler::step/unscale_/multi_tensor_scale", "multi_tensor_scale", 178);
  unscale.kernels = {optimizer_kernel(kPlatform, 0)};
  OpSpec sgd = plain_op("/module/FusedSGD::step/multi_tensor_applier/multi_tensor_sgd",
                        "multi_tensor_sgd", 178);
  sgd.kernels = {optimizer_kernel(kPlatform, 1)};
  network.update = {unscale, sgd};
}

}  // namespace

Network pytorch_network(int blocks, int gpus) {
  Network network;
  network.tells_passes_apart = true;
  add_setup(network);
  network.step_marker = plain_op("/module/Trainer::train_step/begin", "train_step", 163);
  network.step_marker.host_ns = 3'000;
  network.load_batch = plain_op("/module/DataLoader::__next__/_next_data", "DataLoader", 165);
  network.save_checkpoint = plain_op("/module/Trainer::save_checkpoint/save", "save", 194);
  copy_to_host(network.save_checkpoint, 102 << 20);

  OpSpec copy = plain_op("/module/Trainer::train_step/to", "to", 166);
  set_tensor(copy, {kBatchSize, 3, 224, 224});
  copy_to_device(copy, kBatchBytes);
  copy_to_device(copy, kBatchSize * 8);
  OpSpec clear = plain_op("/module/FusedSGD::zero_grad/zero_", "zero_", 167);
  set_tensor(clear, {64, 3, 7, 7});
  for (int i = 0; i < 3; ++i) clear_memory(clear, 34 << 20);
  network.before_forward = {copy, clear};
  add_layers(network, blocks, gpus);
  add_update(network);
  return network;
}

}  // namespace dlview::generate::demo
