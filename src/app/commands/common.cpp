#include "app/commands/common.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "base/progress.h"
#include "import/open.h"

namespace dlview::app {

int exit_code(const CLI::App& program, const CLI::ParseError& error) {
  return program.exit(error) == 0 ? kExitSuccess : kExitUnusable;
}

int unusable(const base::Error& error) {
  fmt::print(stderr, "{}\n", base::to_text(error));
  return kExitUnusable;
}

void bind_selection(CLI::App& command, SelectionRequest& request) {
  command.add_option_function<std::string>(
      "--iterations",
      [&request](const std::string& text) {
        const auto range = parse_iterations(text);
        if (!range) throw CLI::ValidationError("--iterations", base::to_text(range.error()));
        request.iterations = *range;
      },
      "Range A:B of iterations, both included");
  command.add_option("--key-op", request.key_op,
                     "Op id or op name whose instances cut the run into iterations");
  command.add_option_function<std::string>(
      "--cut",
      [&request](const std::string& text) {
        const auto cut = parse_cut(text);
        if (!cut) throw CLI::ValidationError("--cut", base::to_text(cut.error()));
        request.cut = *cut;
      },
      "Where iterations begin: at the start or after the end of the key op, or as stored");
}

base::Result<OpenedProfile> open_with_selection(const std::filesystem::path& path,
                                                const SelectionRequest& request) {
  base::Progress progress;
  base::Result<profile::Profile> opened = import::open_profile(path, progress);
  if (!opened) return opened.error();
  const auto profile = std::make_shared<const profile::Profile>(*std::move(opened));
  const base::Result<aggregate::Selection> selection = choose_selection(*profile, request);
  if (!selection) return selection.error();
  return OpenedProfile{profile, *selection};
}

}  // namespace dlview::app
