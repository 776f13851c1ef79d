#include "app/commands/stats_output.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "report/writers/file.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
using Kind = StatsOutput::Kind;

StatsOutput output_named(std::string_view name) {
  if (name == "-") return {Kind::standard, ""};
  if (name == ".") return {Kind::folder, "."};
  if (name.starts_with('@')) return {Kind::command, std::string(name.substr(1))};
  return {Kind::file, std::string(name)};
}

using Jobs = std::vector<const StatsJob*>;

// Each output once, in the order of its first report; each report in a folder has one of its own.
std::vector<Jobs> by_output(const std::vector<StatsJob>& jobs) {
  std::vector<Jobs> all;
  for (const StatsJob& job : jobs) {
    const bool is_shared = job.output.kind == Kind::file;
    const auto known = std::ranges::find_if(
        all, [&job](const Jobs& others) { return others.front()->output == job.output; });
    if (is_shared && known != all.end()) {
      known->push_back(&job);
    } else {
      all.push_back({&job});
    }
  }
  return all;
}

fs::path file_of(const StatsJob& job) {
  if (job.output.kind == Kind::file) return job.output.text;
  const std::string name = job.table.name + std::string(report::nsys::suffix_of(job.format));
  return job.output.text == "." ? fs::path(name) : fs::path(job.output.text) / name;
}

// A command that ends early must not end this program.
class IgnoredPipeSignal {
 public:
  IgnoredPipeSignal() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~IgnoredPipeSignal() { std::signal(SIGPIPE, before_); }
  IgnoredPipeSignal(const IgnoredPipeSignal&) = delete;
  IgnoredPipeSignal& operator=(const IgnoredPipeSignal&) = delete;

 private:
  void (*before_)(int);
};

base::Status write_to_command(const std::string& command, const std::string& text) {
  const IgnoredPipeSignal ignored;
  std::cout.flush();
  std::FILE* const pipe = popen(command.c_str(), "w");
  const bool is_written =
      pipe != nullptr && std::fwrite(text.data(), 1, text.size(), pipe) == text.size();
  const int code = pipe == nullptr ? -1 : pclose(pipe);
  if (is_written && code == 0) return base::Success{};
  return base::Error{"The command failed", command, "Run it by hand to see why"};
}

base::Status allow_files(const std::vector<Jobs>& all, const profile::Profile& profile) {
  for (const Jobs& jobs : all) {
    const Kind kind = jobs.front()->output.kind;
    if (kind != Kind::file && kind != Kind::folder) continue;
    const std::string advice = kind == Kind::file ? "Choose another name with -o"
                                                  : "Choose another folder with --output-dir";
    const base::Status allowed = report::refuse_source(file_of(*jobs.front()), profile, advice);
    if (!allowed) return allowed;
    if (kind == Kind::file || jobs.front()->output.text == ".") continue;
    const base::Status created = report::create_folder(jobs.front()->output.text);
    if (!created) return created;
  }
  return base::Success{};
}

}  // namespace

std::vector<StatsOutput> parse_stats_outputs(const std::vector<std::string>& values) {
  std::vector<StatsOutput> outputs;
  for (std::string_view value : values) {
    while (!value.starts_with('@') && value.find(',') != std::string_view::npos) {
      outputs.push_back(output_named(value.substr(0, value.find(','))));
      value.remove_prefix(value.find(',') + 1);
    }
    outputs.push_back(output_named(value));
  }
  return outputs;
}

base::Status write_stats(const std::vector<StatsJob>& jobs, const profile::Profile& profile,
                         const aggregate::IterationRange& iterations) {
  const std::vector<Jobs> all = by_output(jobs);
  DLVIEW_TRY(allow_files(all, profile));
  for (const Jobs& of_output : all) {
    const auto write = [&](std::ostream& out) {
      for (const StatsJob* job : of_output) {
        report::nsys::write_report(job->table, job->format, profile, iterations, out);
      }
    };
    const StatsJob& job = *of_output.front();
    if (job.output.kind == Kind::standard) {
      write(std::cout);
      continue;
    }
    base::Status written = base::Success{};
    if (job.output.kind == Kind::command) {
      std::ostringstream text;
      write(text);
      written = write_to_command(job.output.text, text.str());
    } else {
      written = report::write_file(file_of(job), write);
    }
    if (!written) return written;
    if (job.output.kind == Kind::folder) std::cout << file_of(job).string() << '\n';
  }
  return base::Success{};
}

}  // namespace dlview::app
