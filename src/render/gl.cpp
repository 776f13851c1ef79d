#include "render/gl.h"

#include <utility>

#include <fmt/format.h>

namespace dlview::render {
namespace {

constexpr const char* kDriverAdvice =
    "Update the graphics driver, or install Mesa's software renderer (libgl1-mesa-dri)";

base::Error shader_error(const std::string& name, const std::string& log) {
  return {fmt::format("The graphics driver refused the shader program {}", name), log,
          kDriverAdvice};
}

// Deletes a shader when the program has been linked, or has failed to.
struct Shader {
  explicit Shader(GLenum kind) : id(glCreateShader(kind)) {}
  ~Shader() { glDeleteShader(id); }
  Shader(const Shader&) = delete;
  Shader& operator=(const Shader&) = delete;
  GLuint id;
};

base::Status compile(const Shader& shader, const std::string& name,
                     std::span<const unsigned char> source) {
  const auto* text = reinterpret_cast<const GLchar*>(source.data());
  const auto length = static_cast<GLint>(source.size());
  glShaderSource(shader.id, 1, &text, &length);
  glCompileShader(shader.id);
  GLint compiled = GL_FALSE;
  glGetShaderiv(shader.id, GL_COMPILE_STATUS, &compiled);
  if (compiled == GL_TRUE) return base::Success{};
  GLint log_length = 0;
  glGetShaderiv(shader.id, GL_INFO_LOG_LENGTH, &log_length);
  std::string log(static_cast<std::size_t>(log_length), '\0');
  glGetShaderInfoLog(shader.id, log_length, &log_length, log.data());
  log.resize(static_cast<std::size_t>(log_length));
  return shader_error(name, log);
}

std::string link_log(GLuint program) {
  GLint length = 0;
  glGetProgramiv(program, GL_INFO_LOG_LENGTH, &length);
  std::string log(static_cast<std::size_t>(length), '\0');
  glGetProgramInfoLog(program, length, &length, log.data());
  log.resize(static_cast<std::size_t>(length));
  return log;
}

std::string gl_string(GLenum what) {
  const GLubyte* text = glGetString(what);
  return text == nullptr ? "unknown" : reinterpret_cast<const char*>(text);
}

}  // namespace

base::Status load_gl(GLADloadfunc loader) {
  const int version = gladLoadGL(loader);
  if (version >= GLAD_MAKE_VERSION(3, 3)) return base::Success{};
  return base::Error{"OpenGL 3.3 is not available",
                     fmt::format("the driver offers OpenGL {}.{}", GLAD_VERSION_MAJOR(version),
                                 GLAD_VERSION_MINOR(version)),
                     kDriverAdvice};
}

std::string gl_description() {
  return fmt::format("{}, OpenGL {}", gl_string(GL_RENDERER), gl_string(GL_VERSION));
}

base::Result<ShaderProgram> ShaderProgram::build(const std::string& name,
                                                 std::span<const unsigned char> vertex_source,
                                                 std::span<const unsigned char> fragment_source) {
  const Shader vertex(GL_VERTEX_SHADER);
  DLVIEW_TRY(compile(vertex, name + ".vert", vertex_source));
  const Shader fragment(GL_FRAGMENT_SHADER);
  DLVIEW_TRY(compile(fragment, name + ".frag", fragment_source));
  ShaderProgram program(glCreateProgram());
  glAttachShader(program.id_, vertex.id);
  glAttachShader(program.id_, fragment.id);
  glLinkProgram(program.id_);
  GLint linked = GL_FALSE;
  glGetProgramiv(program.id_, GL_LINK_STATUS, &linked);
  if (linked != GL_TRUE) return shader_error(name, link_log(program.id_));
  return program;
}

ShaderProgram::~ShaderProgram() {
  if (id_ != 0) glDeleteProgram(id_);
}

ShaderProgram::ShaderProgram(ShaderProgram&& other) noexcept : id_(std::exchange(other.id_, 0)) {}

ShaderProgram& ShaderProgram::operator=(ShaderProgram&& other) noexcept {
  std::swap(id_, other.id_);
  return *this;
}

}  // namespace dlview::render
