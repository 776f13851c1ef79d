#include "report/writers/xlsx.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <xlsxwriter.h>

#include <fmt/format.h>

#include "base/unfinished_file.h"
#include "base/utf8.h"
#include "report/cell_text.h"
#include "report/writers/file.h"
#include "report/writers/utf8.h"

namespace dlview::report {
namespace {

constexpr int64_t kLargestExact = int64_t{1} << 53;
constexpr std::size_t kWidthRows = 200;
constexpr std::size_t kNarrowest = 6, kWidest = 60;  // characters
constexpr std::size_t kHeaderLimit = 255;            // of a printed page's header
constexpr std::string_view kCutNote = " […] truncated: a cell has at most 32,767 characters";

// Four bytes of UTF-8 are two units of UTF-16.
std::size_t utf16_units(std::string_view sequence) {
  return sequence.size() == 4 ? 2 : 1;
}

// The longest beginning of clean text with at most `limit` units; all of it where it fits.
std::string_view beginning(std::string_view text, std::size_t limit) {
  std::size_t bytes = 0, units = 0;
  while (bytes < text.size()) {
    const std::size_t length = base::utf8_length(text.substr(bytes));
    units += utf16_units(text.substr(bytes, length));
    if (units > limit) return text.substr(0, bytes);
    bytes += length;
  }
  return text;
}

// "_x0041_" stands for the character 41 in a workbook, and "_x005F_" for the "_" that begins such a
// code.
bool begins_with_code(std::string_view text) {
  return text.size() >= 7 && text.starts_with("_x") && text[6] == '_' &&
         std::ranges::all_of(text.substr(2, 4), [](unsigned char c) { return std::isxdigit(c); });
}

// Clean text that reads as it is, though it looks like a code: "tile_x1024_y".
std::string without_codes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    plain += begins_with_code(text.substr(i)) ? std::string_view("_x005F_") : text.substr(i, 1);
  }
  return plain;
}

// '&' begins a command in the header of a printed page, "&&" is one. "&G" and "&[Picture]"
// request a picture. Without one, libxlsxwriter frees the header and reads it later.
std::string header_part(std::string_view text) {
  std::string clean, part;
  append_clean_text(clean, text);
  for (std::size_t i = 0; i < clean.size(); ++i) {
    part += clean[i];
    if (clean[i] != '&') continue;
    part += '&';
    if (i + 1 < clean.size() && (clean[i + 1] == 'G' || clean[i + 1] == '[')) part += ' ';
  }
  return part;
}

// libxlsxwriter prints what fails on stderr, though it returns it, too.
class WithoutMessages {
 public:
  WithoutMessages() : lock_(one_at_a_time()), nowhere_(std::fopen("/dev/null", "w")) {
    if (nowhere_ != nullptr) before_ = std::exchange(stderr, nowhere_);
  }
  ~WithoutMessages() {
    if (nowhere_ == nullptr) return;
    stderr = before_;
    std::fclose(nowhere_);
  }
  WithoutMessages(const WithoutMessages&) = delete;
  WithoutMessages& operator=(const WithoutMessages&) = delete;

 private:
  static std::mutex& one_at_a_time() {
    static std::mutex mutex;
    return mutex;
  }

  std::lock_guard<std::mutex> lock_;
  std::FILE* nowhere_;
  std::FILE* before_ = nullptr;
};

class Workbook {
 public:
  Workbook(const std::filesystem::path& file, const std::filesystem::path& temporary_folder,
           bool is_large)
      : folder_(temporary_folder.empty() ? "." : temporary_folder.string()) {
    lxw_workbook_options options{};
    options.constant_memory = LXW_TRUE;
    options.tmpdir = folder_.data();
    options.use_zip64 = is_large ? LXW_TRUE : LXW_FALSE;
    book_ = workbook_new_opt(file.c_str(), &options);
    if (book_ == nullptr) return;
    header_ = workbook_add_format(book_);
    format_set_bold(header_);
    format_set_bottom(header_, LXW_BORDER_THIN);
    format_set_text_wrap(header_);
    format_set_align(header_, LXW_ALIGN_VERTICAL_TOP);
  }
  Workbook(const Workbook&) = delete;
  Workbook& operator=(const Workbook&) = delete;
  // Without close() nothing is written.
  ~Workbook() {
    if (book_ != nullptr) lxw_workbook_free(book_);
  }

  bool is_open() const { return book_ != nullptr; }
  lxw_workbook* get() { return book_; }
  lxw_format* header() { return header_; }
  // Why the file could not be written; empty = it was.
  std::string close() {
    const WithoutMessages quiet;
    errno = 0;
    const lxw_error error = workbook_close(std::exchange(book_, nullptr));
    if (error == LXW_NO_ERROR) return "";
    return errno == 0 ? lxw_strerror(error) : std::strerror(errno);
  }

 private:
  std::string folder_;
  lxw_workbook* book_ = nullptr;
  lxw_format* header_ = nullptr;
};

