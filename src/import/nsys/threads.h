// The processes and threads of an export. While it is read, columns hold nsys's global ids:
// hardware and virtual machine in the upper bits, then 24 bits of process id, then 24 bits of
// thread id, 0 for a process.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "import/nsys/constant_columns.h"
#include "profile/trace.h"

namespace dlview::import::nsys {

// A thread's process.
constexpr int64_t global_process(int64_t global_id) {
  return global_id & ~int64_t{0xffffff};
}

// Processes and threads of the export, by their global ids.
struct KnownThreads {
  struct Thread {
    std::string name;
    std::optional<int64_t> priority = std::nullopt;
  };
  std::map<int64_t, std::string> processes;  // empty = no name
  std::map<int64_t, Thread> threads;
};

// Fills trace.processes and trace.threads with those that the columns name and those that are
// known, in order of their global ids, and puts profile::ThreadIds in the place of global ids.
void number_threads(const KnownThreads& known, ConstantColumns& constants, profile::Trace& trace);

}  // namespace dlview::import::nsys
