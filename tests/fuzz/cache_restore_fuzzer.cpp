// A cache file of any bytes: what comes out of it can be aggregated without harm, even before the
// checksums of the columns are compared. Header and checksum are made to fit the program first,
// for else every input would end there.
#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "aggregate/aggregator.h"
#include "aggregate/iterations.h"
#include "fuzz/fuzz.h"
#include "fuzz/seed_profiles.h"
#include "import/column_cache/archive.h"
#include "import/column_cache/checksum.h"
#include "import/column_cache/format.h"
#include "import/column_cache/plausible.h"
#include "import/column_cache/restore.h"
#include "import/column_cache/source_stamp.h"
#include "import/times.h"

namespace dlview::fuzz {
namespace {

using namespace import::column_cache;

// As a program would write it that stored these bytes; unchanged when its parts lie outside.
std::string with_fitting_header(std::string bytes) {
  if (bytes.size() < kHeaderRoom) return bytes;
  Header header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const Header fitting;
  header.magic = fitting.magic;
  header.byte_order = fitting.byte_order;
  header.format_version = fitting.format_version;
  header.source_stamp = source_stamp();
  header.layout = layout_hash();
  header.file_bytes = bytes.size();
  if (header.facts_offset <= bytes.size() && header.directory_offset <= header.facts_offset) {
    header.facts_bytes = bytes.size() - header.facts_offset;
    const auto file = std::as_bytes(std::span(bytes));
    header.checksum = checksum_of(
        header,
        file.subspan(header.directory_offset, header.facts_offset - header.directory_offset),
        file.subspan(header.facts_offset));
  }
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

// What is no column, of each seed.
const std::set<std::string>& seed_facts() {
  static const std::set<std::string> all = [] {
    std::set<std::string> facts;
    for (const SeedDatabase& seed : seed_databases()) {
      Writer writer;
      writer(open_seed(seed));
      facts.insert(writer.facts());
    }
    return facts;
  }();
  return all;
}

bool are_times(const profile::Column<int64_t>& column) {
  return std::ranges::all_of(
      column, [](int64_t time_ns) { return 0 <= time_ns && time_ns <= import::kLatestNs; });
}

// Whether a program would aggregate it: the checksum of the header covers what is no column. Sums
// of times that no import yields overflow.
bool is_usable(const profile::Profile& profile) {
  Writer writer;
  writer(profile);
  const auto all_are_times = [](const auto&... columns) { return (are_times(columns) && ...); };
  const auto events_have_times = [&](const auto& events) {
    return all_are_times(events.api_start_ns, events.api_stop_ns);
  };
  const profile::Kernels& kernels = profile.kernels;
  const profile::MemoryOps& memory_ops = profile.memory_ops;
  return seed_facts().contains(writer.facts()) &&
         all_are_times(profile.instances.cpu_start_ns, profile.instances.cpu_stop_ns,
                       kernels.gpu_start_ns, kernels.gpu_stop_ns, memory_ops.gpu_start_ns,
                       memory_ops.gpu_stop_ns, profile.user_ranges.start_ns,
                       profile.user_ranges.stop_ns) &&
         events_have_times(kernels) && events_have_times(memory_ops) &&
         events_have_times(profile.syncs) && events_have_times(profile.api_calls);
}

void use(profile::Profile profile) {
  const auto shared = std::make_shared<const profile::Profile>(std::move(profile));
  const auto engine = aggregate::make_cpu_aggregator(shared);
  const aggregate::KeyRanking ranking(*shared);
  const aggregate::Selection selection = aggregate::default_selection(ranking);
  const aggregate::Aggregation aggregation = engine->aggregate(selection);
  const aggregate::IterationRange& range = aggregation.selection.range;
  require(0 <= range.first && range.first <= range.last, "the range of an answer is no range");
}

}  // namespace
}  // namespace dlview::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace dlview;
  using namespace dlview::import::column_cache;
  fuzz::use_one_thread();
  const Identity& identity = fuzz::seed_identity();
  static const std::filesystem::path path = fuzz::folder() / identity.name;
  fuzz::write(path, fuzz::with_fitting_header({reinterpret_cast<const char*>(data), size}));
  static_cast<void>(source_of(path));
  std::optional<Restored> restored = restore(identity, fuzz::folder());
  if (!restored) return 0;
  fuzz::require(is_plausible(restored->profile), "a restored profile is not plausible");
  const bool are_sound = restored->columns.are_sound({});
  fuzz::require(are_sound == std::filesystem::exists(path), "a damaged file was not removed");
  if (fuzz::is_usable(restored->profile)) fuzz::use(std::move(restored->profile));
  return 0;
}
