#include "aggregate/limits/counter_join.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "aggregate/limits/counter_facts.h"
#include "base/blocks.h"
#include "base/stop_point.h"
#include "profile/cpp_name.h"
#include "profile/event_forest.h"
#include "profile/launch_sizes.h"
#include "profile/recorded_work.h"

namespace dlview::aggregate {
namespace {

using profile::CppName;
using profile::Dim3;
using profile::KernelIndex;
using profile::Row;
using profile::StringId;

constexpr int kLevels = 4;

// A level compares one form of a name.
using NameForms = std::array<std::string, kLevels>;

// Grid and block.
using LaunchSize = std::array<int32_t, 6>;
LaunchSize size_of(const Dim3& grid, const Dim3& block) {
  return {grid.x, grid.y, grid.z, block.x, block.y, block.z};
}

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// "false", "2ul" and "(int)4" as ncu writes them: "0", "2", "4". Profilers before 2025 and
// demanglers write other forms of the same constant.
std::string constant_or_word(std::string_view word) {
  if (word == "false") return "0";
  if (word == "true") return "1";
  if (std::isdigit(static_cast<unsigned char>(word.front())) == 0) return std::string(word);
  const std::size_t end = word.find_first_not_of("0123456789");
  const bool is_suffix = end != std::string_view::npos &&
                         word.find_first_not_of("uUlL", end) == std::string_view::npos;
  return std::string(is_suffix ? word.substr(0, end) : word);
}

std::string with_plain_constants(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word_character(text[i])) {
      if (text[i] != ' ') result += text[i];
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word_character(text[end])) ++end;
    result += constant_or_word(text.substr(i, end - i));
    i = end;
  }
  return result;
}

bool names_no_scope(const CppName::Part& part) {
  return part.is_lambda() || part.text.starts_with("operator");
}

// The name of a function, type or constant without the namespaces and classes around it. What holds
// a lambda stays.
void drop_scopes(CppName& name) {
  std::size_t kept = name.parts.size() - 1;
  while (kept > 0 && names_no_scope(name.parts[kept])) --kept;
  name.parts.erase(name.parts.begin(), name.parts.begin() + static_cast<std::ptrdiff_t>(kept));
  for (CppName::Part& part : name.parts) {
    for (CppName& argument : part.arguments) drop_scopes(argument);
  }
}

// Wrappers that hundreds of kernels share: they do not tell what a kernel does.
bool is_wrapper(std::string_view word) {
  constexpr std::array<std::string_view, 9> kWrappers{
      "gpu_kernel_impl",  "gpu_kernel_impl_nocast", "gpu_index_kernel", "BinaryFunctor",
      "BUnaryFunctor",    "AUnaryFunctor",          "func_wrapper_t",   "ReduceOp",
      "opmath_gpu_kernel"};
  return std::ranges::find(kWrappers, word) != kWrappers.end();
}

bool is_functor(std::string_view word) {
  std::string lower(word);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return (lower.find("functor") != std::string::npos ||
          lower.find("kernel") != std::string::npos) &&
         !is_wrapper(word);
}

