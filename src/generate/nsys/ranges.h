// The NVTX ranges of a run, as its framework would have pushed them. PyTorch: DLProf's two markers
// around each op of the forward pass, "aten::conv2d, seq = 7" inside, "Conv2dBackward0, seq = 7"
// for the op of the backward pass that belongs to it. TensorFlow: "Conv2D: resnet/conv1". On the
// key op's thread "step 1", "step 2", ... from each of its instances to the next.
#pragma once

#include <string>

#include "generate/nsys/event_tables.h"

namespace dlview::generate::nsys {

void write_ranges(const profile::Profile& profile, const std::string& key_op, EventTables& tables);

}  // namespace dlview::generate::nsys
