#include "ranks/identity.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "profile/rank_name.h"

namespace dlview::ranks {
namespace {

using profile::DeviceIndex;
using profile::Profile;
using profile::RankClaim;
using profile::RankSource;

// A source of the rank of one process.
struct Told {
  std::string source;
  int64_t rank = 0;
};

std::string name_of(const RankClaim& claim) {
  switch (claim.source) {
    case RankSource::mpi_ranks:
      return "MPI_RANKS";
    case RankSource::communicator:
      return "ncclCommInitRank";
    case RankSource::distributed_info:
      return "distributedInfo";
    case RankSource::thread_name:
      return "the name of a thread";
    case RankSource::environment:
      break;
  }
  return claim.variable;
}

// Which GPUs each process used, by its number.
std::map<int64_t, std::set<DeviceIndex>> devices_by_process(const Profile& profile) {
  std::map<int64_t, std::set<DeviceIndex>> devices;
  const auto process_of = [&](profile::ThreadIndex thread) {
    return thread < profile.threads.size() ? profile.threads[thread].process_id : 0;
  };
  std::set<std::pair<profile::Row, profile::Row>> seen;
  const auto add = [&](DeviceIndex device, profile::ThreadIndex thread) {
    if (seen.emplace(device, thread).second) devices[process_of(thread)].insert(device);
  };
  for (profile::LaunchIndex launch{0}; launch < profile.launches.size(); ++launch) {
    add(profile.launches.device[launch], profile.launches.thread[launch]);
  }
  for (profile::MemoryOpIndex op{0}; op < profile.memory_ops.size(); ++op) {
    add(profile.memory_ops.device[op], profile.memory_ops.thread[op]);
  }
  // Activity without a call belongs to the only process, if there is but one.
  if (devices.size() == 2 && devices.contains(0)) {
    const std::set<DeviceIndex> unknown = std::move(devices.extract(0).mapped());
    devices.begin()->second.insert(unknown.begin(), unknown.end());
  }
  return devices;
}

bool is_of(const Profile& profile, const RankClaim& claim, std::optional<int64_t> process) {
  if (claim.process == profile::kNoValue) return !process;  // of what was launched: one program
  return !process || profile.trace->numbers_of(claim.process).process_id == *process;
}

// What all sources say of a process, in the order in which they count.
std::vector<Told> told_of(const Profile& profile, std::string_view file_name,
                          std::optional<int64_t> process) {
  std::vector<Told> told;
  if (profile.trace) {
    for (const RankClaim& claim : profile.trace->capture.ranks) {
      if (claim.rank && is_of(profile, claim, process))
        told.push_back({name_of(claim), *claim.rank});
    }
  }
  if (const auto rank = profile::rank_of_name(file_name); rank && !process) {
    told.push_back({"the file name", *rank});
  }
  return told;
}

std::optional<int64_t> world_size_of(const Profile& profile, std::optional<int64_t> process) {
  if (!profile.trace) return std::nullopt;
  for (const RankClaim& claim : profile.trace->capture.ranks) {
    // The environment of a launcher tells the size for all that it launched.
    const bool counts = is_of(profile, claim, process) || claim.process == profile::kNoValue;
    if (claim.world_size && *claim.world_size > 0 && counts) return claim.world_size;
  }
  return std::nullopt;
}

void decide(const std::vector<Told>& told, RankIdentity& identity) {
  if (told.empty()) return;
  identity.rank = told.front().rank;
  identity.source = told.front().source;
  for (const Told& other : told) {
    if (other.rank == told.front().rank) continue;
    identity.contradictions.push_back(fmt::format("{} says {}", other.source, other.rank));
  }
}

// A source that gives two processes of the file one rank tells neither.
std::set<std::string> useless_sources(const std::vector<std::vector<Told>>& told) {
  std::map<std::string, std::set<int64_t>> ranks;
  std::set<std::string> useless;
  for (const std::vector<Told>& of_process : told) {
    std::set<std::string> of_this;
    for (const Told& one : of_process) {
      if (!of_this.insert(one.source).second) continue;
      if (!ranks[one.source].insert(one.rank).second) useless.insert(one.source);
    }
  }
  return useless;
}

}  // namespace

std::vector<RankIdentity> ranks_of(const Profile& profile, std::string_view file_name) {
  const auto devices = devices_by_process(profile);
  std::string host = profile.trace ? profile.trace->capture.host : std::string();
  if (host.empty()) host = profile::host_of_name(file_name);
  std::vector<RankIdentity> ranks;
  if (devices.size() <= 1) {
    RankIdentity& identity = ranks.emplace_back();
    identity.host = host;
    identity.world_size = world_size_of(profile, std::nullopt);
    if (!devices.empty()) {
      identity.devices.assign(devices.begin()->second.begin(), devices.begin()->second.end());
    }
    decide(told_of(profile, file_name, std::nullopt), identity);
    return ranks;
  }
  std::vector<std::vector<Told>> told;
  for (const auto& [process, of_process] : devices) {
    told.push_back(told_of(profile, file_name, process));
  }
  const std::set<std::string> useless = useless_sources(told);
  for (const auto& [process, of_process] : devices) {
    std::vector<Told>& of_this = told[ranks.size()];
    std::erase_if(of_this, [&](const Told& one) { return useless.contains(one.source); });
    RankIdentity& identity = ranks.emplace_back();
    identity.host = host;
    identity.process_id = process;
    identity.world_size = world_size_of(profile, process);
    identity.devices.assign(of_process.begin(), of_process.end());
    decide(of_this, identity);
  }
  if (std::ranges::any_of(ranks, [](const RankIdentity& each) { return !each.rank; })) {
    // Processes count as their GPUs do.
    std::ranges::stable_sort(ranks, {}, [](const RankIdentity& each) {
      return std::pair(each.devices.front(), *each.process_id);
    });
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      ranks[i].rank = static_cast<int64_t>(i);
      ranks[i].source = "the order of GPUs";
      ranks[i].is_guessed = true;
    }
  }
  std::ranges::stable_sort(ranks, {}, [](const RankIdentity& each) { return *each.rank; });
  return ranks;
}

aggregate::Selection selection_of(const Profile& profile, const RankIdentity& identity,
                                  aggregate::Selection selection) {
  if (!identity.process_id) return selection;
  if (!selection.cut.key_op.empty()) {
    selection.cut.clock = aggregate::Clock{.process_id = *identity.process_id};
  }
  for (const DeviceIndex device : identity.devices) {
    selection.filters.push_back(
        {.kind = aggregate::FilterKind::device, .number = profile.devices[device].device_id});
  }
  selection.filters = aggregate::canonical(std::move(selection.filters));
  return selection;
}

}  // namespace dlview::ranks
