// A fixture with an OpenGL context of its own, through EGL. Where EGL offers none, its tests are
// skipped and say why.
#pragma once

#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "render/framebuffer.h"
#include "render/offscreen_context.h"

namespace dlview::render {

class OffscreenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    base::Result<OffscreenContext> created = OffscreenContext::create();
    if (!created) GTEST_SKIP() << base::to_text(created.error());
    context_.emplace(std::move(created).value());
  }

  // A framebuffer, bound and filled with one color, 0xRRGGBB.
  static Framebuffer canvas(int width, int height, uint32_t color) {
    base::Result<Framebuffer> created = Framebuffer::create(width, height);
    EXPECT_TRUE(created.ok());
    Framebuffer framebuffer = std::move(created).value();
    framebuffer.bind();
    const auto channel = [color](int shift) {
      return static_cast<float>((color >> shift) & 0xff) / 255.0f;
    };
    glDisable(GL_SCISSOR_TEST);
    glClearColor(channel(16), channel(8), channel(0), 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    return framebuffer;
  }

 private:
  std::optional<OffscreenContext> context_;
};

}  // namespace dlview::render
