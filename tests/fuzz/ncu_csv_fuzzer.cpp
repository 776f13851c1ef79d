// CSV files of Nsight Compute, of any bytes: what is read holds together, and a byte order mark in
// front changes nothing.
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fuzz/fuzz.h"
#include "import/ncu/read_counters.h"

namespace dlview::fuzz {
namespace {

using profile::KernelCounters;

void check_text(const KernelCounters& counters, profile::StringId id) {
  require(id < counters.strings.size(), "a text is not in the table");
}

void check_launches(const KernelCounters& counters) {
  std::size_t first_value = 0;
  profile::Row file = 0;
  for (const profile::CounterLaunch& launch : counters.launches) {
    require(launch.file < counters.files.size(), "a launch has no file");
    require(launch.file >= file, "launches are not in the order of files");
    require(launch.first_value >= first_value && launch.first_value <= counters.values.size(),
            "values of launches overlap");
    require(launch.line > 0, "a launch has no line");
    require(launch.invocations > 0, "a launch never ran");
    for (const profile::StringId id : {launch.process, launch.host, launch.kernel}) {
      check_text(counters, id);
    }
    if (launch.ranges) check_text(counters, *launch.ranges);
    first_value = launch.first_value;
    file = launch.file;
  }
}

void check_values(const KernelCounters& counters) {
  for (const profile::CounterValue& value : counters.values) {
    require(value.metric < counters.metrics.size(), "a value has no metric");
    require(!std::isinf(value.value), "a value is infinite");
    check_text(counters, value.text);
  }
  profile::Row launch = 0;
  for (const profile::CounterRule& rule : counters.rules) {
    require(rule.launch < counters.launches.size(), "a rule has no launch");
    require(rule.launch >= launch, "rules are not in the order of launches");
    launch = rule.launch;
  }
  for (const profile::CounterFile& file : counters.files) {
    for (const profile::CounterMessage& message : file.messages) {
      require(message.line > 0, "a message has no line", message.text);
    }
  }
}

// Equal for equal results.
std::string summary_of(const std::filesystem::path& path) {
  base::Progress progress;
  const auto counters =
      import::ncu::read_counters(std::vector<std::filesystem::path>{path}, progress);
  if (!counters) {
    require(!counters.error().title.empty(), "an error without a title");
    return counters.error().title;
  }
  check_launches(*counters);
  check_values(*counters);
  std::string summary;
  for (const profile::CounterFile& file : counters->files) {
    summary += fmt::format("{} {} {}\n", static_cast<int>(file.page),
                           static_cast<int>(file.number_style), file.why_empty);
  }
  for (const profile::CounterLaunch& launch : counters->launches) {
    summary +=
        fmt::format("{} {} {}\n", launch.line, launch.first_value, counters->text(launch.kernel));
  }
  for (const profile::CounterValue& value : counters->values) {
    summary += fmt::format("{} {} {}\n", value.metric, value.value, counters->text(value.text));
  }
  return summary;
}

}  // namespace
}  // namespace dlview::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace dlview::fuzz;
  use_one_thread();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::filesystem::path path = folder() / "counters.csv";
  write(path, text);
  const std::string summary = summary_of(path);
  // Of UTF-16 (with or without its own mark) and gzip files the mark would be a part of the text.
  const bool is_utf8 = text.size() < 2 || text[1] != '\0';
  if (is_utf8 && (text.starts_with("\"") || text.starts_with("=="))) {
    write(path, "\xef\xbb\xbf" + std::string(text));
    require(summary_of(path) == summary, "a byte order mark changes what is read", summary);
  }
  return 0;
}