std::vector<std::string_view> words_of_name(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word_character(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word_character(text[end])) ++end;
    words.push_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

// The name without the unnamed namespaces that demanglers write in three ways, one of them broken.
std::string without_unnamed(std::string_view name) {
  std::string result(name);
  for (const std::string_view scope : {"(anonymous namespace)::", "<unnamed>::", "unnamed>::"}) {
    for (std::size_t at = result.find(scope); at != std::string::npos; at = result.find(scope)) {
      result.erase(at, scope.size());
    }
  }
  return result;
}

// The function of a name: the word before the first "<" or "(" that follows a word.
std::string_view function_of(std::string_view name) {
  const std::vector<std::string_view> words =
      words_of_name(name.substr(0, name.find_first_of("<(")));
  return words.empty() ? std::string_view() : words.back();
}

NameForms forms_of(std::string_view name) {
  return {std::string(name.starts_with("_Z") ? name : std::string_view()), std::string(name),
          normalized_kernel_name(name), function_and_functor(name)};
}

// A name of the profile: texts of level 1 come from the mangled name.
struct ProfileName {
  StringId name = 0;  // as in names()
  NameForms forms;
};

StringId name_of_kernel(const profile::Profile& profile, KernelIndex kernel) {
  const StringId full = profile.kernels.long_name[kernel];
  return profile.text(full).empty() ? profile.kernels.name[kernel] : full;
}

// The kernels of one name, grid and block, in order of start.
struct ProfileKey {
  StringId name = 0;
  LaunchSize size{};
  auto operator<=>(const ProfileKey&) const = default;
};

// The measured launches of a file with one name, grid, block and path of ranges.
struct MeasuredKey {
  Row file = 0;
  std::string_view name;
  LaunchSize size{};
  std::optional<StringId> ranges;
  auto operator<=>(const MeasuredKey&) const = default;
};

std::string_view without_vendor(std::string_view gpu) {
  for (const std::string_view vendor : {"NVIDIA ", "AMD "}) {
    if (gpu.starts_with(vendor)) gpu.remove_prefix(vendor.size());
  }
  return gpu;
}

// "/outer/inner" of the NVTX ranges that are open at a launch, outer first: "domain/name" by lines.
class OpenRanges {
 public:
  explicit OpenRanges(const profile::Profile& profile) : profile_(profile) {}

  bool are_recorded() const { return profile_.trace && profile_.trace->nvtx.size() > 0; }

  std::string at(KernelIndex kernel) {
    const profile::TraceNvtx& nvtx = profile_.trace->nvtx;
    if (!forest_) make_forest();
    const profile::ThreadId thread = thread_of(kernel);
    const int64_t time = profile_.kernels.api_start_ns[kernel];
    profile::OpenEvents open(*forest_, thread);
    std::vector<std::string> lines;
    for (Row place = open.at(time); place != profile::kNoRow; place = forest_->parent(place)) {
      const Row row = rows_[(*forest_)[place].row];
      lines.push_back(
          fmt::format("{}/{}", domain_of(nvtx.thread[row], nvtx.domain[row]),
                      nvtx.text[row] == profile::kNoText ? "" : profile_.text(nvtx.text[row])));
    }
    std::ranges::reverse(lines);
    return fmt::format("{}", fmt::join(lines, "\n"));
  }

 private:
  void make_forest() {
    const profile::TraceNvtx& nvtx = profile_.trace->nvtx;
    for (std::size_t row = 0; row < nvtx.size(); ++row) {
      if (nvtx.end_ns[row] != profile::kNoValue && nvtx.end_ns[row] >= nvtx.start_ns[row]) {
        rows_.push_back(static_cast<Row>(row));
      }
    }
    forest_.emplace(
        rows_.size(), [&](std::size_t i) { return nvtx.thread[rows_[i]]; },
        [&](std::size_t i) {
          const Row row = rows_[i];
          return profile::EventForest::Event{nvtx.start_ns[row], nvtx.end_ns[row],
                                             static_cast<Row>(i)};
        });
  }
  profile::ThreadId thread_of(KernelIndex kernel) const {
    const profile::Thread& launching =
        profile_.threads[profile_.launches.thread[profile_.kernels.launch[kernel]]];
    for (Row row = 0; row < profile_.trace->threads.size(); ++row) {
      const profile::TraceThread& thread = profile_.trace->threads[row];
      if (thread.number == launching.thread_id &&
          profile_.trace->processes[thread.process].number == launching.process_id) {
        return profile::make_thread_id(thread.process, profile::TraceThreadIndex(row));
      }
    }
    return profile::kNoValue;
  }
  std::string_view domain_of(profile::ThreadId thread, int64_t domain) const {
    if (domain == 0) return "<default domain>";
    const auto found = std::ranges::find_if(profile_.trace->nvtx_domains, [&](const auto& known) {
      return known.id == domain && known.process == profile::process_of(thread);
    });
    return found == profile_.trace->nvtx_domains.end() ? std::string_view() : found->name;
  }

  const profile::Profile& profile_;
  std::vector<Row> rows_;
  std::optional<profile::EventForest> forest_;
};

class Joiner {
 public:
  Joiner(const profile::Profile& profile, const profile::KernelCounters& counters,
         std::span<const CounterFacts> facts)
      : profile_(profile), counters_(counters), facts_(facts), ranges_(profile) {
    join_.matches.resize(counters.launches.size());
  }

  CounterJoin join() {
    group_measured();
    if (!measured_.empty()) find_names();
    if (!names_.empty()) collect_kernels();
    for (auto& [key, launches] : measured_) {
      base::stop_point();
      match(key, launches);
    }
    number_sets();
    return std::move(join_);
  }

 private:
  struct Found {
    int level = 0;
    std::vector<const std::pair<const ProfileKey, std::vector<KernelIndex>>*> keys;
  };

  void group_measured() {
    for (Row row = 0; row < counters_.launches.size(); ++row) {
      const profile::CounterLaunch& launch = counters_.launches[row];
      if (!launch.grid || !launch.block) {
        join_.matches[row].reason = "The file has no grid and block";
        continue;
      }
      measured_[{launch.file, counters_.text(launch.kernel), size_of(*launch.grid, *launch.block),
                 launch.ranges}]
          .push_back(row);
    }
  }

  // The names of the profile that any level may match.
  void find_names() {
    const std::size_t texts = profile_.strings.size();
    std::vector<uint8_t> is_name(texts, 0);
    const auto& kernels = profile_.kernels;
    for (KernelIndex kernel{0}; kernel < kernels.size(); ++kernel) {
      is_name[name_of_kernel(profile_, kernel)] = 1;
    }
    for (StringId id = 0; id < texts; ++id) {
      if (is_name[id] != 0) names_.push_back({id, forms_of(profile_.text(id))});
    }
    add_mangled_names();
  }

  void add_mangled_names() {
    if (!profile_.trace || profile_.trace->kernels.mangled_name.empty()) return;
    const profile::TraceKernels& trace = profile_.trace->kernels;
    std::unordered_map<StringId, StringId> mangled;  // by name; that of the first kernel
    for (KernelIndex kernel{0}; kernel < profile_.kernels.size(); ++kernel) {
      const std::size_t row = profile::row_of_source_id(profile_.kernels.source_id[kernel]);
      if (row >= trace.size() || trace.mangled_name[row] == profile::kNoText) continue;
      mangled.try_emplace(name_of_kernel(profile_, kernel), trace.mangled_name[row]);
    }
    for (ProfileName& name : names_) {
      const auto found = mangled.find(name.name);
      if (found != mangled.end()) name.forms[0] = profile_.text(found->second);
    }
  }

  void collect_kernels() {
    std::map<LaunchSize, uint8_t> wanted_sizes;
    for (const auto& [key, launches] : measured_) wanted_sizes[key.size] = 1;
    std::vector<uint8_t> is_wanted(profile_.launches.size(), 0);
    for (profile::LaunchIndex launch{0}; launch < profile_.launches.size(); ++launch) {
      is_wanted[launch] = wanted_sizes.count(size_of(profile_.launches.grid[launch],
                                                     profile_.launches.block[launch])) > 0
                              ? 1
                              : 0;
    }
    const auto& kernels = profile_.kernels;
    using Rows = std::vector<KernelIndex>;
    base::Blocks<Rows> blocks(kernels.size(), 65'536);
    blocks.for_each([&](Rows& rows, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const KernelIndex kernel(static_cast<Row>(i));
        if (is_wanted[kernels.launch[kernel]] != 0 && profile::has_launch_size(profile_, kernel)) {
          rows.push_back(kernel);
        }
      }
    });
    for (const Rows& rows : blocks.states()) {
      for (const KernelIndex kernel : rows) {
        const profile::LaunchIndex launch = kernels.launch[kernel];
        const ProfileKey key{
            name_of_kernel(profile_, kernel),
            size_of(profile_.launches.grid[launch], profile_.launches.block[launch])};
        kernels_[key].push_back(kernel);
      }
    }
    for (auto& [key, rows] : kernels_) {
      std::ranges::stable_sort(rows, {},
                               [&](KernelIndex kernel) { return kernels.gpu_start_ns[kernel]; });
    }
  }

  // By the levels from `first` to `last`.
  Found find(std::string_view name, const LaunchSize& size, int first = 1,
             int last = kLevels) const {
    const NameForms wanted = forms_of(name);
    for (int level = first; level <= last; ++level) {
      const auto at = static_cast<std::size_t>(level - 1);
      if (wanted[at].empty()) continue;
      Found found{level, {}};
      for (const ProfileName& known : names_) {
        if (known.forms[at] != wanted[at]) continue;
        const auto key = kernels_.find({known.name, size});
        if (key != kernels_.end()) found.keys.push_back(&*key);
      }
      if (!found.keys.empty()) return found;
    }
    return {};
  }

  void match(const MeasuredKey& key, const std::vector<Row>& launches) {
    LaunchMatch match;
    match.measured_launches = static_cast<int64_t>(launches.size());
    Found found = find(key.name, key.size, 1, 2);
    std::optional<std::string> ranges;
    if (key.ranges) ranges = counters_.text(*key.ranges);
    // "step 3/volta_sgemm": ncu renamed the kernel by its range. The looser levels would not see
    // the range.
    const std::size_t slash = key.name.rfind('/');
    if (found.keys.empty() && slash != std::string_view::npos) {
      found = find(key.name.substr(slash + 1), key.size);
      innermost_ = std::string(key.name.substr(0, slash));
    }
    if (found.keys.empty()) {
      innermost_.reset();
      found = find(key.name, key.size, 3);
    }
    finish(match, found, launches, ranges);
    innermost_.reset();
    for (const Row launch : launches) {
      const double ratio = join_.matches[launch].duration_ratio;
      join_.matches[launch] = match;
      join_.matches[launch].duration_ratio = ratio;
    }
  }

  void finish(LaunchMatch& match, const Found& found, const std::vector<Row>& launches,
              const std::optional<std::string>& ranges) {
    if (found.keys.empty()) {
      match.reason = "No kernel has this name, grid and block";
      return;
    }
    match.level = found.level;
    if (found.keys.size() > 1) {
      match.state = MatchState::ambiguous;
      match.level = 0;
      for (const auto* key : found.keys) match.candidates.push_back(key->first.name);
      match.reason = fmt::format("{} kernels have this name, grid and block", found.keys.size());
      return;
    }
    std::vector<KernelIndex> kernels = found.keys.front()->second;
    if (const std::string other = other_gpu(launches.front(), kernels.front()); !other.empty()) {
      match.state = MatchState::refused;
      match.reason = other;
      return;
    }
    if ((ranges || innermost_) && !keep_in_ranges(kernels, ranges, match)) return;
    match.state = MatchState::joined;
    match.profile_launches = static_cast<int64_t>(kernels.size());
    assign(match, launches, kernels);
  }

  // "Measured on another GPU: NVIDIA L4 (compute capability 8.9) instead of NVIDIA H100 (compute
  // capability 9.0)"; empty = the same, or unknown.
  std::string other_gpu(Row launch, KernelIndex kernel) const {
    const profile::CounterLaunch& measured = counters_.launches[launch];
    const profile::Device& gpu = profile_.devices[profile_.device_of_kernel(kernel)];
    const bool other_capability =
        measured.cc_major && gpu.compute_capability_major > 0 &&
        std::pair(*measured.cc_major, measured.cc_minor.value_or(0)) !=
            std::pair(gpu.compute_capability_major, gpu.compute_capability_minor);
    const std::string_view name = facts_[launch].device_name;
    const bool other_name =
        !name.empty() && !gpu.name.empty() && without_vendor(name) != without_vendor(gpu.name);
    if (!other_capability && !other_name) return "";
    const auto text = [](std::string_view gpu_name, int32_t major, int32_t minor) {
      const std::string capability = fmt::format("compute capability {}.{}", major, minor);
      return gpu_name.empty() ? capability : fmt::format("{} ({})", gpu_name, capability);
    };
    return fmt::format("Measured on another GPU: {} instead of {}",
                       text(name, measured.cc_major.value_or(0), measured.cc_minor.value_or(0)),
                       text(gpu.name, gpu.compute_capability_major, gpu.compute_capability_minor));
  }

  // Leaves the kernels launched in these ranges.
  bool keep_in_ranges(std::vector<KernelIndex>& kernels, const std::optional<std::string>& ranges,
                      LaunchMatch& match) {
    if (!ranges_.are_recorded()) {
      match.reason = "NVTX ranges not compared: the profile has none";
      return true;
    }
    std::erase_if(kernels, [&](KernelIndex kernel) {
      const std::string path = ranges_.at(kernel);
      if (ranges) return path != *ranges;
      const std::size_t line = path.rfind('\n');
      const std::string last = line == std::string::npos ? path : path.substr(line + 1);
      const std::size_t slash = last.find('/');
      return slash == std::string::npos || last.substr(slash + 1) != *innermost_;
    });
    if (!kernels.empty()) return true;
    match.level = 0;
    match.reason = "No kernel of this name, grid and block is in these NVTX ranges";
    return false;
  }

  // By stream and start, if both sides have the same numbers of launches; else each kernel gets all
  // of them.
  void assign(LaunchMatch& match, const std::vector<Row>& launches,
              const std::vector<KernelIndex>& kernels) {
    std::map<int64_t, std::vector<Row>> measured;  // by stream
    std::map<int64_t, std::vector<KernelIndex>> of_profile;
    bool are_single = true;
    for (const Row launch : launches) {
      const profile::CounterLaunch& its = counters_.launches[launch];
      are_single &= its.invocations == 1;
      measured[its.stream.value_or(0)].push_back(launch);
    }
    for (const KernelIndex kernel : kernels) of_profile[stream_of(kernel)].push_back(kernel);
    match.by_occurrence =
        are_single && measured.size() == of_profile.size() &&
        std::equal(measured.begin(), measured.end(), of_profile.begin(),
                   [](const auto& a, const auto& b) { return a.second.size() == b.second.size(); });
    if (match.by_occurrence) {
      auto stream = of_profile.begin();
      for (const auto& [number, rows] : measured) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          add(stream->second[i], rows[i]);
          note_ratio(rows[i], {&stream->second[i], 1});
        }
        ++stream;
      }
      return;
    }
    for (const KernelIndex kernel : kernels) {
      for (const Row launch : launches) add(kernel, launch);
    }
    for (const Row launch : launches) note_ratio(launch, kernels);
  }

  int64_t stream_of(KernelIndex kernel) const {
    if (!profile_.trace) return 0;
    const profile::RecordedWork work = profile::recorded_kernel(profile_, kernel);
    return work.row < work.table.stream.size() ? work.table.stream[work.row] : 0;
  }

  void add(KernelIndex kernel, Row launch) { launches_of_[kernel].push_back(launch); }

  void note_ratio(Row launch, std::span<const KernelIndex> kernels) {
    const std::optional<double>& measured = facts_[launch].duration_ns;
    double sum = 0;
    for (const KernelIndex kernel : kernels) {
      sum += static_cast<double>(profile_.kernels.gpu_stop_ns[kernel] -
                                 profile_.kernels.gpu_start_ns[kernel]);
    }
    if (measured && sum > 0) {
      join_.matches[launch].duration_ratio = *measured * static_cast<double>(kernels.size()) / sum;
    }
  }

  void number_sets() {
    if (launches_of_.empty()) return;
    join_.set_of_kernel.assign(profile_.kernels.size(), CounterJoin::kNoSet);
    std::map<std::vector<Row>, uint32_t> numbers;
    for (const auto& [kernel, launches] : launches_of_) {
      const auto [place, is_new] = numbers.emplace(launches, static_cast<uint32_t>(numbers.size()));
      if (is_new) {
        join_.set_launches.insert(join_.set_launches.end(), launches.begin(), launches.end());
        join_.set_first.push_back(static_cast<uint32_t>(join_.set_launches.size()));
      }
      join_.set_of_kernel[kernel] = place->second;
    }
  }

  const profile::Profile& profile_;
  const profile::KernelCounters& counters_;
  const std::span<const CounterFacts> facts_;
  OpenRanges ranges_;
  CounterJoin join_;
  std::map<MeasuredKey, std::vector<Row>> measured_;
  std::vector<ProfileName> names_;
  std::map<ProfileKey, std::vector<KernelIndex>> kernels_;
  std::map<KernelIndex, std::vector<Row>> launches_of_;  // measured launches, in their order
  std::optional<std::string> innermost_;                 // range that ncu put before the name
};

}  // namespace

