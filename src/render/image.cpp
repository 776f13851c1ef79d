#include "render/image.h"

#include <algorithm>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <png.h>

#include "base/unfinished_file.h"

namespace dlview::render {
namespace {

png_image png_header() {
  png_image header;
  std::memset(&header, 0, sizeof header);
  header.version = PNG_IMAGE_VERSION;
  return header;
}

base::Error encode_error(const std::filesystem::path& path, const std::string& reason) {
  return {"Cannot encode the PNG file", fmt::format("{}: {}", path.string(), reason),
          "Choose a smaller size"};
}

base::Error read_error(const std::filesystem::path& path, const std::string& reason) {
  return {"Cannot read the image", fmt::format("{}: {}", path.string(), reason),
          "Check that the file exists and is a PNG file"};
}

base::Result<std::vector<png_byte>> encode(const Image& image, const std::filesystem::path& path) {
  png_image header = png_header();
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::vector<png_byte> bytes(size);
  if (png_image_write_to_memory(&header, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr) ==
      0) {
    return encode_error(path, header.message);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

Image crop(const Image& image, int left, int top, int right, int bottom) {
  left = std::clamp(left, 0, image.width);
  top = std::clamp(top, 0, image.height);
  Image part(std::clamp(right, left, image.width) - left,
             std::clamp(bottom, top, image.height) - top);
  const auto row = static_cast<std::size_t>(part.width) * 3;
  for (int y = 0; y < part.height; ++y) {
    const std::size_t from =
        (static_cast<std::size_t>(top + y) * static_cast<std::size_t>(image.width) +
         static_cast<std::size_t>(left)) *
        3;
    std::copy_n(image.rgb.begin() + static_cast<std::ptrdiff_t>(from), row,
                part.rgb.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(y) * row));
  }
  return part;
}

base::Status write_png(const Image& image, const std::filesystem::path& path) {
  base::Result<std::vector<png_byte>> bytes = encode(image, path);
  if (!bytes) return bytes.error();
  base::Result<base::UnfinishedFile> file = base::UnfinishedFile::create(path);
  if (!file) return file.error();
  file->out().write(reinterpret_cast<const char*>(bytes->data()),
                    static_cast<std::streamsize>(bytes->size()));
  return file->finish();
}

base::Result<Image> read_png(const std::filesystem::path& path) {
  png_image header = png_header();
  if (png_image_begin_read_from_file(&header, path.c_str()) == 0) {
    return read_error(path, header.message);
  }
  header.format = PNG_FORMAT_RGB;
  Image image(static_cast<int>(header.width), static_cast<int>(header.height));
  if (png_image_finish_read(&header, nullptr, image.rgb.data(), 0, nullptr) == 0) {
    return read_error(path, header.message);
  }
  return image;
}

}  // namespace dlview::render
