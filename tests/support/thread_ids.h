// Ids of threads in traces that are made by hand: the row of a process is its number, and each has
// 16 threads, numbered from 1.
#pragma once

#include <cstdint>
#include <memory>

#include "profile/profile.h"

namespace dlview::testing {

inline constexpr int64_t kThreadsOfProcess = 16;

constexpr profile::ThreadId thread_of(int64_t process, int64_t thread = 0) {
  return process << 32 | (thread == 0 ? 0 : process * kThreadsOfProcess + thread);
}

// Without names.
inline void add_threads(profile::Trace& trace, profile::Row processes = 16) {
  for (profile::ProcessIndex process{0}; process < processes; ++process) {
    trace.processes.push_back({.number = process, .name = ""});
    for (int64_t i = 1; i <= kThreadsOfProcess; ++i) {
      trace.threads.push_back({.process = process, .number = i, .name = ""});
    }
  }
}

// The profile with a trace whose only thread, kOnlyThread, has this number.
inline constexpr profile::ThreadId kOnlyThread =
    profile::make_thread_id(profile::ProcessIndex{0}, profile::TraceThreadIndex{0});
inline std::shared_ptr<const profile::Profile> with_thread(const profile::Profile& profile,
                                                           int64_t number) {
  auto traced = std::make_shared<profile::Profile>(profile);
  traced->trace.emplace();
  traced->trace->processes.push_back({.name = ""});
  traced->trace->threads.push_back(
      {.process = profile::ProcessIndex{0}, .number = number, .name = ""});
  return traced;
}

}  // namespace dlview::testing
