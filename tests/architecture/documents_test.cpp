// Holds the documents to what the tests of the program prove.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

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

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Without its line breaks.
std::vector<std::string> sentences_of(const fs::path& path) {
  std::string text = text_of(path);
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::regex end(R"(\. +)");
  return {std::sregex_token_iterator(text.begin(), text.end(), end, -1), {}};
}

// Returns the first group of each match, in order.
std::vector<std::string> matches_of(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return {std::sregex_token_iterator(text.begin(), text.end(), expression, 1), {}};
}

std::string specification() {
  return text_of(fs::path(DLVIEW_SOURCE_DIR) / "docs/dev/spec.md");
}

// Returns the anchors of old numbers: <a id="92"></a>.
std::vector<std::string> numbers_of(const std::string& text) {
  return matches_of(text, R"re(<a id="([0-9]+)"></a>)re");
}

// Returns the ids in the titles of rules: **`iterations.cut` Three ways to split**.
std::vector<std::string> ids_of(const std::string& text) {
  return matches_of(text, R"re(\n\*\*`([^`]+)` )re");
}

// Returns the numbers cited as "spec.md 5, 92", "spec.md 22 to 26" or "spec.md#92", also if the
// citation continues in the next line of a comment. Of "22 to 26" only both ends.
std::vector<std::string> cited_numbers(const fs::path& path) {
  std::string text = text_of(path);
  if (text.find("spec.md") == std::string::npos) return {};
  text = std::regex_replace(text, std::regex(R"(\n *(//+ *)?)"), " ");
  std::vector<std::string> numbers;
  for (const std::string& list : matches_of(
           text, R"re(spec\.md[`,# ]{1,3}([0-9]+(?:(?:, and |, | and | to |-)[0-9]+)*))re")) {
    for (std::string& number : matches_of(list, "([0-9]+)")) numbers.push_back(std::move(number));
  }
  return numbers;
}

// tests/report/nsys compares the CSV files of `nsys stats` and no other format.
TEST(Documents, PromiseTheBytesOfNsysForCsvOnly) {
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

TEST(Specification, AnchorsEachCitedNumber) {
  const std::string text = specification();
  const std::vector<std::string> anchors = numbers_of(text);
  const std::set<std::string> known(anchors.begin(), anchors.end());
  for (const std::string& number : matches_of(text, R"(\(#([0-9]+)\))")) {
    EXPECT_TRUE(known.contains(number)) << "docs/dev/spec.md refers to " << number;
  }
  const std::set<fs::path> extensions{".h", ".cpp", ".cu", ".md"};
  int citations = 0;
  for (const char* folder : {"src", "tests", "docs"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(DLVIEW_SOURCE_DIR) / folder)) {
      if (!extensions.contains(entry.path().extension())) continue;
      for (const std::string& number : cited_numbers(entry.path())) {
        ++citations;
        EXPECT_TRUE(known.contains(number)) << entry.path() << " cites " << number;
      }
    }
  }
  EXPECT_GE(citations, 100);
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
