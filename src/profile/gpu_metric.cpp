#include "profile/gpu_metric.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace dlview::profile {
namespace {

// Lower-case words of a name with single spaces around each, without "throughput" and "bandwidth":
// " dram read ".
std::string words_of(std::string_view name) {
  std::string words = " ", word;
  const auto end_word = [&] {
    if (word == "vram") word = "dram";
    if (!word.empty() && word != "throughput" && word != "bandwidth") words += word + ' ';
    word.clear();
  };
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      word += static_cast<char>(std::tolower(byte));
    } else {
      end_word();
    }
  }
  end_word();
  return words;
}

struct KnownWords {
  std::string_view words;
  GpuMetric metric;
  bool may_go_on = false;  // more words may follow: kinds of messages
};

constexpr auto kKnownWords = std::to_array<KnownWords>({
    {" gr active ", GpuMetric::gpu_active},
    {" gpu active ", GpuMetric::gpu_active},
    {" sm active ", GpuMetric::sm_active},
    {" sms active ", GpuMetric::sm_active},
    {" sm issue ", GpuMetric::sm_issue},
    {" sm issue active ", GpuMetric::sm_issue},
    {" tensor active ", GpuMetric::tensor_active},
    {" tensor active fp16 active ", GpuMetric::tensor_active},
    {" compute warps in flight ", GpuMetric::compute_warps},
    {" pixel warps in flight ", GpuMetric::other_warps},
    {" vertex tess geometry warps in flight ", GpuMetric::other_warps},
    {" unallocated warps in active sms ", GpuMetric::unallocated_warps},
    {" active sm unused warp slots ", GpuMetric::unallocated_warps},
    {" dram read ", GpuMetric::dram_read},
    {" dram write ", GpuMetric::dram_write},
    {" nvlink rx ", GpuMetric::nvlink_rx, true},
    {" nvlink bytes received ", GpuMetric::nvlink_rx},
    {" nvlink tx ", GpuMetric::nvlink_tx, true},
    {" nvlink bytes transmitted ", GpuMetric::nvlink_tx},
    {" pcie rx ", GpuMetric::pcie_rx},
    {" pcie read ", GpuMetric::pcie_rx},
    {" pcie tx ", GpuMetric::pcie_tx},
    {" pcie write ", GpuMetric::pcie_tx},
    {" gpc clock frequency ", GpuMetric::gpu_clock},
    {" sys clock frequency ", GpuMetric::system_clock},
});

constexpr std::string_view kPercent = "%";

bool is_clock(GpuMetric metric) {
  return metric == GpuMetric::gpu_clock || metric == GpuMetric::system_clock;
}

// Where "[" of the unit stands; npos = the name has no unit.
std::size_t unit_begin(std::string_view name) {
  return name.ends_with(']') ? name.rfind('[') : std::string_view::npos;
}

GpuMetric metric_of_words(const std::string& words) {
  const auto known = std::ranges::find_if(kKnownWords, [&words](const KnownWords& each) {
    return each.may_go_on ? words.starts_with(each.words) : words == each.words;
  });
  return known == kKnownWords.end() ? GpuMetric::other : known->metric;
}

}  // namespace

std::string_view without_unit(std::string_view name) {
  std::string_view base = name.substr(0, unit_begin(name));
  while (base.ends_with(' ')) base.remove_suffix(1);
  return base;
}

std::string_view unit_of_gpu_metric(std::string_view name) {
  if (const std::size_t begin = unit_begin(name); begin != std::string_view::npos) {
    const std::string_view unit = name.substr(begin + 1, name.size() - begin - 2);
    return unit.ends_with('%') ? kPercent : unit;
  }
  const std::string words = words_of(name);
  if (words.find(" frequency ") != std::string::npos) return "Hz";
  if (metric_of_words(words) != GpuMetric::other) return kPercent;
  for (const std::string_view word : {"Throughput", "Bandwidth", " Active", "Warps in Flight"}) {
    if (name.find(word) != std::string_view::npos) return kPercent;
  }
  return "";
}

GpuMetric gpu_metric_of(std::string_view name) {
  const GpuMetric metric = metric_of_words(words_of(without_unit(name)));
  if (metric == GpuMetric::other || is_clock(metric)) return metric;
  return unit_of_gpu_metric(name) == kPercent ? metric : GpuMetric::other;
}

}  // namespace dlview::profile
