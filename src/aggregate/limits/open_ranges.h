// The NVTX ranges that are open at launches of kernels. A path has lines "domain/name", outer
// first, joined by '\n'. Equal paths have one number.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profile/event_forest.h"
#include "profile/profile.h"

namespace dlview::aggregate {

class OpenRanges {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  explicit OpenRanges(const profile::Profile& profile) : profile_(profile) {}

  bool are_recorded() const { return profile_.trace && profile_.trace->nvtx.size() > 0; }

  // Finds the paths of these kernels.
  void find(std::vector<profile::KernelIndex> kernels);

  // The number of the path of a kernel that was given to find().
  uint32_t path_of(profile::KernelIndex kernel) const { return path_of_kernel_[kernel]; }
  // The number of the name of the innermost range; kNone = no range is open.
  uint32_t innermost_of(profile::KernelIndex kernel) const {
    return innermost_of_path_[path_of_kernel_[kernel]];
  }
  // kNone = no kernel has it.
  uint32_t path_number(std::string_view path) const;
  uint32_t innermost_number(std::string_view name) const;

 private:
  static constexpr uint32_t kNoRanges = 0;  // the path of a kernel outside of all
  using Numbers = std::unordered_map<std::string, uint32_t>;

  void make_forest();
  profile::ThreadIndex launching(profile::KernelIndex kernel) const;
  void number_threads();

  // The path of the range at a place of the forest and those around it; each is looked at once.
  uint32_t path_at(profile::Row place, std::vector<uint32_t>& path_of_range);
  std::string text_of(profile::Row row) const;
  // A name may have several lines.
  uint32_t within(uint32_t path, std::string_view text);
  uint32_t innermost_of_line(const std::string& line);
  std::string_view domain_of(profile::ThreadId thread, int64_t domain) const;

  const profile::Profile& profile_;
  std::vector<profile::Row> rows_;
  std::optional<profile::EventForest> forest_;
  std::map<std::pair<profile::ThreadId, int64_t>, std::string_view> domains_;
  std::vector<profile::ThreadId> thread_of_launching_;  // by ThreadIndex
  std::vector<uint32_t> path_of_kernel_;
  std::vector<uint32_t> innermost_of_path_{kNone};  // by path; that of kNoRanges first
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> path_numbers_;  // by outer path and line
  Numbers lines_, innermost_;
};

}  // namespace dlview::aggregate
