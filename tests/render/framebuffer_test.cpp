#include "render/framebuffer.h"

#include "render/gl.h"
#include "render/offscreen_test.h"

namespace dlview::render {
namespace {

using FramebufferTest = OffscreenTest;

TEST_F(FramebufferTest, GivesBackTheColorItWasClearedWith) {
  const Framebuffer framebuffer = canvas(7, 5, 0x14171c);
  const Image image = read_pixels(framebuffer.width(), framebuffer.height());
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 7; ++x) ASSERT_EQ(image.pixel(x, y), 0x14171cu) << x << ", " << y;
  }
}

TEST_F(FramebufferTest, ReadsTheTopRowFirst) {
  const Framebuffer framebuffer = canvas(4, 3, 0x000000);
  glEnable(GL_SCISSOR_TEST);
  glScissor(1, 2, 1, 1);  // OpenGL counts rows from the bottom
  glClearColor(1, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  const Image image = read_pixels(4, 3);
  EXPECT_EQ(image.pixel(1, 0), 0xff0000u);
  EXPECT_EQ(image.pixel(1, 2), 0x000000u);
}

TEST_F(FramebufferTest, RefusesSizesThatCannotBe) {
  EXPECT_FALSE(Framebuffer::create(0, 100).ok());
  EXPECT_FALSE(Framebuffer::create(100, -1).ok());
  const base::Result<Framebuffer> huge = Framebuffer::create(1'000'000, 1'000'000);
  ASSERT_FALSE(huge.ok());
  EXPECT_NE(huge.error().detail.find("1000000x1000000"), std::string::npos);
  EXPECT_FALSE(huge.error().advice.empty());
}

using ShaderProgramTest = OffscreenTest;

std::span<const unsigned char> bytes_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

TEST_F(ShaderProgramTest, ReportsTheFileAndTheCompilersWords) {
  const base::Result<ShaderProgram> program = ShaderProgram::build(
      "broken", bytes_of("#version 330 core\nvoid main() { gl_Position = vec4(0); }\n"),
      bytes_of("#version 330 core\nvoid main() { no_such_function(); }\n"));
  ASSERT_FALSE(program.ok());
  EXPECT_NE(program.error().title.find("broken.frag"), std::string::npos);
  EXPECT_NE(program.error().detail.find("no_such_function"), std::string::npos);
}

TEST_F(ShaderProgramTest, ReportsWhatDoesNotLink) {
  const base::Result<ShaderProgram> program = ShaderProgram::build(
      "apart", bytes_of("#version 330 core\nout vec2 a; void main() { a = vec2(0); }\n"),
      bytes_of("#version 330 core\nin vec4 a; out vec4 c; void main() { c = a; }\n"));
  EXPECT_FALSE(program.ok());
}

}  // namespace
}  // namespace dlview::render
