// What is left of an exception when it has come to the end of a thread or of the program.
#pragma once

#include "base/result.h"

namespace dlview::base {

// Tells of the exception that is being handled; only inside a catch clause. Lack of memory has an
// advice of its own.
Error error_of_current_exception();

}  // namespace dlview::base
