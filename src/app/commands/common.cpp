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

void bind_selection(CLI::App& command, SelectionOptions& options) {
  command.add_option("--iterations", options.iterations,
                     "Range A:B of iterations, inclusive at both ends");
  command.add_option("--key-op", options.key_op,
                     "Op id or op name whose instances cut the run into iterations");
  command.add_option(
      "--cut", options.cut,
      "Where an iteration begins: start or end of the key op's instances, or stored");
}

base::Result<OpenedProfile> open_with_selection(const std::filesystem::path& path,
                                                const SelectionOptions& options) {
  base::Progress progress;
  base::Result<profile::Profile> opened = import::open_profile(path, progress);
  if (!opened) return opened.error();
  const auto profile = std::make_shared<const profile::Profile>(*std::move(opened));
  const base::Result<aggregate::Selection> selection = choose_selection(*profile, options);
  if (!selection) return selection.error();
  return OpenedProfile{profile, *selection};
}

}  // namespace dlview::app
