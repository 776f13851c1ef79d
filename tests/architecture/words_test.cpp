// Holds the texts of the program to its guide (CONTRIBUTING.md, *Words*): string literals of src/,
// and the comments of the headers of its modules. DLVIEW_PRINT_TEXTS=1 prints all literals, for a
// review.

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file_contents.h"
#include "support/source_texts.h"

namespace dlview {
namespace {

namespace fs = std::filesystem;

struct Phrase {
  std::string_view wrong;  // lower case; whole words
  std::string_view right;
};

// In texts that a person reads.
constexpr auto kInTexts = std::to_array<Phrase>({
    {"is told", "is recorded, is known"},
    {"are told", "are recorded, are known"},
    {"not told", "not recorded, unknown"},
    {"untold", "unknown"},
    {"tells", "reports, shows"},
    {"nothing tells", "unknown"},
    {"does not tell", "is unknown"},
    {"do not tell", "are unknown"},
    {"beside", "next to, in addition to, in the background"},
    {"behind", "after"},
    {"invent", "generate"},
    {"invents", "generates"},
    {"invented", "synthetic"},
    {"inventing", "generating"},
    {"anew", "again"},
    {"picture", "screenshot, image"},
    {"pictures", "screenshots, images"},
    {"cut", "split, truncated"},
    {"cuts", "splits"},
    {"plain sum", "sum"},
    {"plain sums", "sums"},
    {"added up", "summed"},
    {"counted twice", "sum"},
    {"own time", "self time"},
    {"there is no", "no ..."},
    {"there are no", "no ..."},
    {"there is no such", "invalid, unknown"},
    {"this is no", "invalid"},
    {"is no", "is not"},
    {"are no", "are not"},
    {"was asked for", "requested"},
    {"colour", "color"},
    {"colours", "colors"},
    {"grey", "gray"},
    {"cancelled", "canceled"},
    {"centre", "center"},
    {"behaviour", "behavior"},
    {"synchronise", "synchronize"},
    {"synchronisation", "synchronization"},
    {"synchronisations", "synchronizations"},
    {"utilisation", "utilization"},
    {"gpu work", "GPU activity"},
    {"nsys version", "Nsight Systems version"},
    {"at stake", "potential savings"},
    {"matrix product", "GEMM"},
    {"matrix products", "GEMMs"},
    {"does nothing", "is idle"},
    {"did nothing", "was idle"},
    {"doing nothing", "GPU idle"},
    {"starves", "is idle"},
    {"holds the host", "blocks the host"},
    {"unlike the others", "outlier"},
    {"like each other", "steady state"},
    {"steady range", "steady state"},
    {"in one piece", "not split"},
    {"pieces of work", "GPU activities"},
    {"the way of", "launch latency, queue time"},
    {"the recording", "the capture"},
    {"of no use", "stale"},
    {"is kept", "remains, is cached"},
    {"are kept", "remain, are cached"},
    {"filters keep", "match the filters"},
    {"kept of", "cached of"},
    {"as at first", "reset"},
    {"one whole", "total"},
    {"expert systems", "findings"},
    {"to and fro", "back and forth"},
    {"given out", "allocated"},
    {"gave out", "allocated"},
    {"adds up", "sums"},
    {"menu of a right click", "context menu"},
    {"bears", "has"},
    {"within each other", "recursive, nested"},
});

// In comments of headers, where "beside" and "behind" may be places.
constexpr auto kInComments = std::to_array<Phrase>({
    {"is told", "is known"},
    {"are told", "are known"},
    {"untold", "unknown"},
    {"tells of", "has, contains"},
    {"nothing tells", "unknown"},
    {"beside the frame", "in the background"},
    {"beside the window", "in the background"},
    {"invented", "synthetic"},
    {"anew", "again"},
    {"plain sum", "sum"},
    {"colour", "color"},
    {"colours", "colors"},
    {"cancelled", "canceled"},
    {"matrix product", "GEMM"},
    {"matrix products", "GEMMs"},
    {"own time", "self time"},
    {"of no use", "stale"},
    {"a room", "a module"},
    {"added up", "summed"},
    {"adds up", "sums"},
    {"given out", "allocated"},
    {"bears", "has"},
    {"an error if", "fails if"},
    {"within each other", "recursive, nested"},
});

struct Allowed {
  std::string_view path;  // a file, or a folder with a slash
  std::string_view text;  // a part of the text; empty = all texts there
  std::string_view why;
};

constexpr auto kAllowed = std::to_array<Allowed>({
    {"src/aggregate/advice.cpp", "", "DLProf's advice, word for word"},
    {"src/report/dlprof/", "", "DLProf's reports"},
    {"src/aggregate/filter.cpp", " (own time)", "the old name in state strings"},
    {"src/app/random_input.cpp", "screenshot picture.png", "a line of a script"},
});

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '=';
}

bool is_query(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \n,(");
  if (begin == std::string_view::npos) return true;
  const std::string_view rest = text.substr(begin);
  constexpr std::array<std::string_view, 7> kFirst{"SELECT ", "UNION",   "FROM ",  "WHERE ",
                                                   "INSERT ", "CREATE ", "PRAGMA "};
  return std::ranges::any_of(kFirst, [&](std::string_view word) { return rest.starts_with(word); });
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool has_phrase(std::string_view text, std::string_view phrase) {
  for (std::size_t at = text.find(phrase); at != std::string_view::npos;
       at = text.find(phrase, at + 1)) {
    const std::size_t end = at + phrase.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
      return true;
    }
  }
  return false;
}

// "Of a range that ...": a sentence without a subject.
bool is_headless(std::string_view text) {
  constexpr std::array<std::string_view, 9> kNext{"a ",   "an ",     "the ",   "its ", "all ",
                                                  "one ", "single ", "those ", "what "};
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("Of ") && std::ranges::any_of(kNext, [&](std::string_view next) {
          return rest.substr(3).starts_with(next);
        })) {
      return true;
    }
    at = text.find(". Of ", at);
    if (at != std::string_view::npos) at += 2;
  }
  return false;
}

