#include "app/commands/common.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/progress.h"
#include "base/stop_point.h"
#include "import/errors.h"
#include "import/ncu/load.h"
#include "import/open.h"
#include "import/opening_limits.h"
#include "profile/recorded.h"
#include "profile/tensor_core_verdicts.h"
#include "report/writers/text.h"
#include "ui/view.h"
#include "workspace/filter_values.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

// "FILE" or "FILE:LABEL".
base::Result<aggregate::UserPeaks> read_peaks(const std::string& file_and_label) {
  constexpr std::string_view kLabel = "theoretical";
  std::string path = file_and_label, label(kLabel);
  const std::size_t colon = path.rfind(':');
  if (colon != std::string::npos && !std::filesystem::exists(path)) {
    label = path.substr(colon + 1);
    path.resize(colon);
  }
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) {
    return base::Error{"Cannot read the peaks file", path, "Check the path and your permissions"};
  }
  return aggregate::parse_peaks(text, path, label);
}

}  // namespace

int exit_code(const CLI::App& program, const CLI::ParseError& error) {
  return program.exit(error) == 0 ? kExitSuccess : kExitUnusable;
}

int unusable(const base::Error& error) {
  const base::Error shown{report::printable(error.title), report::printable(error.detail),
                          report::printable(error.advice)};
  const std::string text = base::to_text(shown) + '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);  // where it fails, nobody can be told
  return kExitUnusable;
}

int code_of(const base::Result<int>& result) {
  return result ? *result : unusable(result.error());
}

int code_of(const base::Status& status) {
  return status ? kExitSuccess : unusable(status.error());
}

void make_repeatable(CLI::Option& option) {
  option.expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
}

