// Facts of an export about itself, the machine, its GPUs and the names of processes and threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "generate/nsys/tables.h"

namespace dlview::generate::nsys {

struct ThreadFacts {
  profile::Thread thread;
  std::string name;
};

struct Facts {
  const profile::SystemFacts& system;
  std::span<const profile::Device> devices;
  std::vector<ThreadFacts> threads;
  int64_t last_ns = 0;  // of the session, which begins at 0
};

void write_facts(Export& out, const Facts& facts);

}  // namespace dlview::generate::nsys
