#include "fuzz/fuzz.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include <tbb/global_control.h>

namespace dlview::fuzz {
namespace {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dlview-fuzz-XXXXXX").string();
    require(mkdtemp(pattern.data()) != nullptr, "no temporary folder", pattern);
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

void require(bool holds, std::string_view what, std::string_view detail) {
  if (holds) return;
  std::fprintf(stderr, "require: %.*s\n%.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(detail.size()), detail.data());
  std::abort();
}

std::string_view Input::take(std::size_t bytes) {
  const std::string_view taken = rest_.substr(0, bytes);
  rest_.remove_prefix(taken.size());
  return taken;
}

uint8_t Input::byte() {
  const std::string_view taken = take(1);
  return taken.empty() ? uint8_t{0} : static_cast<uint8_t>(taken[0]);
}

int64_t Input::number() {
  uint64_t value = 0;
  const std::string_view bytes = take(sizeof(value));
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8U | static_cast<uint8_t>(bytes[i]);
  return static_cast<int64_t>(value);
}

std::string_view Input::text() {
  return take(byte());
}

std::string_view Input::rest() {
  return take(rest_.size());
}

const std::filesystem::path& folder() {
  static const Folder made;
  return made.path();
}

void write(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  require(!out.fail(), "a file cannot be written", path.string());
}

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  require(in.is_open(), "a file cannot be read", path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

void use_one_thread() {
  static const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
}

}  // namespace dlview::fuzz
