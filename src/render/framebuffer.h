// Framebuffer: a picture of any size that OpenGL draws into instead of a window, and reading back
// what was drawn. Colors are stored as they are given (RGBA8, no sRGB conversion).
#pragma once

#include <glad/gl.h>

#include "base/result.h"
#include "render/image.h"

namespace dlview::render {

class Framebuffer {
 public:
  // Fails for sizes that the driver does not offer.
  static base::Result<Framebuffer> create(int width, int height);
  ~Framebuffer();
  Framebuffer(Framebuffer&& other) noexcept;
  Framebuffer& operator=(Framebuffer&& other) noexcept;

  // Makes it the target of drawing and of read_pixels, with a viewport of its whole size.
  void bind() const;

  int width() const { return width_; }
  int height() const { return height_; }

 private:
  Framebuffer(int width, int height) : width_(width), height_(height) {}

  int width_, height_;
  GLuint framebuffer_ = 0;
  GLuint color_ = 0;
};

// The lower left `width` x `height` pixels of the bound framebuffer, a window's back buffer or a
// Framebuffer, as a picture with the first row at the top.
Image read_pixels(int width, int height);

}  // namespace dlview::render
