#include "workspace/profile_facts.h"

#include <algorithm>

#include <fmt/format.h>

namespace dlview::workspace {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
constexpr int64_t kTallestBar = 4;  // times the median

static_assert(kLetters.size() == ProfilePicture::kHeight + 1);

int64_t top_of(const aggregate::IterationTable& table) {
  const auto duration = [&](std::size_t place) {
    return table.iterations.rows[table.by_duration[place]].duration_ns();
  };
  const int64_t median = duration(table.by_duration.size() / 2);
  const int64_t longest = duration(table.by_duration.size() - 1);
  return median > 0 && longest / kTallestBar > median ? kTallestBar * median : longest;
}

// Rounds the sums, so that the parts fill the bar.
ProfilePicture::Bar make_bar(const aggregate::Breakdown& parts, int64_t top_ns) {
  ProfilePicture::Bar bar{};
  int64_t sum_ns = 0;
  int below = 0;
  for (std::size_t i = 0; i < bar.size(); ++i) {
    sum_ns += parts.ns[i];
    const double share = static_cast<double>(sum_ns) / static_cast<double>(top_ns);
    const int height = std::max(
        below, static_cast<int>(std::clamp(share, 0.0, 1.0) * ProfilePicture::kHeight + 0.5));
    bar[i] = static_cast<uint8_t>(height - below);
    below = height;
  }
  return bar;
}

}  // namespace

ProfilePicture make_picture(const aggregate::IterationTable& table) {
  const auto& rows = table.iterations.rows;
  ProfilePicture picture;
  if (rows.empty() || table.facts.size() != rows.size() ||
      table.by_duration.size() != rows.size()) {
    return picture;
  }
  const int64_t top_ns = top_of(table);
  if (top_ns <= 0) return picture;
  const std::size_t count = std::min(rows.size(), ProfilePicture::kMostBars);
  for (std::size_t bar = 0; bar < count; ++bar) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(bar * rows.size() / count);
    const auto last = rows.begin() + static_cast<std::ptrdiff_t>((bar + 1) * rows.size() / count);
    const auto longest = std::max_element(first, last, [](const auto& a, const auto& b) {
      return a.duration_ns() < b.duration_ns();
    });
    const auto& facts = table.facts[static_cast<std::size_t>(longest - rows.begin())];
    picture.bars.push_back(make_bar(facts.per_device, top_ns));
  }
  return picture;
}

std::string to_text(const ProfilePicture& picture) {
  std::string text;
  for (const ProfilePicture::Bar& bar : picture.bars) {
    for (const uint8_t height : bar) text += kLetters[height];
  }
  return text;
}

ProfilePicture parse_picture(std::string_view text) {
  ProfilePicture picture;
  constexpr std::size_t letters = std::tuple_size_v<ProfilePicture::Bar>;
  if (text.size() % letters != 0 || text.size() > letters * ProfilePicture::kMostBars) return {};
  for (std::size_t at = 0; at < text.size(); at += letters) {
    ProfilePicture::Bar bar{};
    int sum = 0;
    for (std::size_t i = 0; i < letters; ++i) {
      const std::size_t height = kLetters.find(text[at + i]);
      if (height == std::string_view::npos) return {};
      bar[i] = static_cast<uint8_t>(height);
      sum += bar[i];
    }
    if (sum > ProfilePicture::kHeight) return {};
    picture.bars.push_back(bar);
  }
  return picture;
}

ProfileFacts facts_of(const profile::Profile& profile, const aggregate::IterationTable& table,
                      int64_t opened_s) {
  return {opened_s, gpus_text(profile), profile.last_ns - profile.first_ns,
          static_cast<int64_t>(table.iterations.rows.size()), make_picture(table)};
}

std::string gpus_text(const profile::Profile& profile) {
  const auto& devices = profile.devices;
  if (devices.empty()) return "";
  const std::string& name = devices.front().name;
  const bool are_alike =
      !name.empty() && std::ranges::all_of(devices, [&](const profile::Device& device) {
        return device.name == name;
      });
  constexpr std::size_t kLongestName = 100;  // no GPU's is longer
  if (!are_alike || name.size() > kLongestName)
    return devices.size() == 1 ? "GPU" : fmt::format("{} GPUs", devices.size());
  return devices.size() == 1 ? name : fmt::format("{}× {}", devices.size(), name);
}

}  // namespace dlview::workspace
