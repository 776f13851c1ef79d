#include "ui/views/timeline/op_colors.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/parallel.h"

namespace dlview::ui {
namespace {

using profile::InstanceIndex;
using profile::Profile;
using profile::StringId;

constexpr std::size_t kOpRowsAtOnce = 1 << 18;
constexpr std::size_t kEventsAtOnce = 1 << 14;

// The sum of length(row) over all rows, by op; every thread has sums of its own meanwhile.
template <typename OpOf, typename Length>
std::vector<int64_t> times_by_op(const Profile& profile, std::size_t rows, const OpOf& op_of,
                                 const Length& length) {
  std::vector<int64_t> times(profile.ops.size());
  std::mutex mutex;
  const std::size_t grain = std::max(kOpRowsAtOnce, 4 * times.size());
  base::parallel_for(rows, grain, [&](std::size_t begin, std::size_t end) {
    std::vector<int64_t> here(times.size());
    for (std::size_t row = begin; row < end; ++row) {
      here[op_of(row)] += std::max<int64_t>(0, length(row));
    }
    const std::lock_guard lock(mutex);
    for (std::size_t op = 0; op < times.size(); ++op) times[op] += here[op];
  });
  return times;
}

std::vector<int64_t> times_of_ops(const Profile& profile) {
  const auto& instances = profile.instances;
  const auto& kernels = profile.kernels;
  if (kernels.size() == 0) {
    return times_by_op(
        profile, instances.size(), [&](std::size_t row) { return instances.op[row]; },
        [&](std::size_t row) { return instances.cpu_stop_ns[row] - instances.cpu_start_ns[row]; });
  }
  return times_by_op(
      profile, kernels.size(), [&](std::size_t row) { return instances.op[kernels.instance[row]]; },
      [&](std::size_t row) { return kernels.gpu_stop_ns[row] - kernels.gpu_start_ns[row]; });
}

const profile::Column<StringId>& texts(const Profile& profile, timeline::ColorBy by) {
  switch (by) {
    case timeline::ColorBy::op_type:
      return profile.ops.type;
    case timeline::ColorBy::direction:
      return profile.ops.direction;
    case timeline::ColorBy::category:
    case timeline::ColorBy::op:
      break;
  }
  return profile.ops.name;
}

uint8_t hue_of(timeline::EventRef event, const Profile& profile,
               const std::vector<uint8_t>& of_op) {
  if (event.kind == timeline::EventKind::group) return OpColors::kGroup;
  const InstanceIndex instance = instance_of(profile, event);
  return instance == profile::kNoRow ? OpColors::kOther : of_op[profile.instances.op[instance]];
}

}  // namespace

OpColors::OpColors(std::shared_ptr<const timeline::Lanes> lanes, timeline::ColorBy by)
    : lanes_(std::move(lanes)) {
  const Profile& profile = lanes_->events.profile();
  const auto& text_of = texts(profile, by);
  const std::vector<int64_t> times = times_of_ops(profile);
  std::unordered_map<StringId, int64_t> time_of;
  for (std::size_t op = 0; op < times.size(); ++op) time_of[text_of[op]] += times[op];
  std::vector<std::pair<StringId, int64_t>> longest(time_of.begin(), time_of.end());
  std::erase_if(longest, [&](const auto& entry) { return profile.text(entry.first).empty(); });
  const std::size_t kept = std::min(longest.size(), kHueCount);
  std::ranges::partial_sort(longest, longest.begin() + static_cast<std::ptrdiff_t>(kept),
                            [&](const auto& a, const auto& b) {
                              if (a.second != b.second) return a.second > b.second;
                              return profile.text(a.first) < profile.text(b.first);
                            });
  longest.resize(kept);
  std::vector<std::string_view> names;
  for (const auto& [text, time_ns] : longest) names.push_back(profile.text(text));
  const std::vector<uint8_t> chosen = choose_hues(names);
  std::unordered_map<StringId, uint8_t> hue_of;
  for (std::size_t i = 0; i < kept; ++i) {
    entries_.push_back({std::string(names[i]), chosen[i], longest[i].second});
    hue_of[longest[i].first] = chosen[i];
  }
  std::vector<uint8_t> of_op(profile.ops.size(), kOther);
  for (std::size_t op = 0; op < of_op.size(); ++op) {
    const auto found = hue_of.find(text_of[op]);
    if (found != hue_of.end()) of_op[op] = found->second;
    has_others_ |= found == hue_of.end();
  }
  std::vector<const timeline::Line*> lines;
  for (const timeline::LaneGroup& group : lanes_->groups) {
    for (const timeline::Lane& lane : group.lanes) {
      for (const timeline::Line& line : lane.lines) lines.push_back(&line);
    }
  }
  for (const timeline::Line* line : lines)
    of_line_[line];  // room, so that they can be made side by side
  base::parallel_for(lines.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) of_line_.at(lines[i]) = hues_of(*lines[i], of_op);
  });
}

OpColors::OfLine OpColors::hues_of(const timeline::Line& line,
                                   const std::vector<uint8_t>& of_op) const {
  static_assert(kOther < timeline::FoldHues::kHues);
  const timeline::Events& events = lanes_->events;
  OfLine hues{std::vector<uint8_t>(line.size()), {}};
  base::parallel_for(line.size(), kEventsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < end; ++place) {
      hues.of_place[place] = hue_of(line[place], events.profile(), of_op);
    }
  });
  hues.of_folds = timeline::FoldHues(
      line.bins(), [&](std::size_t place) { return line.length_ns(place, events); },
      [&](std::size_t place) { return hues.of_place[place]; });
  return hues;
}

}  // namespace dlview::ui
