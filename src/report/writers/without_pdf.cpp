// Stands in for pdf.cpp in a build with DLVIEW_PDF=OFF.
#include "report/operators/operator_report.h"
#include "report/writers/pdf.h"

namespace dlview::report {

bool can_write_pdf() {
  return false;
}

base::Status write_pdf(const ShownTable&, const std::filesystem::path& path, base::Progress&) {
  return base::Error{"This build of dlview cannot write PDF", path.string(),
                     "Write HTML and print it from a browser, or build with -DDLVIEW_PDF=ON"};
}

base::Status write_operator_pdf(const OperatorReport&, const std::filesystem::path& path) {
  return base::Error{"This build of dlview cannot write PDF", path.string(),
                     "Write HTML and print it from a browser, or build with -DDLVIEW_PDF=ON"};
}

}  // namespace dlview::report
