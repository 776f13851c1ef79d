// Holds every #include below src/ to the table of docs/dev/architecture.md: which modules a module
// may know, and which libraries stay out of it.

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace dlview {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

const std::map<std::string, Names> kMayKnow{
    {"base", {}},
    {"profile", {"base"}},
    {"import", {"base", "profile"}},
    {"aggregate", {"base", "profile"}},
    {"ranks", {"base", "profile", "aggregate"}},
    {"report", {"base", "profile", "aggregate", "ranks"}},
    {"verify", {"base", "profile", "import", "aggregate", "report"}},
    {"generate", {"base", "profile", "aggregate", "ranks"}},
    {"timeline", {"base", "profile", "aggregate"}},
    {"workspace", {"base", "profile", "import", "aggregate", "ranks", "report", "timeline"}},
    {"render", {"base"}},
    {"ui", {"base", "profile", "aggregate", "ranks", "report", "timeline", "workspace", "render"}},
    {"app",
     {"base", "profile", "import", "aggregate", "ranks", "report", "timeline", "workspace",
      "verify", "generate", "render", "ui"}},
};

// First path component of the libraries that only some modules may use.
const std::map<std::string, Names> kLibraryModules{
    {"sqlite3.h", {"import", "generate"}},
    {"isa-l", {"import"}},
    {"xxhash.h", {"import", "ranks"}},
    {"zstd.h", {"ranks", "report"}},
    {"zlib.h", {"import", "generate", "report"}},
    {"imgui.h", {"ui", "app"}},
    {"imgui_internal.h", {"ui", "app"}},
    {"imgui_freetype.h", {"ui", "app"}},
    {"GLFW", {"render", "app"}},
    {"fontconfig", {"ui"}},
    {"ft2build.h", {"ui"}},
    {"glad", {"render", "app"}},
    {"EGL", {"render"}},
    {"png.h", {"render"}},
    {"re2", {"profile", "report"}},
    {"toml++", {"report"}},
    {"xlsxwriter.h", {"report"}},
    {"cairo-pdf.h", {"report"}},
    {"pango", {"report"}},
    {"thrust", {"aggregate"}},
    {"cuda_runtime.h", {"aggregate"}},
    {"CLI", {"app"}},
    {"mpi.h", {"app"}},
};

struct Include {
  std::string file, module, path;
  bool quoted;
};

std::vector<Include> all_includes() {
  const fs::path source = fs::path(DLVIEW_SOURCE_DIR) / "src";
  const std::regex pattern(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  std::vector<Include> includes;
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    const std::string extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp" && extension != ".cu") continue;
    const fs::path relative = fs::relative(entry.path(), source);
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, pattern)) continue;
      includes.push_back(
          {relative.string(), relative.begin()->string(), match[2], match[1] == "\""});
    }
  }
  return includes;
}

std::string first_component(const std::string& path) {
  return path.substr(0, path.find('/'));
}

TEST(Architecture, TableHasEveryFolder) {
  for (const auto& entry : fs::directory_iterator(fs::path(DLVIEW_SOURCE_DIR) / "src")) {
    if (entry.is_directory()) {
      EXPECT_TRUE(kMayKnow.contains(entry.path().filename().string())) << entry.path();
    }
  }
}

TEST(Architecture, ModulesIncludeOnlyThoseBelowThem) {
  const std::vector<Include> includes = all_includes();
  ASSERT_GT(includes.size(), 100U);
  for (const Include& include : includes) {
    const std::string target = first_component(include.path);
    if (!include.quoted || target == "embedded" || target == include.module) continue;
    EXPECT_TRUE(kMayKnow.at(include.module).contains(target))
        << include.file << " includes " << include.path;
  }
}

TEST(Architecture, LibrariesStayInTheirModules) {
  for (const Include& include : all_includes()) {
    const auto rule = kLibraryModules.find(first_component(include.path));
    if (include.quoted || rule == kLibraryModules.end()) continue;
    EXPECT_TRUE(rule->second.contains(include.module))
        << include.file << " includes <" << include.path << ">";
  }
}

}  // namespace
}  // namespace dlview