// "80 %", also of a format: "{} %".
bool has_spaced_percent(std::string_view text) {
  for (std::size_t at = text.find(" %", 1); at != std::string_view::npos;
       at = text.find(" %", at + 1)) {
    const char before = text[at - 1];
    const bool is_last = at + 2 == text.size() || !is_word(text[at + 2]);
    if ((before == '}' || std::isdigit(static_cast<unsigned char>(before)) != 0) && is_last) {
      return true;
    }
  }
  return false;
}

// "takes the filter off"
bool takes_off(std::string_view text) {
  constexpr int kMostBetween = 4;
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(text) + " ") {
    if (is_word(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  }
  int since = kMostBetween + 1;
  for (const std::string& each : words) {
    ++since;
    if (each == "take" || each == "takes" || each == "took" || each == "taken") since = -1;
    if (each == "off" && since <= kMostBetween) return true;
  }
  return false;
}

template <std::size_t N>
std::vector<std::string> faults_of(std::string_view text, const std::array<Phrase, N>& phrases) {
  std::vector<std::string> faults;
  const std::string low = lower(text);
  for (const Phrase& phrase : phrases) {
    if (has_phrase(low, phrase.wrong)) {
      faults.push_back("\"" + std::string(phrase.wrong) + "\": " + std::string(phrase.right));
    }
  }
  return faults;
}

// What is wrong with a string literal; one of a single word is an id.
std::vector<std::string> faults_of_text(std::string_view text) {
  if (text.find(' ') == std::string_view::npos || is_query(text)) return {};
  std::vector<std::string> faults = faults_of(text, kInTexts);
  if (is_headless(text)) faults.push_back("begins with \"Of\": name the subject first");
  if (has_spaced_percent(text)) faults.push_back("\" %\": no space before %");
  if (takes_off(lower(text))) faults.push_back("\"take off\": remove, clear");
  return faults;
}

std::vector<std::string> faults_of_comment(std::string_view text) {
  std::vector<std::string> faults = faults_of(text, kInComments);
  if (is_headless(text)) faults.push_back("begins with \"Of\": name the subject first");
  return faults;
}

bool is_allowed(std::string_view path, std::string_view text) {
  return std::ranges::any_of(kAllowed, [&](const Allowed& each) {
    const bool is_there =
        each.path.ends_with('/') ? path.starts_with(each.path) : path == each.path;
    return is_there && text.find(each.text) != std::string_view::npos;
  });
}

// The parts of `{a, b(c, d), "e, f"}`, whose bracket is at `open`; empty if it does not close.
std::vector<std::string_view> parts_in_braces(std::string_view source, std::size_t open) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool is_quoted = false;
  std::size_t begin = open + 1;
  for (std::size_t at = open; at < source.size(); ++at) {
    const char c = source[at];
    if (is_quoted && c == '\\') {
      ++at;
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (is_quoted) {
      continue;
    } else if (c == '{' || c == '(' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ')' || c == ']') {
      --depth;
    }
    if (depth == 0 || (depth == 1 && c == ',' && !is_quoted)) {
      parts.push_back(source.substr(begin, at - begin));
      begin = at + 1;
    }
    if (depth == 0) return parts;
  }
  return {};
}

// Whether a text of the expression ends with a period, alone or before the end of a choice or call.
bool ends_with_period(std::string_view expression) {
  for (std::size_t at = expression.find(".\""); at != std::string_view::npos;
       at = expression.find(".\"", at + 1)) {
    const std::size_t next = expression.find_first_not_of(" \n", at + 2);
    if (next == std::string_view::npos || expression[next] == ',' || expression[next] == ':' ||
        expression[next] == ')') {
      return true;
    }
  }
  return false;
}

// The details and advice of base::Error in a source that end with a period. base::one_line() joins
// them with periods, and a command at the end stays free of one.
std::vector<std::string> error_texts_with_period(std::string_view source) {
  std::vector<std::string> found;
  for (const std::string_view begin : {"Error{", "return {"}) {
    for (std::size_t at = source.find(begin); at != std::string_view::npos;
         at = source.find(begin, at + 1)) {
      const auto parts = parts_in_braces(source, at + begin.size() - 1);
      const bool is_error = parts.size() == 3 && (parts[0].find('"') != std::string_view::npos ||
                                                  parts[0].find("kTitle") == 0);
      if (!is_error) continue;
      for (const std::string_view part : {parts[1], parts[2]}) {
        if (ends_with_period(part)) found.emplace_back(part);
      }
    }
  }
  return found;
}

// "TEST_F(Suite, Name)" of a source, as "Suite.Name".
std::vector<std::string> test_names(const std::string& source) {
  static const std::regex kTest(R"(\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))");
  std::vector<std::string> names;
  for (std::sregex_iterator at(source.begin(), source.end(), kTest), end; at != end; ++at) {
    names.push_back((*at)[1].str() + "." + (*at)[2].str());
  }
  return names;
}

struct SourceFile {
  std::string path;  // "src/base/result.h"
  std::string source;
  testing::SourceTexts texts;
};

std::vector<SourceFile> read_sources(const char* folder = "src") {
  const fs::path root = DLVIEW_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const std::string extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp" && extension != ".cu") continue;
    const std::string source = testing::contents_of(entry.path());
    files.push_back(
        {fs::relative(entry.path(), root).string(), source, testing::texts_of_source(source)});
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

const std::vector<SourceFile>& all_sources() {
  static const std::vector<SourceFile> sources = read_sources();
  return sources;
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Words, FollowTheGuideInTexts) {
  const bool prints = std::getenv("DLVIEW_PRINT_TEXTS") != nullptr;
  std::size_t texts = 0;
  for (const SourceFile& file : all_sources()) {
    for (const auto& [line, text] : file.texts.literals) {
      ++texts;
      if (prints && text.find(' ') != std::string::npos && !is_query(text)) {
        std::cout << file.path << ':' << line << ": " << text << '\n';
      }
      if (is_allowed(file.path, text)) continue;
      for (const std::string& fault : faults_of_text(text)) {
        ADD_FAILURE() << file.path << ':' << line << ": " << fault << "\n  " << text;
      }
    }
  }
  EXPECT_GT(texts, 5000U);
}

TEST(Words, FollowTheGuideInHeaders) {
  const std::set<std::string_view> modules{"src/base/",      "src/profile/", "src/import/",
                                           "src/aggregate/", "src/report/",  "src/workspace/",
                                           "src/verify/",    "src/generate/"};
  std::size_t comments = 0;
  for (const SourceFile& file : all_sources()) {
    const bool is_public = std::ranges::any_of(
        modules, [&](std::string_view module) { return file.path.starts_with(module); });
    if (!is_public || !file.path.ends_with(".h")) continue;
    for (const auto& [line, text] : file.texts.comments) {
      ++comments;
      if (is_allowed(file.path, text)) continue;
      for (const std::string& fault : faults_of_comment(text)) {
        ADD_FAILURE() << file.path << ':' << line << ": " << fault << "\n  " << text;
      }
    }
  }
  EXPECT_GT(comments, 1000U);
}

TEST(Words, EndErrorsWithoutPeriod) {
  for (const SourceFile& file : all_sources()) {
    EXPECT_THAT(error_texts_with_period(file.source), IsEmpty()) << file.path;
  }
  constexpr const char* kBad = R"(return {"Not found", quoted(path) + " is missing.", "Look again"};
    return base::Error{fmt::format("Bad {}", x), x ? "It, too." : "none", "Stop. Go."};)";
  EXPECT_EQ(error_texts_with_period(kBad).size(), 3U);
  EXPECT_THAT(error_texts_with_period(R"(return {"Bad", "one. Two", "See a.b, or \"c.\""};)"),
              IsEmpty());
}

