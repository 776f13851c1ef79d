#include "aggregate/engine/coverage.h"

namespace dlview::aggregate {
namespace {

int64_t between(const Coverage& start, const Coverage& stop, Level level) {
  return std::max<int64_t>(stop[level] - start[level], 0);
}

}  // namespace

Breakdown breakdown_between(const Coverage& start, const Coverage& stop) {
  constexpr std::array<std::pair<Category, Level>, 6> kNested{
      {{Category::tensor_core_kernels, Level::tensor_core_kernels},
       {Category::other_kernels, Level::kernels},
       {Category::memory, Level::gpu},
       {Category::data_loader, Level::gpu_data_loader},
       {Category::io, Level::gpu_io},
       {Category::cpu, Level::gpu_host}}};
  Breakdown result;
  int64_t inner_ns = 0;
  for (const auto& [category, level] : kNested) {
    const int64_t ns = between(start, stop, level);
    result[category] = ns - inner_ns;
    inner_ns = ns;
  }
  return result;
}

CommunicationTime communication_between(const Coverage& start, const Coverage& stop) {
  const int64_t ns = between(start, stop, Level::communication);
  if (ns == 0) return {};
  return {ns, between(start, stop, Level::kernels) - between(start, stop, Level::computation)};
}

}  // namespace dlview::aggregate
