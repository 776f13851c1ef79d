#include "app/version_text.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/build_facts.h"

namespace dlview::app {

std::string version_text() {
  std::string libraries;
  for (const LibraryFact& library : kBuiltWith) {
    libraries +=
        fmt::format("{}{} {}", libraries.empty() ? "" : ", ", library.name, library.version);
  }
  return fmt::format(
      "dlview {}\ncommit: {}\ncommit date: {}\nengines: {}\ncompiler: {}\nlibraries: {}\n",
      kVersion, kCommit, kCommitDate, kEngines, kCompiler, libraries);
}

std::string version_json() {
  nlohmann::ordered_json json{
      {"version", kVersion},        {"commit", kCommit},
      {"commit_date", kCommitDate}, {"engines", nlohmann::ordered_json::array()},
      {"compiler", kCompiler},      {"libraries", nlohmann::ordered_json::object()}};
  const std::string_view engines = kEngines;
  for (std::size_t begin = 0; begin < engines.size();) {
    const std::size_t end = std::min(engines.find(", ", begin), engines.size());
    json["engines"].push_back(engines.substr(begin, end - begin));
    begin = end + 2;
  }
  for (const LibraryFact& library : kBuiltWith) json["libraries"][library.name] = library.version;
  return json.dump(2) + '\n';
}

}  // namespace dlview::app
