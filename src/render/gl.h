// OpenGL 3.3 core as the room uses it: loading its functions, and programs that report why they do
// not compile. Everything here needs a current context.
#pragma once

#include <span>
#include <string>

#include <glad/gl.h>

#include "base/result.h"

namespace dlview::render {

// Loads the functions of the context that was just made current. Fails below OpenGL 3.3.
base::Status load_gl(GLADloadfunc loader);

// "llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5": for `info`, bug reports and tests.
std::string gl_description();

class ShaderProgram {
 public:
  // The sources are whole GLSL files; `name` is said in errors.
  static base::Result<ShaderProgram> build(const std::string& name,
                                           std::span<const unsigned char> vertex_source,
                                           std::span<const unsigned char> fragment_source);
  ~ShaderProgram();
  ShaderProgram(ShaderProgram&& other) noexcept;
  ShaderProgram& operator=(ShaderProgram&& other) noexcept;

  GLuint id() const { return id_; }
  GLint uniform(const char* name) const { return glGetUniformLocation(id_, name); }

 private:
  explicit ShaderProgram(GLuint id) : id_(id) {}

  GLuint id_ = 0;
};

}  // namespace dlview::render
