#include "render/rectangles.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <glad/gl.h>

#include "embedded/dlview_shaders.h"
#include "render/gl.h"

namespace dlview::render {
namespace {

// The shaders are part of the program: a driver that offers OpenGL 3.3 and refuses them is broken,
// and there is nothing to show without them.
ShaderProgram build_program() {
  base::Result<ShaderProgram> program =
      ShaderProgram::build("rectangles", shaders::rectangles_vert(), shaders::rectangles_frag());
  if (!program) {
    std::fprintf(stderr, "%s\n", base::to_text(program.error()).c_str());
    std::abort();
  }
  return std::move(program).value();
}

void describe_attributes() {
  constexpr GLsizei stride = sizeof(Rectangle);
  glEnableVertexAttribArray(0);
  glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, stride, nullptr);
  glVertexAttribDivisor(0, 1);
  glEnableVertexAttribArray(1);
  glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, stride,
                        reinterpret_cast<const void*>(offsetof(Rectangle, color)));
  glVertexAttribDivisor(1, 1);
}

}  // namespace

struct RectangleRenderer::State {
  State() : program(build_program()), framebuffer_size(program.uniform("framebuffer_size")) {
    glGenVertexArrays(1, &vertex_array);
    glGenBuffers(1, &instances);
    glBindVertexArray(vertex_array);
    glBindBuffer(GL_ARRAY_BUFFER, instances);
    describe_attributes();
    glBindVertexArray(0);
  }
  ~State() {
    glDeleteBuffers(1, &instances);
    glDeleteVertexArrays(1, &vertex_array);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void upload(std::span<const Rectangle> rectangles) {
    glBindBuffer(GL_ARRAY_BUFFER, instances);
    if (rectangles.size() > capacity) capacity = std::max(rectangles.size(), 2 * capacity);
    // New storage each time: the driver need not wait for the draw that still reads the old one.
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(capacity * sizeof(Rectangle)), nullptr,
                 GL_STREAM_DRAW);
    glBufferSubData(GL_ARRAY_BUFFER, 0, static_cast<GLsizeiptr>(rectangles.size_bytes()),
                    rectangles.data());
  }

  ShaderProgram program;
  GLint framebuffer_size;
  GLuint vertex_array = 0;
  GLuint instances = 0;
  std::size_t capacity = 0;  // rectangles
};

RectangleRenderer::RectangleRenderer() : state_(std::make_unique<State>()) {}
RectangleRenderer::~RectangleRenderer() = default;

void RectangleRenderer::draw(std::span<const Rectangle> rectangles, int framebuffer_width,
                             int framebuffer_height, const PixelRect& clip) {
  const int clip_width = clip.right - clip.left;
  const int clip_height = clip.bottom - clip.top;
  if (rectangles.empty() || clip_width <= 0 || clip_height <= 0) return;

  state_->upload(rectangles);
  glViewport(0, 0, framebuffer_width, framebuffer_height);
  glEnable(GL_SCISSOR_TEST);
  glScissor(clip.left, framebuffer_height - clip.bottom, clip_width, clip_height);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_CULL_FACE);
  glEnable(GL_BLEND);
  glBlendEquation(GL_FUNC_ADD);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);

  glUseProgram(state_->program.id());
  glUniform2f(state_->framebuffer_size, static_cast<float>(framebuffer_width),
              static_cast<float>(framebuffer_height));
  glBindVertexArray(state_->vertex_array);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(rectangles.size()));
  glBindVertexArray(0);
}

}  // namespace dlview::render
