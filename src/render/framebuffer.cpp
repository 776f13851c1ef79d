#include "render/framebuffer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dlview::render {

base::Result<Framebuffer> Framebuffer::create(int width, int height) {
  GLint limit = 0;
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &limit);
  if (width < 1 || height < 1 || width > limit || height > limit) {
    return base::Error{"Cannot draw an image of this size",
                       fmt::format("requested: {}x{}", width, height),
                       fmt::format("Choose a size between 1x1 and {}x{}", limit, limit)};
  }
  Framebuffer framebuffer(width, height);
  glGenFramebuffers(1, &framebuffer.framebuffer_);
  glGenRenderbuffers(1, &framebuffer.color_);
  glBindRenderbuffer(GL_RENDERBUFFER, framebuffer.color_);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  framebuffer.bind();
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                            framebuffer.color_);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    return base::Error{"Cannot draw an image of this size",
                       fmt::format("the graphics driver refused {}x{}", width, height),
                       "Choose a smaller size"};
  }
  return framebuffer;
}

Framebuffer::~Framebuffer() {
  if (framebuffer_ != 0) glDeleteFramebuffers(1, &framebuffer_);
  if (color_ != 0) glDeleteRenderbuffers(1, &color_);
}

Framebuffer::Framebuffer(Framebuffer&& other) noexcept
    : width_(other.width_),
      height_(other.height_),
      framebuffer_(std::exchange(other.framebuffer_, 0)),
      color_(std::exchange(other.color_, 0)) {}

Framebuffer& Framebuffer::operator=(Framebuffer&& other) noexcept {
  std::swap(width_, other.width_);
  std::swap(height_, other.height_);
  std::swap(framebuffer_, other.framebuffer_);
  std::swap(color_, other.color_);
  return *this;
}

void Framebuffer::bind() const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glViewport(0, 0, width_, height_);
}

Image read_pixels(int width, int height) {
  Image image(width, height);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, image.rgb.data());
  // OpenGL's first row is the bottom one.
  const auto row_bytes = static_cast<std::ptrdiff_t>(width) * 3;
  for (int top = 0, bottom = height - 1; top < bottom; ++top, --bottom) {
    const auto upper = image.rgb.begin() + top * row_bytes;
    std::swap_ranges(upper, upper + row_bytes, image.rgb.begin() + bottom * row_bytes);
  }
  return image;
}

}  // namespace dlview::render
