// Writes the tables of what threads did outside CUDA: OS runtime calls, thread states, CPU samples.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "generate/nsys/tables.h"

namespace dlview::generate::nsys {

class HostTables {
 public:
  explicit HostTables(Export& out);

  void os_call(int64_t start_ns, int64_t end_ns, const profile::Thread& thread,
               std::string_view name);
  void switched(int64_t time_ns, const profile::Thread& thread, int64_t cpu, bool is_running);
  // `stack` begins with the outermost function.
  void sample(int64_t time_ns, const profile::Thread& thread, std::span<const std::string> stack,
              std::string_view module);

 private:
  Export& out_;
  Table os_calls_, switches_, samples_, stacks_;
  int64_t last_sample_ = 0;
};

}  // namespace dlview::generate::nsys
