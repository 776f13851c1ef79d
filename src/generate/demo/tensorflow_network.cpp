#include <string_view>

#include <fmt/format.h>

#include "generate/demo/layer_kernels.h"
#include "generate/demo/network_parts.h"
#include "generate/demo/networks.h"

namespace dlview::generate::demo {
namespace {

constexpr Platform kPlatform = Platform::tensorflow_on_volta;

std::string block_path(const Place& place) {
  if (place.block == 0) return "resnet50";
  const std::string path = fmt::format("resnet50/layer{}/block_{}", place.stage, place.block);
  return place.is_shortcut ? path + "/shortcut" : path;
}

struct OpNames {
  std::string name, type;     // "resnet50/conv1/Conv2D", "Conv2D"
  std::string data_gradient;  // its type: "Conv2DBackpropInput"; "" = has none
  std::string weight_gradient;
};

OpNames op_names(const Layer& layer) {
  const std::string path = block_path(layer.place);
  const int number = layer.place.number;
  switch (layer.kind) {
    case LayerKind::convolution:
      return {fmt::format("{}/conv{}/Conv2D", path, number), "Conv2D", "Conv2DBackpropInput",
              "Conv2DBackpropFilter"};
    case LayerKind::batch_norm:
      return {fmt::format("{}/bn{}/FusedBatchNormV3", path, number), "FusedBatchNormV3",
              "FusedBatchNormGradV3", ""};
    case LayerKind::relu:
      return {fmt::format("{}/relu{}/Relu", path, number), "Relu", "ReluGrad", ""};
    case LayerKind::add:
      return {path + "/add/AddV2", "AddV2", "", ""};
    case LayerKind::max_pool:
      return {path + "/max_pool/MaxPool", "MaxPool", "MaxPoolGrad", ""};
    case LayerKind::average_pool:
      return {path + "/reduce_mean/Mean", "Mean", "Tile", ""};
    case LayerKind::linear:
      return {path + "/fc/MatMul", "MatMul", "MatMul", "MatMul"};
    case LayerKind::softmax:
      return {"loss/Softmax", "Softmax", "Mul", ""};
    case LayerKind::loss:
      return {"loss/SparseSoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits",
              "Sum", ""};
  }
  return {};
}

OpSpec plain_op(std::string name, std::string type) {
  OpSpec op;
  op.name = std::move(name);
  op.type = std::move(type);
  op.host_ns = 11'000;
  return op;
}

OpSpec layer_op(const Layer& layer, std::string name, std::string type, Direction direction) {
  OpSpec op = plain_op(std::move(name), std::move(type));
  op.data_type = layer.half_precision ? "float16" : "float32";
  op.kernels = layer_kernels(kPlatform, layer, direction);
  if (layer.kind == LayerKind::convolution) {
    op.tensor_core_support = profile::TensorCoreSupport::eligible;
    op.is_tuned = direction == Direction::forward;
    op.input_names = names_json(2);
    op.output_names = names_json(1);
    op.input_shapes =
        shapes_json({{kBatchSize, layer.in_channels, layer.in_size, layer.in_size},
                     {layer.filter, layer.filter, layer.in_channels, layer.out_channels}});
    op.output_shapes =
        shapes_json({{kBatchSize, layer.out_channels, layer.out_size, layer.out_size}});
  } else if (layer.kind == LayerKind::linear) {
    op.tensor_core_support = profile::TensorCoreSupport::eligible;
    op.data_format = "M,K;K,N";
    op.output_format = "M,N";
    op.input_names = names_json(2);
    op.output_names = names_json(1);
    op.input_shapes =
        shapes_json({{kBatchSize, layer.in_channels}, {layer.in_channels, layer.out_channels}});
    op.output_shapes = shapes_json({{kBatchSize, layer.out_channels}});
  }
  return op;
}

// "gradients/resnet50/conv1/Conv2D_grad/Conv2DBackpropInput"
std::string gradient_name(const OpNames& names, const std::string& type, bool is_second) {
  return fmt::format("gradients/{}_grad/{}{}", names.name, type, is_second ? "_1" : "");
}

void add_gradients(Network& network, const Layer& layer) {
  const OpNames names = op_names(layer);
  const auto add = [&](const std::string& type, Direction direction, bool is_second) {
    OpSpec op = layer_op(layer, gradient_name(names, type, is_second), type, direction);
    if (!op.kernels.empty()) network.backward.push_back(std::move(op));
  };
  if (!names.data_gradient.empty()) add(names.data_gradient, Direction::data_gradient, false);
  if (!names.weight_gradient.empty()) {
    add(names.weight_gradient, Direction::weight_gradient,
        names.weight_gradient == names.data_gradient);
  }
}

OpSpec all_reduce_op(int number) {
  OpSpec op =
      plain_op(fmt::format("DistributedMomentum_Allreduce/HorovodAllreduce_bucket_{}", number),
               "HorovodAllreduce");
  op.data_type = "float32";
  op.kernels = {all_reduce_kernel(kBucketBytes)};
  return op;
}

void add_layers(Network& network, int blocks, int gpus) {
  const std::vector<Layer> layers = resnet_layers(blocks);
  for (const Layer& layer : layers) {
    const OpNames names = op_names(layer);
    network.forward.push_back(layer_op(layer, names.name, names.type, Direction::forward));
  }
  std::size_t with_weights = 0;
  int buckets = 0;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    add_gradients(network, *layer);
    const bool has_weights =
        layer->kind == LayerKind::convolution || layer->kind == LayerKind::linear;
    if (gpus > 1 && has_weights && bucket_is_full(++with_weights)) {
      network.backward.push_back(all_reduce_op(++buckets));
    }
  }
  if (gpus > 1) network.backward.push_back(all_reduce_op(++buckets));
}

}  // namespace

Network tensorflow_network(int blocks, int gpus) {
  Network network;
  OpSpec start = plain_op("_SOURCE", "NoOp");
  OpSpec send = plain_op("init/assign/_3", "_Send");
  send.data_type = "float32";
  for (const int64_t megabytes : {9, 24, 48, 21}) copy_to_device(send, megabytes << 20);
  send.wait = kStreamWait;
  network.setup = {start, send};

  network.step_marker = plain_op("global_step", "VariableV2");
  network.step_marker.host_ns = 4'000;
  network.load_batch = plain_op("IteratorGetNext", "IteratorGetNext");
  network.save_checkpoint = plain_op("save/SaveV2", "SaveV2");
  copy_to_host(network.save_checkpoint, 102 << 20);

  OpSpec copy = plain_op("IteratorGetNext/_5", "_Send");
  copy.data_type = "float16";
  copy_to_device(copy, kBatchBytes / 2);
  OpSpec clear = plain_op("gradients/zeros_like", "ZerosLike");
  clear_memory(clear, 51 << 20);
  network.before_forward = {copy, clear};
  add_layers(network, blocks, gpus);

  OpSpec read_loss = plain_op("loss/Mean/_7", "_Recv");
  copy_to_host(read_loss, 4);
  read_loss.wait = kStreamWait;
  network.after_backward = {read_loss};
  OpSpec momentum = plain_op("Momentum/update/ResourceApplyMomentum", "ResourceApplyMomentum");
  momentum.data_type = "float32";
  momentum.kernels = {optimizer_kernel(kPlatform, 1)};
  network.update = {momentum};
  return network;
}

}  // namespace dlview::generate::demo
