#include "import/sqlite/readable_file.h"

#include <cctype>
#include <utility>

#include <fmt/format.h>

namespace dlview::import::sqlite {
namespace {

std::string percent_encoded(const std::string& path) {
  std::string encoded;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte < 0x80 && (std::isalnum(byte) != 0 || c == '/' || c == '.' ||
                                          c == '-' || c == '_' || c == '~');
    if (is_plain) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", byte);
    }
  }
  return encoded;
}

}  // namespace

base::Result<ReadableFile> ReadableFile::make(const std::filesystem::path& path,
                                              base::Progress& progress) {
  progress.begin_stage("Looking at the file");
  base::Result<Inspection> inspection = inspect(path);
  if (!inspection) return std::move(inspection).error();

  ReadableFile file;
  file.path_ = path;
  file.database_ = inspection->database;
  file.bytes_ = inspection->bytes;
  file.stamps_ = stamps_of(file.database_);
  if (!inspection->companions.empty()) {
    base::Result<Overlay> overlay = Overlay::make(path, *inspection, progress);
    if (!overlay) return std::move(overlay).error();
    file.overlay_ = std::move(*overlay);
  }
  return file;
}

std::string ReadableFile::uri() const {
  const std::string plain = "file://" + percent_encoded(database_.string());
  return overlay_ ? plain : plain + "?immutable=1";
}

bool ReadableFile::has_changed() const {
  return stamps_of(database_) != stamps_;
}

}  // namespace dlview::import::sqlite
