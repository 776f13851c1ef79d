// The layers of the demo's network: a ResNet with bottleneck blocks, as deep as wanted.
#pragma once

#include <cstdint>
#include <vector>

namespace dlview::generate::demo {

enum class LayerKind {
  convolution,
  batch_norm,
  relu,
  add,
  max_pool,
  average_pool,
  linear,
  softmax,
  loss,
};

// The position of a layer in the network: the stem (stage 0), a block of stages 1 to 4, or the
// head.
struct Place {
  int stage = 0;
  int block = 0;             // 1, 2, ... inside the stage
  int number = 0;            // of its kind inside the block: conv1, conv2, conv3
  bool is_shortcut = false;  // on the path around the block
};
inline constexpr int kHeadStage = 5;

struct Layer {
  LayerKind kind = LayerKind::convolution;
  Place place;
  int64_t in_channels = 0, out_channels = 0;
  int64_t filter = 1;                 // width and height
  int64_t in_size = 1, out_size = 1;  // width and height of the image
  bool half_precision = true;
  bool is_first = false;  // needs no gradient of its input

  int64_t input_elements() const;   // of a batch
  int64_t output_elements() const;  // of a batch
  int64_t multiply_adds() const;    // of a batch, for a convolution or a linear layer
};

inline constexpr int64_t kBatchSize = 128;
inline constexpr int64_t kClasses = 1000;

// `blocks` are shared out to the four stages as in ResNet-50 (3:4:6:3 of 16).
std::vector<Layer> resnet_layers(int blocks);

}  // namespace dlview::generate::demo
