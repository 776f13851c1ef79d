#include "render/offscreen_context.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <fmt/format.h>

#include "render/gl.h"

namespace dlview::render {
namespace {

bool has_client_extension(std::string_view name) {
  const char* extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  return extensions != nullptr && std::string_view(extensions).find(name) != std::string_view::npos;
}

// Displays that need no display server, the preferred one first.
std::vector<EGLDisplay> candidate_displays() {
  std::vector<EGLDisplay> displays;
  if (has_client_extension("EGL_MESA_platform_surfaceless")) {
    displays.push_back(
        eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
  }
  const auto query_devices =
      reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
  if (query_devices == nullptr || !has_client_extension("EGL_EXT_platform_device")) return displays;
  std::array<EGLDeviceEXT, 16> devices{};
  EGLint count = 0;
  if (query_devices(static_cast<EGLint>(devices.size()), devices.data(), &count) == EGL_FALSE) {
    return displays;
  }
  for (EGLint i = 0; i < count; ++i) {
    displays.push_back(eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT,
                                             devices[static_cast<std::size_t>(i)], nullptr));
  }
  return displays;
}

EGLContext create_context(EGLDisplay display) {
  constexpr std::array<EGLint, 5> config_attributes{EGL_SURFACE_TYPE, EGL_DONT_CARE,
                                                    EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
  constexpr std::array<EGLint, 7> context_attributes{EGL_CONTEXT_MAJOR_VERSION,
                                                     3,
                                                     EGL_CONTEXT_MINOR_VERSION,
                                                     3,
                                                     EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                                     EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                                     EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglChooseConfig(display, config_attributes.data(), &config, 1, &count) == EGL_FALSE ||
      count == 0) {
    return EGL_NO_CONTEXT;
  }
  return eglCreateContext(display, config, EGL_NO_CONTEXT, context_attributes.data());
}

GLADapiproc load_function(const char* name) {
  return eglGetProcAddress(name);
}

}  // namespace

struct OffscreenContext::Handles {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;

  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    if (display == EGL_NO_DISPLAY) return;
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    // The display stays initialized: it is the process's, and terminating it would unload the
    // driver that the next context loads again.
  }

  // What was missing, or an empty text.
  std::string open(EGLDisplay candidate) {
    if (candidate == EGL_NO_DISPLAY) return "no display";
    if (eglInitialize(candidate, nullptr, nullptr) == EGL_FALSE) return "it cannot be initialized";
    display = candidate;
    if (eglBindAPI(EGL_OPENGL_API) == EGL_FALSE) return "it has no desktop OpenGL";
    context = create_context(display);
    if (context == EGL_NO_CONTEXT) return "it has no OpenGL 3.3 core context";
    if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_FALSE) {
      return "its context needs a surface";
    }
    return {};
  }
};

base::Result<OffscreenContext> OffscreenContext::create() {
  std::string tried;
  for (EGLDisplay display : candidate_displays()) {
    auto handles = std::make_unique<Handles>();
    const std::string missing = handles->open(display);
    if (!missing.empty()) {
      const char* vendor = handles->display == EGL_NO_DISPLAY
                               ? nullptr
                               : eglQueryString(handles->display, EGL_VENDOR);
      tried += fmt::format("{}{}: {}", tried.empty() ? "" : "; ",
                           vendor ? vendor : "an EGL display", missing);
      continue;
    }
    DLVIEW_TRY(load_gl(load_function));
    return OffscreenContext(std::move(handles));
  }
  return base::Error{"Cannot draw without a display on this machine",
                     tried.empty() ? "no EGL platform works without a display" : tried,
                     "Install Mesa's software renderer (Debian: libegl1 libgl1-mesa-dri)"};
}

OffscreenContext::OffscreenContext(std::unique_ptr<Handles> handles)
    : handles_(std::move(handles)) {}
OffscreenContext::~OffscreenContext() = default;
OffscreenContext::OffscreenContext(OffscreenContext&&) noexcept = default;
OffscreenContext& OffscreenContext::operator=(OffscreenContext&&) noexcept = default;

}  // namespace dlview::render
