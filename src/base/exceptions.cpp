#include "base/exceptions.h"

#include <exception>
#include <new>

#include "base/stop_point.h"

namespace dlview::base {
namespace {

constexpr const char* kReport = "Please report this, with the steps that led to it";

}  // namespace

Error error_of_current_exception() {
  try {
    throw;
  } catch (const Stopped&) {
    return {"Canceled", "the job was canceled", "Start it again"};
  } catch (const std::bad_alloc&) {
    return {"Not enough memory", "the machine has too little memory for this",
            "Close other programs, or use a machine with more memory"};
  } catch (const std::exception& exception) {
    return {"dlview failed", exception.what(), kReport};
  } catch (...) {
    return {"dlview failed", "for an unknown reason", kReport};
  }
}

}  // namespace dlview::base
