// OffscreenContext: OpenGL 3.3 through EGL, without a display or an X server. It has no surface of
// its own: draw into a Framebuffer.
#pragma once

#include <memory>

#include "base/result.h"

namespace dlview::render {

class OffscreenContext {
 public:
  // Current on the calling thread from here on. Tries Mesa's surfaceless platform, then every EGL
  // device of the machine.
  static base::Result<OffscreenContext> create();
  ~OffscreenContext();
  OffscreenContext(OffscreenContext&&) noexcept;
  OffscreenContext& operator=(OffscreenContext&&) noexcept;

 private:
  struct Handles;
  explicit OffscreenContext(std::unique_ptr<Handles> handles);

  std::unique_ptr<Handles> handles_;
};

}  // namespace dlview::render