int finish_output(int code) {
  std::cout.flush();
  if (std::cout && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return unusable({"Cannot write the output", "standard output did not accept all of it",
                   "Check its free space and your write permission"});
}

void bind_selection(CLI::App& command, workspace::SelectionRequest& request) {
  // First, so that the other options, which are read after it, win.
  command.add_option_function<std::string>(
      "--state",
      [&request](const std::string& text) {
        auto state = workspace::parse_state(text);
        if (!state) throw CLI::ValidationError("--state", base::to_text(state.error()));
        if (state->view) {
          const auto view = ui::parse_view(*state->view);
          if (!view) throw CLI::ValidationError("--state", base::to_text(view.error()));
          state->view = ui::info(*view).name;
        }
        request = *state;
      },
      "State string from File > Copy state: range, iteration marker, split, filters and view");
  command.add_option_function<std::string>(
      "--iterations",
      [&request](const std::string& text) {
        const auto range = workspace::parse_iterations(text);
        if (!range) throw CLI::ValidationError("--iterations", base::to_text(range.error()));
        request.iterations = *range;
      },
      "Iteration range A:B, both included; A alone means A:A");
  command.add_option_function<std::string>(
      "--key-op", [&request](const std::string& name) { request.key_op = name; },
      "Op, op id, NVTX range or annotation that marks iterations; \"\" = do not split");
  command.add_option_function<std::string>(
      "--clock",
      [&request](const std::string& text) {
        const auto clock = workspace::parse_clock(text);
        if (!clock) throw CLI::ValidationError("--clock", base::to_text(clock.error()));
        request.clock = *clock;
      },
      "Process or PROCESS:THREAD whose iteration markers split the run; default: the thread with "
      "the most markers");
  command.add_option_function<std::string>(
      "--cut",
      [&request](const std::string& text) {
        const auto cut = workspace::parse_cut(text);
        if (!cut) throw CLI::ValidationError("--cut", base::to_text(cut.error()));
        request.cut = *cut;
      },
      "Where iterations begin: at the start of the marker (start), after its end (end), or as the "
      "database stored them (stored)");
  command.add_option_function<std::string>(
      "--split-by",
      [&request](const std::string& text) {
        const auto split_by = workspace::parse_split_by(text);
        if (!split_by) throw CLI::ValidationError("--split-by", base::to_text(split_by.error()));
        request.split_by = *split_by;
      },
      "Iterations end on the host (host), or with their last kernel on the main stream, if "
      "that is later (gpu); "
      "default: gpu if the host runs far ahead, else host");
  command.add_option_function<std::string>(
      "--tensor-cores",
      [&request](const std::string& text) {
        const auto present = workspace::parse_tensor_cores(text);
        if (!present) throw CLI::ValidationError("--tensor-cores", base::to_text(present.error()));
        request.present_rules = *present;
      },
      "Tensor Core flags: stored (DLProf) or present (dlview's rules)");
  command.add_option_function<std::string>(
      "--peaks",
      [&request](const std::string& file) {
        auto peaks = read_peaks(file);
        if (!peaks) throw CLI::ValidationError("--peaks", base::to_text(peaks.error()));
        request.limit_options.peaks =
            std::make_shared<const aggregate::UserPeaks>(*std::move(peaks));
      },
      "Peak rates as CSV: columns gpu,type,tflops,gbps or label,peak_flops,peak_bandwidth; "
      "FILE:LABEL selects a row (default label: theoretical)");
  command
      .add_option_function<std::vector<std::string>>(
          "--ncu",
          [&request](const std::vector<std::string>& files) { request.counter_files = files; },
          "Nsight Compute counters: a CSV or .ncu-rep file; repeatable")
      ->allow_extra_args(false);
  command
      .add_option_function<std::vector<std::string>>(
          "--only",
          [&request](const std::vector<std::string>& texts) {
            request.filters.clear();
            for (const std::string& text : texts) {
              const auto filter = workspace::parse_only(text);
              if (!filter) throw CLI::ValidationError("--only", base::to_text(filter.error()));
              request.filters.push_back(*filter);
            }
          },
          "Filter KIND=VALUE, repeatable; kinds: op, op_type, group, direction, eligible, kernel, "
          "device, tensor_core, time. Filters of one kind are ORed, different kinds are ANDed")
      ->allow_extra_args(false);
  command.add_flag_callback(
      "--no-cache", [&request] { request.use_cache = false; }, "Do not use the cache");
}

namespace {

// Figures that leave the program come from checked columns. Nothing is kept here: that would hold
// up the end of the command.
base::Result<profile::Profile> open_checked(const std::filesystem::path& path,
                                            base::Progress& progress) {
  import::CachedFile file(path);
  base::Result<profile::Profile> opened = file.open(progress);
  if (!opened || file.maintenance() != import::CachedFile::Maintenance::check) return opened;
  return file.maintain(*opened, {}) ? std::move(opened) : import::open_profile(path, progress);
}

// What the files of --ncu say against themselves.
void print_counter_notes(const profile::Profile& profile) {
  if (!profile.counters) return;
  constexpr std::size_t kShown = 5;
  for (const profile::CounterFile& file : profile.counters->files) {
    const std::string name = report::printable(file.path);
    if (!file.why_empty.empty()) {
      fmt::print(stderr, "{}: {}\n", name, report::printable(file.why_empty));
      continue;
    }
    if (file.is_style_assumed) {
      fmt::print(stderr, "{}: number style assumed: no number of the file decides it\n", name);
    }
    for (std::size_t i = 0; i < std::min(kShown, file.messages.size()); ++i) {
      const profile::CounterMessage& message = file.messages[i];
      fmt::print(stderr, "{}:{}: {}\n", name, message.line, report::printable(message.text));
    }
    if (file.messages.size() > kShown) {
      fmt::print(stderr, "{}: {} more messages\n", name, file.messages.size() - kShown);
    }
  }
}

base::Result<OpenedProfile> open_selected(const std::filesystem::path& path,
                                          const workspace::SelectionRequest& request,
                                          base::Progress& progress) {
  if (const base::Status is_meant = workspace::check_state_file(request, path.native());
      !is_meant) {
    return is_meant.error();
  }
  base::Result<profile::Profile> opened =
      request.use_cache ? open_checked(path, progress) : import::open_profile(path, progress);
  if (!opened) return opened.error();
  const std::vector<std::filesystem::path> counters(request.counter_files.begin(),
                                                    request.counter_files.end());
  DLVIEW_TRY(import::ncu::add_counters(*opened, counters, progress));
  print_counter_notes(*opened);
  const std::string damage = profile::file_damage(*opened);
  if (!damage.empty()) fmt::print(stderr, "{}: {}\n", report::printable(path.string()), damage);
  const import::LimitsWatch watch(opened->source, progress);
  if (request.present_rules && !opened->source.by_tensor_core_rules) {
    opened = profile::by_present_rules(*opened);
  }
  const auto profile = std::make_shared<const profile::Profile>(*std::move(opened));
  const auto ranking = std::make_shared<const aggregate::KeyRanking>(*profile);
  const base::Result<aggregate::Selection> selection =
      workspace::choose_selection(*ranking, request);
  if (!selection) return selection.error();
  return OpenedProfile{profile, ranking, *selection};
}

}  // namespace

base::Result<OpenedProfile> open_with_selection(const std::filesystem::path& path,
                                                const workspace::SelectionRequest& request) {
  base::Progress progress;
  const base::JobScope scope(&progress);
  try {
    return open_selected(path, request, progress);
  } catch (const base::Stopped&) {
    return progress.stop_reason().value_or(import::canceled(path));
  }
}

}  // namespace dlview::app
