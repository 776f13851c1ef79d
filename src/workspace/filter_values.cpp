#include "workspace/filter_values.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "aggregate/group_tree.h"
#include "timeline/time_text.h"
#include "workspace/suggestions.h"

namespace dlview::workspace {
namespace {

using aggregate::Filter;
using aggregate::FilterKind;
using profile::Profile;
using Texts = std::set<std::string_view>;

void insert(const Profile& profile, const profile::Column<profile::StringId>& column,
            Texts& texts) {
  const std::set<profile::StringId> ids(column.begin(), column.end());
  for (const profile::StringId id : ids) texts.insert(profile.text(id));
}

// All that a filter of the kind can ask for.
Texts texts_of(const Profile& profile, FilterKind kind) {
  Texts texts;
  switch (kind) {
    case FilterKind::op:
      insert(profile, profile.ops.id, texts);
      insert(profile, profile.ops.name, texts);
      break;
    case FilterKind::op_type:
      insert(profile, profile.ops.type, texts);
      break;
    case FilterKind::direction:
      insert(profile, profile.ops.direction, texts);
      break;
    case FilterKind::kernel:
      insert(profile, profile.kernels.name, texts);
      break;
    case FilterKind::group: {
      const aggregate::GroupTree tree = aggregate::build_group_tree(profile);
      for (const aggregate::Group& group : tree.groups) {
        texts.insert(aggregate::group_name(profile, group));
      }
      break;
    }
    default:
      break;
  }
  return texts;
}

base::Status check_text(const Profile& profile, const Filter& filter) {
  const Texts texts = texts_of(profile, filter.kind);
  if (texts.contains(filter.text)) return base::Success{};
  std::string similar = similar_texts(texts, filter.text);
  if (similar.empty()) similar = nearest_text(texts, filter.text);
  return base::Error{"Nothing in the profile matches the filter",
                     fmt::format("no {} is \"{}\"", to_text(filter.kind), filter.text),
                     texts.empty()     ? std::string("Omit the filter")
                     : similar.empty() ? fmt::format("Valid values: {}", first_texts(texts))
                                       : fmt::format("Did you mean {}?", similar)};
}

base::Status check_device(const Profile& profile, const Filter& filter) {
  std::vector<int64_t> numbers;
  std::ranges::transform(profile.devices, std::back_inserter(numbers), &profile::Device::device_id);
  if (std::ranges::find(numbers, filter.number) != numbers.end()) return base::Success{};
  return base::Error{"Unknown GPU", to_text(filter),
                     numbers.empty() ? std::string("Omit the filter")
                                     : fmt::format("Valid values: {}", fmt::join(numbers, ", "))};
}

base::Status check_window(const Profile& profile, const Filter& filter) {
  if (filter.window.start_ns <= profile.last_ns) return base::Success{};
  return base::Error{"The time is after the end of the run", to_text(filter),
                     fmt::format("Choose a time within 0:{}", profile.last_ns)};
}

// "1.2s:1.25s" as "1200000000:1250000000"; what is no stretch of time stays as it is.
std::string in_ns(std::string_view window) {
  const std::size_t colon = window.find(':');
  if (colon == std::string_view::npos) return std::string(window);
  const auto first = timeline::parse_time(window.substr(0, colon));
  const auto last = timeline::parse_time(window.substr(colon + 1));
  return first && last ? fmt::format("{}:{}", *first, *last) : std::string(window);
}

}  // namespace

base::Result<Filter> parse_only(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string_view::npos) {
    const std::string_view kind = text.substr(0, equals), value = text.substr(equals + 1);
    if (kind != to_text(FilterKind::time)) return aggregate::parse_filter(kind, value);
    return aggregate::parse_filter(kind, in_ns(value));
  }
  return base::Error{fmt::format("Invalid --only: \"{}\"", text), "",
                     "Write a kind and a value: --only op_type=conv2d"};
}

base::Status check_filter(const Profile& profile, const Filter& filter) {
  switch (filter.kind) {
    case FilterKind::eligible:
    case FilterKind::tensor_core:
      return base::Success{};
    case FilterKind::device:
      return check_device(profile, filter);
    case FilterKind::time:
      return check_window(profile, filter);
    default:
      return check_text(profile, filter);
  }
}

}  // namespace dlview::workspace
