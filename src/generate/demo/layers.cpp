#include "generate/demo/layers.h"

#include <array>

namespace dlview::generate::demo {
namespace {

constexpr int kStages = 4;
constexpr int64_t kImageSize = 224;

class LayerList {
 public:
  // Appends a layer that reads what the last one wrote.
  Layer& add(LayerKind kind, Place place) {
    Layer layer;
    layer.kind = kind;
    layer.place = place;
    layer.in_channels = layer.out_channels = channels_;
    layer.in_size = layer.out_size = size_;
    layers_.push_back(layer);
    return layers_.back();
  }
  Layer& convolution(Place place, int64_t out_channels, int64_t filter, int64_t stride = 1) {
    Layer& layer = add(LayerKind::convolution, place);
    layer.filter = filter;
    layer.out_channels = out_channels;
    layer.out_size = (size_ + stride - 1) / stride;
    read_from(out_channels, layer.out_size);
    return layer;
  }
  void shrink(Layer& layer, int64_t out_size) {
    layer.out_size = out_size;
    size_ = out_size;
  }
  void read_from(int64_t channels, int64_t size) {
    channels_ = channels;
    size_ = size;
  }
  int64_t channels() const { return channels_; }
  int64_t size() const { return size_; }
  std::vector<Layer> take() && { return std::move(layers_); }

 private:
  std::vector<Layer> layers_;
  int64_t channels_ = 3, size_ = kImageSize;
};

void add_stem(LayerList& list) {
  Layer& first = list.convolution({0, 0, 1}, 64, 7, 2);
  first.half_precision = false;
  first.is_first = true;
  list.add(LayerKind::batch_norm, {0, 0, 1});
  list.add(LayerKind::relu, {0, 0, 1});
  Layer& pool = list.add(LayerKind::max_pool, {0, 0, 1});
  list.shrink(pool, (list.size() + 1) / 2);
}

void add_block(LayerList& list, int stage, int block) {
  const int64_t width = int64_t{64} << (stage - 1);
  const int64_t stride = block == 1 && stage > 1 ? 2 : 1;
  const int64_t in_channels = list.channels(), in_size = list.size();
  const auto normalized = [&](int number) {
    list.add(LayerKind::batch_norm, {stage, block, number});
  };
  list.convolution({stage, block, 1}, width, 1);
  normalized(1);
  list.add(LayerKind::relu, {stage, block, 1});
  list.convolution({stage, block, 2}, width, 3, stride);
  normalized(2);
  list.add(LayerKind::relu, {stage, block, 2});
  list.convolution({stage, block, 3}, 4 * width, 1);
  normalized(3);
  if (block == 1) {
    list.read_from(in_channels, in_size);
    list.convolution({stage, block, 1, true}, 4 * width, 1, stride);
    list.add(LayerKind::batch_norm, {stage, block, 1, true});
  }
  list.add(LayerKind::add, {stage, block, 1});
  list.add(LayerKind::relu, {stage, block, 3});
}

void add_head(LayerList& list) {
  Layer& pool = list.add(LayerKind::average_pool, {kHeadStage, 0, 1});
  list.shrink(pool, 1);
  Layer& linear = list.add(LayerKind::linear, {kHeadStage, 0, 1});
  linear.out_channels = kClasses;
  list.read_from(kClasses, 1);
  list.add(LayerKind::softmax, {kHeadStage, 0, 1});
  list.add(LayerKind::loss, {kHeadStage, 0, 1});
}

}  // namespace

int64_t Layer::input_elements() const {
  return kBatchSize * in_channels * in_size * in_size;
}

int64_t Layer::output_elements() const {
  return kBatchSize * out_channels * out_size * out_size;
}

int64_t Layer::multiply_adds() const {
  return output_elements() * in_channels * filter * filter;
}

std::vector<Layer> resnet_layers(int blocks) {
  constexpr std::array<int, kStages> kSixteenthsUpTo{3, 7, 13, 16};
  LayerList list;
  add_stem(list);
  int done = 0;
  for (int stage = 1; stage <= kStages; ++stage) {
    const int up_to = (blocks * kSixteenthsUpTo[static_cast<std::size_t>(stage) - 1] + 8) / 16;
    for (int block = 1; done < up_to; ++block, ++done) add_block(list, stage, block);
  }
  add_head(list);
  return std::move(list).take();
}

}  // namespace dlview::generate::demo
