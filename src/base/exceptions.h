// Turns exceptions that reach the end of a thread or of the program into errors.
#pragma once

#include "base/result.h"

namespace dlview::base {

// Describes the exception that is being handled; only inside a catch clause. Lack of memory has an
// advice of its own.
Error error_of_current_exception();

}  // namespace dlview::base
