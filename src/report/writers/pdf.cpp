#include "report/writers/pdf.h"

#include <algorithm>
#include <cairo-pdf.h>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/unfinished_file.h"
#include "report/cell_text.h"
#include "report/writers/file.h"
#include "report/writers/pdf_text.h"
#include "report/writers/text.h"
#include "report/writers/utf8.h"

namespace dlview::report {
namespace {

// Points; A4 on its side.
constexpr double kPageWidth = 841.89, kPageHeight = 595.28;
constexpr double kMargin = 28, kGap = 8, kRule = 0.5;
constexpr double kTextSize = 7.5, kTitleSize = 12;
constexpr double kNarrowestText = 130;
constexpr double kInside = kPageWidth - 2 * kMargin;
constexpr std::size_t kMeasuredRows = 500;
// More than fits into a line, so that a stack trace need not be laid out to be cut.
constexpr std::size_t kLongestLine = 400;

struct Surface {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct Page {
  void operator()(cairo_t* page) const { cairo_destroy(page); }
};

std::string line_text(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return std::string(kNotRecorded);
  if (const bool* flag = std::get_if<bool>(&cell)) return *flag ? "✓" : "✗";
  std::string text;
  append_full_text(text, cell);
  if (text.size() <= kLongestLine) return text;
  std::size_t head = kLongestLine / 2, tail = text.size() - kLongestLine / 2;
  while (head > 0 && (static_cast<unsigned char>(text[head]) & 0xC0) == 0x80) --head;
  while (tail < text.size() && (static_cast<unsigned char>(text[tail]) & 0xC0) == 0x80) ++tail;
  return text.substr(0, head) + "…" + text.substr(tail);
}

PdfAlign align_of(const Column& column) {
  if (is_number(column)) return PdfAlign::right;
  return column.kind == CellKind::flag ? PdfAlign::center : PdfAlign::left;
}

double longest_word(PdfText& text, const Column& column) {
  double longest = 0;
  for (const std::string& word : header_words(column))
    longest = std::max(longest, text.width(word));
  return longest;
}

// Widths of the columns, without gaps, and the factor by which the table is drawn smaller.
struct Columns {
  std::vector<double> widths;
  double scale = 1;
};

bool can_be_cut(const Column& column) {
  return column.kind == CellKind::text || column.kind == CellKind::any;
}

// Takes what is too much from the texts that are widest.
void narrow_texts(const Table& table, double too_much, std::vector<double>& widths) {
  while (too_much > 0.5) {
    std::size_t widest = table.columns.size();
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (!can_be_cut(table.columns[c]) || widths[c] <= kNarrowestText) continue;
      if (widest == table.columns.size() || widths[c] > widths[widest]) widest = c;
    }
    if (widest == table.columns.size()) return;
    const double step = std::min({too_much, widths[widest] - kNarrowestText, 10.0});
    widths[widest] -= step;
    too_much -= step;
  }
}

// Of the text with the most bytes. Digits are equally wide, and no sign in a number is wider, so
// that no number is cut.
double widest_cell(const ShownTable& shown, const Column& column, PdfText& body) {
  const std::size_t measured =
      can_be_cut(column) ? std::min(shown.rows.size(), kMeasuredRows) : shown.rows.size();
  std::string longest;
  for (std::size_t i = 0; i < measured; ++i) {
    std::string text = line_text(column.cell(shown.rows[i]));
    if (text.size() > longest.size()) longest = std::move(text);
  }
  if (is_number(column)) longest.assign(longest.size(), '0');
  return body.width(longest) + 1;
}

Columns lay_out(const ShownTable& shown, PdfText& body, PdfText& header) {
  Columns columns;
  const Table& table = shown.table;
  for (const Column& column : table.columns) {
    const double width = std::max(longest_word(header, column), widest_cell(shown, column, body));
    columns.widths.push_back(std::min(width, kInside));
  }
  const std::size_t gaps = std::max<std::size_t>(table.columns.size(), 1) - 1;
  const auto total = [&] {
    return std::accumulate(columns.widths.begin(), columns.widths.end(),
                           kGap * static_cast<double>(gaps));
  };
  narrow_texts(table, total() - kInside, columns.widths);
  columns.scale = std::min(1.0, kInside / total());
  return columns;
}

class Document {
 public:
  Document(const ShownTable& shown, cairo_t* page)
      : shown_(shown),
        page_(page),
        fonts_(page),
        title_(page, fonts_, kTitleSize, true),
        header_(page, fonts_, kTextSize, true),
        body_(page, fonts_, kTextSize, false),
        columns_(lay_out(shown, body_, header_)),
        line_height_(body_.line_height() + 2),
        header_height_(tallest_header()) {
    const double top = kMargin + title_.line_height() + kGap;
    const double inside = (kPageHeight - kMargin - top) / columns_.scale - header_height_;
    rows_per_page_ = std::max<std::size_t>(static_cast<std::size_t>(inside / line_height_), 1);
  }

