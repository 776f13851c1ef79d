// What an export says of itself, the machine, its GPUs and the names of processes and threads.
#pragma once

#include "generate/nsys/tables.h"

namespace dlview::generate::nsys {

void write_facts(Export& out);

}  // namespace dlview::generate::nsys