void set_properties(Workbook& book, const ShownTable& shown) {
  std::string title = shown.table.title, subject, comments = rows_text(shown);
  append_clean_text(subject, fmt::format("{}, {}", shown.profile_name, selection_text(shown)));
  std::string author = "dlview";
  lxw_doc_properties properties{};
  properties.title = title.data();
  properties.subject = subject.data();
  properties.author = author.data();
  properties.comments = comments.data();
  properties.created = source_date().value_or(0);  // 0 = now
  workbook_set_properties(book.get(), &properties);
}

std::size_t column_width(const ShownTable& shown, const Column& column) {
  std::size_t width = kNarrowest;
  for (const std::string& word : header_words(column)) width = std::max(width, word.size() + 2);
  std::string text;
  for (std::size_t i = 0; i < std::min(shown.rows.size(), kWidthRows); ++i) {
    text.clear();
    append_full_text(text, column.cell(shown.rows[i]));
    width = std::max(width, std::min(text.find('\n'), text.size()) + 2);
  }
  return std::min(width, kWidest);
}

lxw_worksheet* add_sheet(Workbook& book, const ShownTable& shown, std::size_t number) {
  lxw_worksheet* sheet = workbook_add_worksheet(
      book.get(), number == 1 ? nullptr : fmt::format("Sheet{}", number).c_str());
  if (sheet == nullptr) return nullptr;
  const std::string page_header =
      fmt::format("&L{}&C{}&R{}", header_part(shown.table.title), header_part(shown.profile_name),
                  header_part(selection_text(shown)));
  if (page_header.size() <= kHeaderLimit) worksheet_set_header(sheet, page_header.c_str());
  worksheet_set_footer(sheet, "&CPage &P of &N");
  worksheet_set_landscape(sheet);
  worksheet_repeat_rows(sheet, 0, 0);
  worksheet_freeze_panes(sheet, 1, 0);
  for (std::size_t c = 0; c < shown.table.columns.size(); ++c) {
    const auto column = static_cast<lxw_col_t>(c);
    worksheet_set_column(sheet, column, column,
                         static_cast<double>(column_width(shown, shown.table.columns[c])), nullptr);
  }
  for (std::size_t c = 0; c < shown.table.columns.size(); ++c) {
    worksheet_write_string(sheet, 0, static_cast<lxw_col_t>(c),
                           header_text(shown.table.columns[c]).c_str(), book.header());
  }
  return sheet;
}

struct CellWriter {
  lxw_worksheet* sheet;
  lxw_row_t row;
  lxw_col_t column;

  void operator()(std::monostate) const {}
  void operator()(int64_t number) const {
    if (number < -kLargestExact || number > kLargestExact) {
      return (*this)(std::string_view(fmt::format("{}", number)));
    }
    worksheet_write_number(sheet, row, column, static_cast<double>(number), nullptr);
  }
  void operator()(double number) const {
    if (std::isfinite(number)) worksheet_write_number(sheet, row, column, number, nullptr);
  }
  void operator()(bool flag) const {
    worksheet_write_boolean(sheet, row, column, flag ? 1 : 0, nullptr);
  }
  void operator()(std::string_view text) const {
    if (text.empty()) return;
    worksheet_write_string(sheet, row, column, xlsx_text(text).c_str(), nullptr);
  }
  void operator()(const std::string& text) const { (*this)(std::string_view(text)); }
};

bool write_rows(Workbook& book, const ShownTable& shown, base::Progress& progress,
                std::size_t rows_per_sheet) {
  lxw_worksheet* sheet = add_sheet(book, shown, 1);
  for (std::size_t i = 0; i < shown.rows.size(); ++i) {
    if (progress.canceled()) return false;
    if (i > 0 && i % rows_per_sheet == 0) sheet = add_sheet(book, shown, i / rows_per_sheet + 1);
    if (sheet == nullptr) return false;
    const auto row = static_cast<lxw_row_t>(i % rows_per_sheet + 1);
    for (std::size_t c = 0; c < shown.table.columns.size(); ++c) {
      std::visit(CellWriter{sheet, row, static_cast<lxw_col_t>(c)},
                 shown.table.cell(shown.rows[i], c));
    }
    progress.add_done(1);
  }
  return sheet != nullptr;
}

}  // namespace

std::string xlsx_text(std::string_view text) {
  std::string clean;
  append_clean_text(clean, text);
  clean = without_codes(clean);
  if (beginning(clean, kXlsxCellLimit).size() == clean.size()) return clean;
  const std::size_t note_units = kCutNote.size();  // more than it has
  return std::string(beginning(clean, kXlsxCellLimit - note_units)) + std::string(kCutNote);
}

base::Status write_xlsx(const ShownTable& shown, const std::filesystem::path& path,
                        base::Progress& progress, std::size_t rows_per_sheet) {
  base::Result<base::UnfinishedFile> file = base::UnfinishedFile::create(path);
  if (!file) return file.error();
  Workbook book(file->path(), path.parent_path(), shown.rows.size() > rows_per_sheet);
  if (!book.is_open()) return file->error("the workbook cannot be created");
  set_properties(book, shown);
  const bool all_written = write_rows(book, shown, progress, rows_per_sheet);
  if (progress.canceled()) return export_canceled();
  if (!all_written) return file->error("a sheet cannot be added");
  const std::string problem = book.close();
  return problem.empty() ? file->finish() : file->error(problem);
}

}  // namespace dlview::report
