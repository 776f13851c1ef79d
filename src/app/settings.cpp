#include "app/settings.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "workspace/own_files.h"

namespace dlview::app {
namespace {

using Json = nlohmann::json;

// The number under `key` when there is one within [low, high], else `otherwise`.
template <typename Number>
Number number_or(const Json& json, std::string_view key, Number low, Number high,
                 Number otherwise) {
  if (!json.is_object()) return otherwise;
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return otherwise;
  const auto value = found->get<double>();
  return value >= low && value <= high ? static_cast<Number>(value) : otherwise;
}

aggregate::AdviceThresholds read_thresholds(const Json& json) {
  aggregate::AdviceThresholds thresholds;
  const auto found = json.find("thresholds");
  if (found == json.end()) return thresholds;
  for (const aggregate::Threshold& threshold : aggregate::all_thresholds()) {
    double& value = thresholds.*threshold.value;
    value = number_or(*found, threshold.id, aggregate::kLowestThreshold,
                      aggregate::kHighestThreshold, value);
  }
  return thresholds;
}

// Those that were changed, so that a later version may choose better defaults.
Json changed_thresholds(const aggregate::AdviceThresholds& thresholds) {
  Json changed = Json::object();
  for (const aggregate::Threshold& threshold : aggregate::all_thresholds()) {
    const double value = thresholds.*threshold.value;
    if (value != aggregate::AdviceThresholds{}.*threshold.value) changed[threshold.id] = value;
  }
  return changed;
}

}  // namespace

std::filesystem::path settings_file() {
  return workspace::config_folder() / "settings.json";
}

Settings read_settings(const std::filesystem::path& path) {
  Settings settings;
  const Json json = workspace::read_json(path);
  if (!json.is_object()) return settings;
  if (json.contains("theme") && json["theme"] == "light") settings.theme = ui::ThemeKind::light;
  if (json.contains("palette") && json["palette"] == "colorblind") {
    settings.palette = ui::PaletteKind::colorblind;
  }
  settings.reduced_motion = json.contains("reduced_motion") && json["reduced_motion"] == true;
  settings.zoom = number_or(json, "zoom", 0.5f, 3.0f, settings.zoom);
  settings.window_width = number_or(json, "window_width", 320, 16384, settings.window_width);
  settings.window_height = number_or(json, "window_height", 240, 16384, settings.window_height);
  settings.thresholds = read_thresholds(json);
  return settings;
}

void write_settings(const Settings& settings, const std::filesystem::path& path) {
  const Json json{{"theme", settings.theme == ui::ThemeKind::light ? "light" : "dark"},
                  {"palette", ui::to_text(settings.palette)},
                  {"reduced_motion", settings.reduced_motion},
                  {"zoom", settings.zoom},
                  {"window_width", settings.window_width},
                  {"window_height", settings.window_height},
                  {"thresholds", changed_thresholds(settings.thresholds)}};
  workspace::write_json(json, path);
}

}  // namespace dlview::app
