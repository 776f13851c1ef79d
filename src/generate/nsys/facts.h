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

// What distinguishes the captures of a run of several processes or hosts. Exports of 2026 only.
struct CaptureIdentity {
  int64_t utc_ns = 0, system_clock_ns = 0;  // both at time 0 of the export
  std::string host, command;
  std::vector<std::string> environment;  // NAME=VALUE, of the launched command
  bool includes_blobs = false;           // `nsys export --include-blobs=true`
};

struct Facts {
  const profile::SystemFacts& system;
  std::span<const profile::Device> devices;
  std::vector<ThreadFacts> threads;
  int64_t last_ns = 0;                        // of the session, which begins at 0
  const CaptureIdentity* identity = nullptr;  // null: none of this is recorded
};

void write_facts(Export& out, const Facts& facts);

}  // namespace dlview::generate::nsys
