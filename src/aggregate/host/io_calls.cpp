#include "aggregate/host/io_calls.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "aggregate/host/launching_threads.h"
#include "aggregate/range_paths.h"

namespace dlview::aggregate {
namespace {

using base::Interval;
using base::IntervalSet;
using profile::kNoText;
using profile::Profile;
using profile::Row;

// Of the calls that nsys traces (nsys profile --trace=osrt), those that move bytes. Names of libc
// come with suffixes ("pread64", "__read_chk") and variants ("fread_unlocked").
constexpr std::string_view kCalls[] = {"read",
                                       "readv",
                                       "pread",
                                       "preadv",
                                       "preadv2",
                                       "fread",
                                       "fgets",
                                       "fgetc",
                                       "getc",
                                       "gets",
                                       "getw",
                                       "getline",
                                       "getdelim",
                                       "fgetws",
                                       "fgetwc",
                                       "getwc",
                                       "fscanf",
                                       "vfscanf",
                                       "write",
                                       "writev",
                                       "pwrite",
                                       "pwritev",
                                       "pwritev2",
                                       "fwrite",
                                       "fputs",
                                       "fputc",
                                       "putc",
                                       "puts",
                                       "putw",
                                       "fputws",
                                       "fputwc",
                                       "putwc",
                                       "fprintf",
                                       "vfprintf",
                                       "dprintf",
                                       "vdprintf",
                                       "fflush",
                                       "fsync",
                                       "fdatasync",
                                       "sync",
                                       "syncfs",
                                       "msync",
                                       "sync_file_range",
                                       "sendfile",
                                       "copy_file_range",
                                       "splice",
                                       "vmsplice",
                                       "tee"};

std::string_view without(std::string_view name, std::string_view suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

// By id of the names of OS calls.
std::vector<bool> io_names(const Profile& profile) {
  std::vector<bool> is_io(profile.strings.size()), is_known(profile.strings.size());
  for (const profile::StringId name : profile.trace->os_calls.name) {
    if (name == kNoText || is_known[name]) continue;
    is_known[name] = true;
    is_io[name] = reads_or_writes(profile.text(name));
  }
  return is_io;
}

}  // namespace

bool reads_or_writes(std::string_view os_call) {
  while (os_call.starts_with('_')) os_call.remove_prefix(1);
  for (const std::string_view suffix : {"_chk", "_unlocked", "64"}) {
    os_call = without(os_call, suffix);
  }
  return std::ranges::find(kCalls, os_call) != std::end(kCalls);
}

bool tells_io(const Profile& profile) {
  return profile.trace && profile.trace->os_calls.size() > 0;
}

IntervalSet io_intervals(const Profile& profile) {
  if (!tells_io(profile)) return {};
  const profile::TraceCalls& calls = profile.trace->os_calls;
  if (calls.name.empty() || calls.thread.empty()) return {};
  const std::vector<bool> launches = launching_threads(profile);
  std::map<ThreadKey, bool> counts;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    counts.emplace(key_of(profile.threads[i]), launches[i]);
  }
  const std::vector<bool> is_io = io_names(profile);
  std::vector<Interval> intervals;
  for (std::size_t row = 0; row < calls.size(); ++row) {
    if (calls.name[row] == kNoText || !is_io[calls.name[row]]) continue;
    const auto thread = counts.find(key_of(profile.trace->numbers_of(calls.thread[row])));
    if (thread == counts.end() || !thread->second) continue;
    intervals.push_back({calls.start_ns[row], calls.end_ns[row]});
  }
  return IntervalSet::union_of(std::move(intervals));
}

}  // namespace dlview::aggregate
