// Holds the documents to what the tests of the program prove.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
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

// Without its line breaks.
std::vector<std::string> sentences_of(const fs::path& path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::regex end(R"(\. +)");
  return {std::sregex_token_iterator(text.begin(), text.end(), end, -1), {}};
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

}  // namespace
}  // namespace dlview
