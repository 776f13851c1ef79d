// The order in which DLProf numbers its rows (formats.md 1). The row at position i gets the id
// i + 1. Texts are compared byte by byte.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace dlview::generate::dlprof {

struct RowOrder {
  // Rows of the profile, in the order of the file.
  std::vector<profile::OpIndex> ops;              // by (name, id)
  std::vector<profile::InstanceIndex> instances;  // by (op, cpu start)
  // By (op, API call or short kernel name, api start).
  std::vector<profile::KernelIndex> kernels;
  std::vector<profile::MemoryOpIndex> memory_ops;
  std::vector<profile::SyncIndex> syncs;
  std::vector<profile::ApiCallIndex> api_calls;

  // By row of the profile.
  std::vector<int64_t> op_id;
  std::vector<int64_t> op_instance;  // 0, 1, ... among the instances of its op
  std::vector<int64_t> kernel_id;
};

RowOrder row_order(const profile::Profile& profile);

// For each text its position in byte order.
std::vector<uint32_t> text_ranks(const profile::StringTable& strings);

}  // namespace dlview::generate::dlprof
