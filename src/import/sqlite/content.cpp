#include "import/sqlite/content.h"

#include <algorithm>
#include <string>

#include "base/shell_quote.h"
#include "import/errors.h"
#include "import/gzip_start.h"
#include "import/other_json.h"

namespace dlview::import::sqlite {
namespace {

using namespace std::string_view_literals;

constexpr auto kMagic = "SQLite format 3\0"sv;
constexpr auto kOpenOther =
    "Open an export of Nsight Systems, a DLProf database (usually dlprof_dldb.sqlite) or a trace "
    "of "
    "the PyTorch profiler"sv;

// Whether the first or second line has three columns; DLProf's reports may begin with a title.
bool is_csv(std::string_view text) {
  for (int line = 0; line < 2; ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view columns = text.substr(0, end);
    if (std::count(columns.begin(), columns.end(), ',') >= 2) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

struct TextKind {
  std::string what;  // "begins like JSON"
  bool is_of_other_tool = false;
};

TextKind kind_of_json(std::string_view json) {
  const std::string_view other = name_other_json(json);
  if (!other.empty()) return {"is " + std::string(other), true};
  if (json.find("\"traceEvents\"") == std::string_view::npos) return {"begins like JSON"};
  if (json.find("\"ph\"") == std::string_view::npos) return {"is a trace without events"};
  return {"is a trace of another tool in Chrome's format", true};
}

TextKind kind_of_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  const char begin = first == std::string_view::npos ? ' ' : text[first];
  if (begin == '{' || begin == '[') return kind_of_json(text);
  if (begin == '<') return {"begins like HTML or XML, perhaps a download page"};
  return {is_csv(text) ? "begins like CSV, perhaps a report" : "contains text"};
}

base::Error text_error(const std::filesystem::path& path, std::string_view text) {
  if (text.starts_with("version https://git-lfs.github.com/spec/")) {
    return {"The file is a Git LFS pointer, not the profile itself",
            quoted(path) + " names the contents, which were not downloaded",
            "Run \"git lfs pull\" in its repository, then open it again"};
  }
  if (text.starts_with("PRAGMA foreign_keys") || text.starts_with("BEGIN TRANSACTION;")) {
    return {"The file is text, not a profile",
            quoted(path) + " begins like an SQL dump of a database",
            "Make a database of it with \"sqlite3 NEW.sqlite < DUMP\" and open that"};
  }
  const TextKind kind = kind_of_text(text);
  return {
      kind.is_of_other_tool ? "The file is from another tool" : "The file is text, not a profile",
      quoted(path) + " " + kind.what, std::string(kOpenOther)};
}

// zip, zstd, xz, bzip2, 7z.
constexpr std::string_view kArchiveMagics[] = {"PK\x03\x04"sv, "\x28\xb5\x2f\xfd"sv, "\3757zXZ\0"sv,
                                               "BZh"sv, "7z\xbc\xaf\x27\x1c"sv};

bool is_compressed(std::string_view bytes) {
  return std::any_of(std::begin(kArchiveMagics), std::end(kArchiveMagics),
                     [bytes](std::string_view magic) { return bytes.starts_with(magic); });
}

struct OtherKind {
  std::string_view magic, name;
};
constexpr OtherKind kOtherKinds[] = {
    {"\x89PNG"sv, "a PNG image"},  {"\xff\xd8\xff"sv, "a JPEG image"},
    {"%PDF-"sv, "a PDF document"}, {"\177ELF"sv, "a program or library"},
    {"PAR1"sv, "a Parquet file"},  {"\x93NUMPY"sv, "a NumPy array"}};

std::string_view name_of_other_kind(std::string_view bytes) {
  const auto* const kind = std::ranges::find_if(
      kOtherKinds, [bytes](const OtherKind& each) { return bytes.starts_with(each.magic); });
  return kind == std::end(kOtherKinds) ? "" : kind->name;
}

// Protocols 2 to 5; a frame, a container, a text or a class follows.
bool is_pickle(std::string_view bytes) {
  constexpr auto kFirst = "\x95}](cX\x8c"sv;
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5 &&
         kFirst.find(bytes[2]) != std::string_view::npos;
}

bool is_tar(std::string_view bytes) {
  constexpr std::size_t kMagicAt = 257;
  return bytes.size() > kMagicAt && bytes.substr(kMagicAt).starts_with("ustar");
}

// By what the first part of a gzip file holds.
base::Error gzip_error(const std::filesystem::path& path, std::string_view packed) {
  constexpr auto kTitle = "The file is compressed";
  const std::string file = base::shell_quoted(path.string());
  const std::string first = unpack_start(packed, kFirstBytes);
  if (first.empty()) {
    return {kTitle, quoted(path) + " has a gzip header but cannot be unpacked",
            "Copy it again from where it was recorded"};
  }
  if (is_tar(first)) {
    return {kTitle, quoted(path) + " is a tar archive compressed with gzip",
            "Unpack it with \"tar -xzf " + file + "\", then open the file that was in it"};
  }
  if (is_text(first)) {
    return {kTitle,
            quoted(path) + " is compressed with gzip; its content " + kind_of_text(first).what,
            std::string(kOpenOther)};
  }
  const bool is_database = begins_as_sqlite(first);
  return {kTitle,
          quoted(path) + " is " + (is_database ? "an SQLite database" : "a file") +
              " compressed with gzip",
          "Unpack it with \"gzip -dc " + file + " > NEW" + (is_database ? ".sqlite" : "") +
              "\", then open " + (is_database ? "NEW.sqlite" : "NEW")};
}

}  // namespace

bool begins_as_sqlite(std::string_view first_bytes) {
  return first_bytes.starts_with(kMagic);
}

bool is_text(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) return true;  // UTF-16
  return std::none_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == 0x7f || (byte < 0x20 && "\t\n\r\f\x1b"sv.find(c) == std::string_view::npos);
  });
}

bool is_named_as_nsys_report(const std::filesystem::path& path) {
  return path.extension() == ".nsys-rep" || path.extension() == ".qdrep";
}

base::Error not_a_database(const std::filesystem::path& path, std::string_view first_bytes) {
  if (begins_as_gzip(first_bytes)) return gzip_error(path, first_bytes);
  if (is_compressed(first_bytes)) {
    return {"The file is compressed", quoted(path) + " begins like a compressed archive",
            "Unpack it first, then open the profile that was in it"};
  }
  if (first_bytes.starts_with("dlsum\r\n")) {
    const std::string file = base::shell_quoted(path.string());
    return {"The file is a summary of ranks", quoted(path) + " has no events",
            "Open it with \"dlview " + file + "\", or list its ranks with \"dlview ranks " + file +
                "\""};
  }
  if (const std::string_view kind = name_of_other_kind(first_bytes); !kind.empty()) {
    return {"The file is not a profile", quoted(path) + " begins like " + std::string(kind),
            std::string(kOpenOther)};
  }
  if (is_text(first_bytes)) return text_error(path, first_bytes);
  if (is_pickle(first_bytes)) {
    return {"The file is not a profile",
            quoted(path) + " begins like a Python pickle, perhaps a memory snapshot of PyTorch",
            std::string(kOpenOther)};
  }
  return {"The file is encrypted or not an SQLite database",
          quoted(path) + " begins neither like an SQLite database nor like text",
          "Decrypt it if it is encrypted. " + std::string(kOpenOther)};
}

}  // namespace dlview::import::sqlite
