// Holds the documents to what the tests of the program prove, and their links to what exists.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/file_contents.h"
#include "support/source_texts.h"
#include "ui/view.h"

namespace dlview {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> documents() {
  const fs::path root = DLVIEW_SOURCE_DIR;
  std::vector<fs::path> paths{root / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") paths.push_back(entry.path());
  }
  return paths;
}

// Without its line breaks.
std::vector<std::string> sentences_of(const fs::path& path) {
  std::string text = testing::contents_of(path);
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::regex end(R"(\. +)");
  return {std::sregex_token_iterator(text.begin(), text.end(), end, -1), {}};
}

// Returns the first group of each match, in order.
std::vector<std::string> matches_of(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return {std::sregex_token_iterator(text.begin(), text.end(), expression, 1), {}};
}

// Returns the text without code: fenced and indented blocks, and what stands in backticks.
std::string without_code(const std::string& text) {
  static const std::regex code("`[^`]*`");
  std::istringstream lines(text);
  std::string result;
  bool is_in_block = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_fence = line.starts_with("```");
    if (is_fence) is_in_block = !is_in_block;
    if (is_fence || is_in_block || line.starts_with("    ")) continue;
    result += std::regex_replace(line, code, "") + '\n';
  }
  return result;
}

// Returns the targets of links and pictures: "[text](target)" and "[name]: target".
std::vector<std::string> link_targets(const std::string& text) {
  const std::string prose = without_code(text);
  std::vector<std::string> targets = matches_of(prose, R"re(\]\(([^)\s]+)\))re");
  std::ranges::move(matches_of(prose, R"re(\n\[[^\]\n]+\]: *([^\s]+))re"),
                    std::back_inserter(targets));
  return targets;
}

// Returns the anchor that GitHub gives to a heading. Only ASCII letters are kept.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') anchor += '-';
    if (c == '-' || c == '_' || (byte < 0x80 && std::isalnum(byte) != 0)) {
      anchor += static_cast<char>(std::tolower(byte));
    }
  }
  return anchor;
}

