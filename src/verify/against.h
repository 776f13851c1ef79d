// Compares a DLProf database with the Nsight Systems export that DLProf made it from: what dlview
// makes of the export is what DLProf made of it (spec.md 17).
#pragma once

#include <filesystem>

#include "base/progress.h"
#include "base/result.h"
#include "verify/verify.h"

namespace dlview::verify {

// Raw rows, every stored aggregation and all reports for it. Not compared, because an export does
// not carry them: the system's and the model's configuration, GPU memory, and who aggregated when.
// Fails for a file that cannot be opened, for a database that is none of DLProf, and for an export
// that is none. A canceled job returns an Error titled "Canceled".
base::Result<Verification> verify_against(const std::filesystem::path& database,
                                          const std::filesystem::path& exported,
                                          base::Progress& progress);

}  // namespace dlview::verify
