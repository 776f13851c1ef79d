// Writes the tables of NVTX ranges, CUDA calls and GPU activities. The ...Values structs hold what
// differs between captures; the rest is constant: one context, 64 registers, no cluster.
#pragma once

#include <string_view>

#include "generate/nsys/tables.h"
#include "profile/kinds.h"

namespace dlview::generate::nsys {

inline constexpr int64_t kComputeStream = 7, kCommunicationStream = 20;

// Where a GPU activity ran and which call caused it.
struct WorkValues {
  int64_t start_ns = 0, end_ns = 0;
  int64_t device = 0, stream = kComputeStream;
  int64_t correlation = 0;
  profile::Thread thread;  // the launching thread
};

struct KernelValues {
  WorkValues work;
  int64_t short_name = 0, long_name = 0;  // in StringIds
  profile::Dim3 grid, block;
  int64_t mangled_name = -1;  // in StringIds; -1: the short name
};

struct CopyValues {
  WorkValues work;
  int64_t bytes = 0;
  profile::CopyKind kind = profile::CopyKind::host_to_device;
  profile::MemoryKind from = profile::MemoryKind::pageable, to = profile::MemoryKind::device;
};

struct CallValues {
  int64_t start_ns = 0, end_ns = 0;
  profile::Thread thread;
  int64_t correlation = 0;
  int64_t name = 0;  // in StringIds
};

struct RangeValues {
  int64_t start_ns = 0;
  std::optional<int64_t> end_ns;  // none: the capture ended first
  profile::Thread thread;
  std::string_view text;
  int64_t domain = 0;
  std::string_view payload = {};  // `binaryData`; empty: none
};

class EventTables {
 public:
  explicit EventTables(Export& out);

  void kernel(const KernelValues& values);
  void copy(const CopyValues& values);
  void set(const WorkValues& work, int64_t bytes,
           profile::MemoryKind kind = profile::MemoryKind::device);
  // `type` as in profile::Syncs: 1 device or context, 2 event, 3 stream.
  void synchronization(const WorkValues& work, int64_t type, int64_t event);
  void call(const CallValues& values);
  void range(const RangeValues& values);
  // The creation of an NVTX domain, which names it.
  void domain(int64_t time_ns, const profile::Thread& thread, int64_t id, std::string_view name);

 private:
  Export& out_;
  Table kernels_, copies_, sets_, synchronizations_, calls_, ranges_;
};

}  // namespace dlview::generate::nsys
