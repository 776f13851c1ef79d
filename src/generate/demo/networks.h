// The ops of a training step of a ResNet, as a framework names and groups them.
#pragma once

#include "generate/demo/layers.h"
#include "generate/demo/op_spec.h"

namespace dlview::generate::demo {

// `blocks` 0 is the smallest network: stem and head only. Several GPUs exchange their gradients.
Network pytorch_network(int blocks, int gpus);
Network tensorflow_network(int blocks, int gpus);

}  // namespace dlview::generate::demo
