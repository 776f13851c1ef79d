#include "bench/demo_files.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "base/progress.h"
#include "base/unfinished_file.h"
#include "generate/dlprof.h"
#include "generate/nsys.h"
#include "generate/pytorch.h"

namespace dlview::bench {
namespace {

namespace fs = std::filesystem;

generate::DemoOptions demo_options(const RunSize& size) {
  generate::DemoOptions options;
  options.iterations = size.iterations;
  options.kernels = size.kernels;
  options.gpus = size.gpus;
  options.kernels_per_op = size.kernels_per_op;
  return options;
}

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "dlview-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path path_;
};

[[noreturn]] void give_up(const base::Error& error) {
  std::fputs((base::to_text(error) + "\n").c_str(), stderr);
  std::exit(2);
}

// In the folder of this process.
template <typename Make>
fs::path made_once(const std::string& name, const Make& make) {
  static const Folder folder;
  const fs::path path = folder.path_ / name;
  if (!fs::exists(path)) {
    base::Progress progress;
    const base::Status done = make(path, progress);
    if (!done) give_up(done.error());
  }
  return path;
}

std::string name_of(const RunSize& size, const char* ending) {
  return std::to_string(size.iterations) + "-" + std::to_string(size.kernels) + "-" +
         std::to_string(size.gpus) + "-" + std::to_string(size.kernels_per_op) + ending;
}

}  // namespace

std::shared_ptr<const profile::Profile> demo_profile(const RunSize& size) {
  static std::map<RunSize, std::shared_ptr<const profile::Profile>> profiles;
  auto& profile = profiles[size];
  if (profile == nullptr) {
    base::Progress progress;
    auto made = generate::make_demo_profile(demo_options(size), progress);
    if (!made) give_up(made.error());
    profile = std::make_shared<const profile::Profile>(*std::move(made));
  }
  return profile;
}

fs::path demo_database(const RunSize& size) {
  const std::string name = name_of(size, ".dlprof.sqlite");
  return made_once(name, [&](const fs::path& path, base::Progress& progress) {
    return generate::generate_dlprof(path, demo_options(size), progress);
  });
}

fs::path demo_export(const RunSize& size) {
  const std::string name = name_of(size, ".nsys.sqlite");
  return made_once(name, [&](const fs::path& path, base::Progress& progress) {
    return generate::generate_nsys(path, demo_options(size), generate::NsysSchema::v2026, progress);
  });
}

fs::path demo_trace(const RunSize& size) {
  const std::string name = name_of(size, ".trace.json");
  return made_once(name, [&](const fs::path& path, base::Progress& progress) -> base::Status {
    generate::PytorchOptions options;
    options.iterations = size.iterations;
    options.kernels = size.kernels;
    options.gpus = size.gpus;
    options.with_stack = options.record_shapes = options.profile_memory = true;
    const auto truth = generate::generate_pytorch(path, options, progress);
    if (!truth) return truth.error();
    return base::Success{};
  });
}

fs::path demo_trace(const std::string& name, int64_t bytes) {
  return made_once(name, [&](const fs::path& path, base::Progress& progress) -> base::Status {
    generate::PytorchOptions options;
    options.bytes = bytes;
    options.with_stack = name.starts_with("stacks");
    options.record_shapes = !options.with_stack;
    const auto truth = generate::generate_pytorch(path, options, progress);
    if (!truth) return truth.error();
    return base::Success{};
  });
}

fs::path demo_counters(int64_t launches, int64_t metrics, generate::CsvPage page) {
  const std::string name = std::to_string(launches) + "-" + std::to_string(metrics) +
                           (page == generate::CsvPage::raw ? "-raw.csv" : "-details.csv");
  return made_once(name, [&](const fs::path& path, base::Progress&) -> base::Status {
    auto file = base::UnfinishedFile::create(path);
    if (!file) return std::move(file).error();
    generate::write_large_counters(file->out(), launches, metrics, page);
    return file->finish();
  });
}

}  // namespace dlview::bench
