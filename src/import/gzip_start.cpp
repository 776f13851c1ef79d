#include "import/gzip_start.h"

#include <zlib.h>

namespace dlview::import {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";

}  // namespace

bool begins_as_gzip(std::string_view first_bytes) {
  return first_bytes.starts_with(kGzipMagic);
}

std::string unpack_start(std::string_view packed, std::size_t limit) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindowBits) != Z_OK) return {};
  std::string input(packed), output(limit, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(output.data());
  stream.avail_out = static_cast<uInt>(limit);
  int status = Z_OK;
  while (status == Z_OK && stream.avail_in > 0 && stream.avail_out > 0) {
    status = inflate(&stream, Z_NO_FLUSH);
    // A gzip file may have several parts, one behind the other.
    if (status == Z_STREAM_END && stream.avail_in > 0) status = inflateReset(&stream);
  }
  output.resize(limit - stream.avail_out);
  inflateEnd(&stream);
  return output;
}

}  // namespace dlview::import
