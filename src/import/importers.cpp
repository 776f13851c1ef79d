#include "import/dlprof/load.h"
#include "import/dlprof/recognize.h"
#include "import/importer.h"
#include "import/ncu/file_kind.h"
#include "import/ncu/load.h"
#include "import/nsys/load.h"
#include "import/nsys/recognize.h"
#include "import/nsys/report_file.h"
#include "import/pytorch/load.h"
#include "import/pytorch/recognize.h"

namespace dlview::import {
namespace {

template <bool recognize(const sqlite::Database&)>
bool accepts_database(const ByteSource& source) {
  return source.kind() == ByteSource::Kind::database && recognize(source.database());
}

template <base::Result<profile::Profile> load(const sqlite::Database&, base::Progress&)>
base::Result<profile::Profile> load_database(const ByteSource& source, base::Progress& progress) {
  return load(source.database(), progress);
}

}  // namespace

std::span<const Importer> importers() {
  static constexpr Importer kImporters[] = {
      {"DLProf database", accepts_database<dlprof::recognize>, load_database<dlprof::load>},
      {"Nsight Systems export", accepts_database<nsys::recognize>, load_database<nsys::load>},
      {"Nsight Systems report", nsys::is_report, nsys::load_report, false, nsys::keep_export},
      {"PyTorch profiler trace", pytorch::is_trace, pytorch::load_trace},
      {"Nsight Compute CSV", ncu::is_csv, ncu::load_csv},
      {"Nsight Compute report", ncu::is_report_file, ncu::load_report, false},
  };
  return kImporters;
}

}  // namespace dlview::import
