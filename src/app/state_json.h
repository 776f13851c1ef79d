// The state of the program as JSON, for UI tests: what is open, what is selected, the numbers that
// belong to it, and every value and item that the last frame put on screen.
#pragma once

#include <string>

namespace dlview::app {

class Program;

std::string state_json(const Program& program);

}  // namespace dlview::app
