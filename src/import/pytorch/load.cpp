#include "import/pytorch/load.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "import/errors.h"
#include "import/pytorch/recognize.h"
#include "import/pytorch/trace_header.h"
#include "import/pytorch/trace_profile.h"
#include "import/pytorch/trace_reader.h"
#include "import/quality_log.h"
#include "profile/builder.h"

namespace dlview::import::pytorch {
namespace {

namespace fs = std::filesystem;

base::Error is_folder(const fs::path& folder) {
  const std::optional<fs::path> found = find_trace(folder);
  const std::string name = found ? found->filename().string() : "TRACE";
  return {
      "A folder of PyTorch profiler traces cannot be opened as a whole",
      quoted(folder) + " is a folder of PyTorch profiler traces, such as " + quoted(fs::path(name)),
      "Open one of its files: dlview " + quoted(folder / name)};
}

}  // namespace

base::Result<profile::Profile> load_trace(const ByteSource& source, base::Progress& progress) {
  if (source.kind() == ByteSource::Kind::folder) return is_folder(source.path());
  profile::ProfileBuilder builder;
  QualityLog quality;
  base::Result<TraceEvents> events = read_trace_events(source, builder, quality, progress);
  if (!events) return events.error();
  if (progress.canceled()) return canceled(source.path());
  TraceHeader& header = events->header;
  if (!header.rank) {
    header.rank = rank_of_file_name(source.path().filename().string(), header.world_size);
    header.has_rank_of_name = header.rank.has_value();
  }
  std::error_code ignored;
  const auto bytes = static_cast<int64_t>(fs::file_size(source.path(), ignored));
  builder.source.path = source.path().string();
  builder.source.format = "PyTorch profiler trace";
  builder.source.file_bytes = ignored ? 0 : bytes;
  progress.begin_stage("Arranging rows");
  return profile_of(*std::move(events), std::move(builder), std::move(quality));
}

}  // namespace dlview::import::pytorch