// Returns the anchors of headings and those written out as <a id="92"></a>.
std::set<std::string> anchors_of(const std::string& text) {
  const std::vector<std::string> written = matches_of(text, R"re(<a id="([^"]+)"></a>)re");
  std::set<std::string> anchors(written.begin(), written.end());
  std::map<std::string, int> times;  // a heading that occurs again gets a number
  for (const std::string& heading : matches_of("\n" + text, R"re(\n#+ ([^\n]+))re")) {
    const std::string anchor = anchor_of(heading);
    const int before = times[anchor]++;
    anchors.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
  }
  return anchors;
}

std::string specification() {
  return testing::contents_of(fs::path(DLVIEW_SOURCE_DIR) / "docs/dev/spec.md");
}

// Returns the anchors of old numbers: <a id="92"></a>.
std::vector<std::string> numbers_of(const std::string& text) {
  return matches_of(text, R"re(<a id="([0-9]+)"></a>)re");
}

// Returns the ids in the titles of rules: **`iterations.cut` Three ways to split**.
std::vector<std::string> ids_of(const std::string& text) {
  return matches_of(text, R"re(\n\*\*`([^`]+)` )re");
}

// Returns the numbers of a page, such as "spec", that are cited as "spec.md 5, 92", "spec.md 22 to
// 26" or "spec.md#92", also if the citation continues in the next line of a comment. Of "22 to 26"
// only both ends.
std::vector<std::string> cited_numbers(const fs::path& path, const std::string& page) {
  std::string text = testing::contents_of(path);
  if (text.find(page + ".md") == std::string::npos) return {};
  text = std::regex_replace(text, std::regex(R"(\n *(//+ *)?)"), " ");
  std::vector<std::string> numbers;
  for (const std::string& list : matches_of(
           text, page + R"re(\.md[`,# ]{1,3}([0-9]+(?:(?:, and |, | and | to |-)[0-9]+)*))re")) {
    for (std::string& number : matches_of(list, "([0-9]+)")) numbers.push_back(std::move(number));
  }
  return numbers;
}

// Returns how often sources, tests and documents cite the page. Each cited number must be known.
int check_citations(const std::string& page, const std::set<std::string>& known) {
  const std::set<fs::path> extensions{".h", ".cpp", ".cu", ".md"};
  int citations = 0;
  for (const char* folder : {"src", "tests", "docs"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(DLVIEW_SOURCE_DIR) / folder)) {
      if (!extensions.contains(entry.path().extension())) continue;
      for (const std::string& number : cited_numbers(entry.path(), page)) {
        ++citations;
        EXPECT_TRUE(known.contains(number)) << entry.path() << " cites " << page << " " << number;
      }
    }
  }
  return citations;
}

// tests/report/nsys compares the CSV files of `nsys stats` and no other format.
TEST(Documents, PromiseNsysBytesForCsvOnly) {
  int promises = 0;
  for (const fs::path& path : documents()) {
    for (const std::string& sentence : sentences_of(path)) {
      if (!std::regex_search(sentence, std::regex("to the byte|byte for byte"))) continue;
      ++promises;
      EXPECT_NE(sentence.find("CSV"), std::string::npos) << path << ": " << sentence;
    }
  }
  EXPECT_GE(promises, 2);
}

TEST(Documents, ResolveEveryRelativeLink) {
  std::vector<fs::path> paths = documents();
  for (const char* name : {"CONTRIBUTING.md", "CHANGELOG.md"}) {
    paths.push_back(fs::path(DLVIEW_SOURCE_DIR) / name);
  }
  std::map<fs::path, std::set<std::string>> anchors;
  int links = 0;
  for (const fs::path& path : paths) {
    for (const std::string& target : link_targets(testing::contents_of(path))) {
      if (target.find(':') != std::string::npos) continue;  // https://..., mailto:...
      ++links;
      const std::size_t hash = target.find('#');
      const fs::path file =
          hash == 0 ? path : (path.parent_path() / target.substr(0, hash)).lexically_normal();
      EXPECT_TRUE(fs::exists(file)) << path << " links to " << target;
      if (hash == std::string::npos || file.extension() != ".md") continue;
      const auto [known, is_new] = anchors.try_emplace(file);
      if (is_new) known->second = anchors_of(testing::contents_of(file));
      EXPECT_TRUE(known->second.contains(target.substr(hash + 1)))
          << path << " links to " << target;
    }
  }
  EXPECT_GE(links, 200);
}

// `.ci/run pictures` compares what the screenshots show; see docs/dev/testing.md.
// Code as documents have it: one blank for each run of blanks and line breaks.
std::string in_one_line(const std::string& text) {
  return std::regex_replace(text, std::regex(R"(\s+)"), " ");
}

// Returns the code and commands of the first screen, "Record a profile".
std::vector<std::string> recipes_of_first_screen() {
  const fs::path source = fs::path(DLVIEW_SOURCE_DIR) / "src/ui/first_page.cpp";
  std::vector<std::string> recipes;
  for (const auto& literal : testing::texts_of_source(testing::contents_of(source)).literals) {
    std::string text = std::regex_replace(literal.text, std::regex(R"(\\n)"), "\n");
    text = in_one_line(std::regex_replace(text, std::regex(R"(\\")"), "\""));
    for (const char* begin : {"nsys profile ", "for step", "with torch.profiler", "dlview trace",
                              "dlprof ", "import nvidia_dlprof"}) {
      if (text.starts_with(begin)) recipes.push_back(text);
    }
  }
  return recipes;
}

TEST(Documents, HaveTheRecipesOfTheFirstScreen) {
  const fs::path root = DLVIEW_SOURCE_DIR;
  const std::string guide = in_one_line(testing::contents_of(root / "docs/recording.md"));
  const std::string readme = in_one_line(testing::contents_of(root / "README.md"));
  const std::vector<std::string> recipes = recipes_of_first_screen();
  EXPECT_EQ(recipes.size(), 6U);
  for (const std::string& recipe : recipes) {
    EXPECT_NE(guide.find(recipe), std::string::npos) << recipe;
    if (recipe.find("dlprof") != std::string::npos) continue;  // README leaves it to the guide
    EXPECT_NE(readme.find(recipe), std::string::npos) << recipe;
  }
  // No other command of a whole run.
  const std::regex command(R"((nsys profile [^\n`]*python train\.py))");
  for (const fs::path& path : documents()) {
    const std::string text = testing::contents_of(path);
    for (std::sregex_iterator at(text.begin(), text.end(), command), end; at != end; ++at) {
      EXPECT_NE(std::ranges::find(recipes, (*at)[1].str()), recipes.end()) << path;
    }
  }
}

TEST(Documents, KeepTheReadmeShort) {
  const std::string readme = testing::contents_of(fs::path(DLVIEW_SOURCE_DIR) / "README.md");
  EXPECT_LE(std::ranges::count(readme, '\n'), 120);
  std::istringstream words(readme);
  EXPECT_LE(std::distance(std::istream_iterator<std::string>(words), {}), 900);
  std::istringstream lines(readme);
  std::string line, beginning;
  for (int i = 0; i < 40 && std::getline(lines, line); ++i) beginning += line + '\n';
  for (const char* command : {"`dlview run.nsys-rep`", "`dlview run.sqlite`",
                              "`dlview dlprof_dldb.sqlite`", "`dlview trace.json.gz`"}) {
    EXPECT_NE(beginning.find(command), std::string::npos) << command;
  }
}

TEST(Screenshots, ComeFromTheScript) {
  const fs::path folder = fs::path(DLVIEW_SOURCE_DIR) / "docs/pictures";
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".png") files.insert(entry.path().filename().string());
  }
  const std::vector<std::string> taken =
      matches_of(testing::contents_of(folder / "make.py"), R"re(\n    \("([a-z_]+\.png)", ")re");
  EXPECT_EQ(files, std::set<std::string>(taken.begin(), taken.end()));
  EXPECT_GE(files.size(), 4U);
}