std::string_view to_text(MatchState state) {
  switch (state) {
    case MatchState::joined:
      return "joined";
    case MatchState::ambiguous:
      return "ambiguous";
    case MatchState::refused:
      return "refused";
    case MatchState::none:
      break;
  }
  return "none";
}

CounterJoin join_counters(const profile::Profile& profile,
                          const profile::KernelCounters& counters) {
  return join_counters(profile, counters, facts_of(counters));
}

CounterJoin join_counters(const profile::Profile& profile, const profile::KernelCounters& counters,
                          std::span<const CounterFacts> facts) {
  return Joiner(profile, counters, facts).join();
}

std::string normalized_kernel_name(std::string_view name) {
  std::optional<CppName> read = profile::read_cpp_name(name);
  if (!read) return with_plain_constants(name);
  drop_scopes(*read);
  return with_plain_constants(profile::to_text(*read));
}

std::string function_and_functor(std::string_view name) {
  const std::string text = without_unnamed(name);
  const std::string_view function = function_of(text);
  if (function.empty()) return "";
  const auto end = static_cast<std::size_t>(function.data() - text.data()) + function.size();
  for (const std::string_view word : words_of_name(std::string_view(text).substr(end))) {
    if (word != function && is_functor(word)) return fmt::format("{} {}", function, word);
  }
  return "";
}

}  // namespace dlview::aggregate
