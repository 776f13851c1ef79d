// The pictures that F12 takes.
#pragma once

#include "app/program.h"
#include "render/image.h"

namespace dlview::app {

// Writes the picture (app/output_file.h says where) and tells in the program's notice where it
// lies, or why it does not.
void save_picture(Program& program, const render::Image& picture);

}  // namespace dlview::app