TEST(UserGuide, NamesEachViewAsItsSwitchDoes) {
  const std::string text = testing::contents_of(fs::path(DLVIEW_SOURCE_DIR) / "docs/user-guide.md");
  int views = 0;
  for (const ui::TabId tab : {ui::TabId::ops, ui::TabId::kernels, ui::TabId::gpus}) {
    for (const ui::ViewInfo& view : ui::views_of(tab)) {
      const std::string title = ui::switch_title(view);
      EXPECT_NE(text.find("**" + title + "**"), text.npos) << title;
      ++views;
    }
  }
  EXPECT_GE(views, 15);
}

TEST(Formats, AnchorEachCitedSection) {
  const std::string text =
      testing::contents_of(fs::path(DLVIEW_SOURCE_DIR) / "docs/dev/formats.md");
  const std::vector<std::string> sections = matches_of(text, R"re(<a id="[a-z]+-([0-9]+)"></a>)re");
  const std::set<std::string> known(sections.begin(), sections.end());
  EXPECT_EQ(known.size(), sections.size());
  EXPECT_GE(check_citations("formats", known), 10);
}

TEST(Specification, AnchorsEachCitedNumber) {
  const std::string text = specification();
  const std::vector<std::string> anchors = numbers_of(text);
  const std::set<std::string> known(anchors.begin(), anchors.end());
  for (const std::string& number : matches_of(text, R"(\(#([0-9]+)\))")) {
    EXPECT_TRUE(known.contains(number)) << "docs/dev/spec.md refers to " << number;
  }
  EXPECT_GE(check_citations("spec", known), 100);
}

TEST(Specification, MapsEachNumberOnce) {
  const std::string text = specification();
  const std::vector<std::string> titles = ids_of(text);
  const std::set<std::string> ids(titles.begin(), titles.end());
  std::map<std::string, int> rows;
  for (const std::string& row : matches_of(text, R"(\n(\| \[[0-9]+\]\(#[^\n]*))")) {
    ++rows[matches_of(row, R"(\[([0-9]+)\])").front()];
    const std::vector<std::string> listed = matches_of(row, "`([^`]+)`");
    EXPECT_FALSE(listed.empty()) << row;
    for (const std::string& id : listed) EXPECT_TRUE(ids.contains(id)) << id << " in " << row;
  }
  std::map<std::string, int> anchors;
  for (const std::string& number : numbers_of(text)) ++anchors[number];
  EXPECT_EQ(rows, anchors);
  for (const auto& [number, count] : anchors) EXPECT_EQ(count, 1) << number;
}

TEST(Specification, NamesEachRuleOnce) {
  const std::string text = specification();
  const std::vector<std::string> titles = ids_of(text);
  const std::set<std::string> ids(titles.begin(), titles.end());
  EXPECT_EQ(ids.size(), titles.size());
  EXPECT_GE(ids.size(), 100U);
  // Each title has an anchor of its own.
  EXPECT_EQ(matches_of(text, R"re(<a id="([a-z][^"]*)"></a>)re"), titles);
}

}  // namespace
}  // namespace dlview
