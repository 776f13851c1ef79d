#include "report/writers/file.h"

#include <fstream>

#include "base/unfinished_file.h"

namespace dlview::report {

base::Status write_file(const std::filesystem::path& path,
                        const std::function<void(std::ostream& out)>& write) {
  base::Result<base::UnfinishedFile> file = base::UnfinishedFile::create(path);
  if (!file) return file.error();
  std::ofstream out(file->path(), std::ios::binary | std::ios::trunc);
  write(out);
  out.close();
  if (!out) return file->error("not all of it could be written");
  return file->finish();
}

}  // namespace dlview::report