  // False when canceled.
  bool draw(base::Progress& progress) {
    const std::size_t pages =
        std::max<std::size_t>((shown_.rows.size() + rows_per_page_ - 1) / rows_per_page_, 1);
    for (std::size_t page = 0; page < pages; ++page) {
      draw_heading(page + 1, pages);
      draw_rows(page * rows_per_page_);
      cairo_show_page(page_);
      progress.add_done(static_cast<int64_t>(rows_per_page_));
      if (progress.canceled() || cairo_status(page_) != CAIRO_STATUS_SUCCESS) break;
    }
    return !progress.canceled();
  }

 private:
  double tallest_header() {
    double tallest = 0;
    for (std::size_t c = 0; c < columns_.widths.size(); ++c) {
      tallest = std::max(
          tallest, header_.height(header_text(shown_.table.columns[c]), columns_.widths[c] + 1));
    }
    return tallest + 4;
  }

  void draw_heading(std::size_t page, std::size_t pages) {
    const double third = kInside / 3;
    cairo_set_source_rgb(page_, 0, 0, 0);
    title_.draw_line(shown_.table.title, kMargin, kMargin, third, PdfAlign::left);
    const double y = kMargin + title_.line_height() - line_height_;
    body_.draw_line(fmt::format("{} · {}", shown_.profile_name, selection_text(shown_)),
                    kMargin + third, y, third, PdfAlign::center);
    body_.draw_line(fmt::format("{} · page {} of {}", rows_text(shown_), page, pages),
                    kMargin + 2 * third, y, third, PdfAlign::right);
  }

  void draw_rows(std::size_t first) {
    cairo_save(page_);
    cairo_translate(page_, kMargin, kMargin + title_.line_height() + kGap);
    cairo_scale(page_, columns_.scale, columns_.scale);
    double y = 0;
    each_column([&](std::size_t c, double x) {
      header_.draw_paragraph(header_text(shown_.table.columns[c]), x, y, columns_.widths[c] + 1,
                             align_of(shown_.table.columns[c]));
    });
    y += header_height_;
    draw_rule(y - 2, 0.2);
    const std::size_t last = std::min(first + rows_per_page_, shown_.rows.size());
    for (std::size_t i = first; i < last; ++i) {
      each_column([&](std::size_t c, double x) {
        const Column& column = shown_.table.columns[c];
        body_.draw_line(line_text(column.cell(shown_.rows[i])), x, y, columns_.widths[c] + 1,
                        align_of(column));
      });
      y += line_height_;
      draw_rule(y - 1, 0.85);
    }
    cairo_restore(page_);
  }

  // A line over the whole width, in a gray from 0 (black) to 1.
  void draw_rule(double y, double gray) {
    cairo_set_source_rgb(page_, gray, gray, gray);
    cairo_set_line_width(page_, kRule);
    cairo_move_to(page_, 0, y);
    cairo_line_to(page_, kInside / columns_.scale, y);
    cairo_stroke(page_);
    cairo_set_source_rgb(page_, 0, 0, 0);
  }

  template <typename Draw>
  void each_column(const Draw& draw) {
    double x = 0;
    for (std::size_t c = 0; c < columns_.widths.size(); ++c) {
      draw(c, x);
      x += columns_.widths[c] + kGap;
    }
  }

  const ShownTable& shown_;
  cairo_t* page_;
  PdfFonts fonts_;
  PdfText title_, header_, body_;
  Columns columns_;
  double line_height_, header_height_;
  std::size_t rows_per_page_ = 1;
};

cairo_status_t append_bytes(void* stream, const unsigned char* bytes, unsigned int count) {
  auto& out = *static_cast<std::ostream*>(stream);
  out.write(reinterpret_cast<const char*>(bytes), count);
  return out ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

}  // namespace

bool can_write_pdf() {
  return true;
}

base::Status write_pdf(const ShownTable& shown, const std::filesystem::path& path,
                       base::Progress& progress) {
  if (shown.rows.size() > kMostPdfRows) {
    return base::Error{
        "The table is too long for a PDF",
        fmt::format("it has {} rows; a PDF has at most {}", shown.rows.size(), kMostPdfRows),
        "Filter it, or write it as XLSX, CSV or HTML"};
  }
  base::Result<base::UnfinishedFile> file = base::UnfinishedFile::create(path);
  if (!file) return file.error();
  const std::unique_ptr<cairo_surface_t, Surface> surface(
      cairo_pdf_surface_create_for_stream(append_bytes, &file->out(), kPageWidth, kPageHeight));
  std::string title;
  append_clean_text(title, fmt::format("{} · {}", shown.table.title, shown.profile_name));
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, title.c_str());
  if (const auto date = source_date()) {
    const std::string created = fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(*date));
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, created.c_str());
  }
  {
    const std::unique_ptr<cairo_t, Page> page(cairo_create(surface.get()));
    if (!Document(shown, page.get()).draw(progress)) return export_canceled();
  }
  cairo_surface_finish(surface.get());
  const cairo_status_t status = cairo_surface_status(surface.get());
  if (status != CAIRO_STATUS_SUCCESS && status != CAIRO_STATUS_WRITE_ERROR) {
    return file->error(cairo_status_to_string(status));
  }
  return file->finish();  // knows why a write failed
}

}  // namespace dlview::report
