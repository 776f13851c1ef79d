// The figures of data/ncu/expected.json, for tests of limits.
#pragma once

#include <fstream>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "support/test_data.h"

namespace dlview::testing {

// Needs the test data.
inline nlohmann::json expected_figures(std::string_view part) {
  std::ifstream file(*test_data_folder() / "ncu" / "expected.json");
  return nlohmann::json::parse(file).at(part);
}

// nullopt for null and for what is missing.
inline std::optional<double> number_or_none(const nlohmann::json& object, std::string_view key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

// Relative, of all figures that name no other.
inline constexpr double kFigureTolerance = 1e-4;

}  // namespace dlview::testing
