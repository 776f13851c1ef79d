// Kernels, copies, sets and synchronizations with the CUDA calls that caused them.
#pragma once

#include "generate/nsys/tables.h"

namespace dlview::generate::nsys {

void write_events(Export& out);

}  // namespace dlview::generate::nsys