TEST(Words, NameTestsInSixtyCharacters) {
  constexpr std::size_t kMost = 60;
  std::size_t count = 0;
  for (const SourceFile& file : read_sources("tests")) {
    for (const std::string& name : test_names(file.source)) {
      ++count;
      EXPECT_LE(name.size(), kMost) << file.path << ": " << name;
    }
  }
  EXPECT_GT(count, 1000U);
}

TEST(Words, AreFoundInBadTexts) {
  for (const char* bad :
       {"Whether copies are pageable is not told", "Drawn beside the window", "Click takes it off",
        "Write an invented run", "Read anew", "The iteration behind this one", "Save a picture",
        "What cuts the run", "a plain sum of times", "times added up", "the own time of a range",
        "There is no such engine", "Other colours", "busy for 80 % of it", "{} % of the range",
        "Of a range that ends: nothing", "It ends. Of the others none does."}) {
    EXPECT_THAT(faults_of_text(bad), Not(IsEmpty())) << bad;
  }
}

TEST(Words, PassGoodTexts) {
  for (const char* good :
       {"Not recorded: memory kinds", "80.6% of the range", "{:.1f}% in {} iterations",
        "Omit --cut, or use colours=op", "SELECT there is no FROM own time", "picture",
        "Most of the time", "Turn the profiler off and take a capture"}) {
    EXPECT_THAT(faults_of_text(good), IsEmpty()) << good;
  }
}

TEST(Words, AreFoundInSourceLiterals) {
  const testing::SourceTexts texts = testing::texts_of_source(R"src(
#include "not a text"
// A comment with "quotes"
// in two lines.
const char* text = "Takes the "  // between
                   "filter off";
const char quote = '"', digits = 1'000 + 'a';
const char* raw = R"x(the "raw" one)x";
call("a \"b\" c", "next");
)src");
  std::vector<std::string> literals, comments;
  for (const auto& each : texts.literals) literals.push_back(each.text);
  for (const auto& each : texts.comments) comments.push_back(each.text);
  EXPECT_THAT(literals,
              ElementsAre("Takes the filter off", "the \"raw\" one", "a \\\"b\\\" c", "next"));
  EXPECT_THAT(comments, ElementsAre("A comment with \"quotes\" in two lines.", "between"));
  EXPECT_EQ(texts.literals[0].line, 5U);
  EXPECT_EQ(texts.literals[1].line, 8U);
  EXPECT_THAT(faults_of_text(literals[0]), ElementsAre("\"take off\": remove, clear"));
}

}  // namespace
}  // namespace dlview
